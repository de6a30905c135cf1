"""Validate a master from its header, before any pixel is decoded; open it for its pixels."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pyvips

from vitrine.ingest import rejections
from vitrine.ingest.inspect.colour_profile import ProfileState, profile_state
from vitrine.ingest.inspect.curator_notes import (
    MasterNote,
    cmyk_without_profile,
    linear_light_assumed,
)
from vitrine.ingest.inspect.decode import Decoder, Picture, find_picture, reason_of
from vitrine.ingest.inspect.estimate import Estimate, check_estimate, estimate
from vitrine.ingest.inspect.float_samples import check_range, clip_samples
from vitrine.ingest.inspect.formats.gif_format import check_gif
from vitrine.ingest.inspect.formats.jp2_tiles import check_tiles
from vitrine.ingest.inspect.formats.jpeg_format import check_jpeg_end
from vitrine.ingest.inspect.formats.picture_format import COLOUR_BANDS, PictureFormat
from vitrine.ingest.inspect.formats.png_format import check_png_end
from vitrine.ingest.inspect.formats.tiff_inflate import check_inflated
from vitrine.ingest.inspect.formats.webp_format import note_blank_data
from vitrine.ingest.inspect.jpeg_restarts import drop_restart_padding
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import BoundedBytes, LocalFile, MasterBytes
from vitrine.ingest.inspect.vips import prepare_libvips

_SAMPLE_FORMATS = {8: ("uchar",), 16: ("ushort", "short"), 32: ("float",)}
_WHOLE = frozenset({"jp2", "gif"})


@dataclass(frozen=True, kw_only=True)
class Header(PictureFormat):
    """A master's header, in the same words for every file format. Sizes in pixels as stored."""

    format: str
    profile: ProfileState
    needs: Estimate

    @property
    def colour_bands(self) -> int:
        """Samples that are colour."""
        return COLOUR_BANDS[self.colour]


def read_header(file: MasterBytes, file_format: str, limits: MasterLimits) -> Header:
    """Read the header of the master's largest page ourselves, and let libvips open it.

    Decoders of `_WHOLE` cannot open a file without reading all of it: our own reading must do.

    Raises MasterRejected with any code but empty-file, values-out-of-range and those of the later
    steps; what `file` raises.
    """
    prepare_libvips()
    picture = find_picture(file, file_format, limits)
    check_estimate(estimate(picture.picture_format, file.size), limits)
    if picture.file_format not in _WHOLE:
        picture = _try_decoder(picture)
    needs = estimate(picture.picture_format, file.size)
    check_estimate(needs, limits)
    return _build_header(picture, needs)


@dataclass(frozen=True)
class OpenedMaster:
    """The picture of a master, and notes that only its pixels give."""

    image: Any
    notes: tuple[MasterNote, ...]


@contextmanager
def open_master(path: Path, header: Header) -> Iterator[OpenedMaster]:
    """Open the picture of a master on local disk, in its own colours and row by row.

    Use it before the context ends. Raises MasterRejected; pyvips.Error at the pixels of a
    damaged master.
    """
    limits = MasterLimits(pixels=sys.maxsize, bytes=0, pages=header.pages)
    with LocalFile(path) as file:
        picture = find_picture(file, header.format, limits)
        notes = check_complete(file, picture)
        if picture.file_format == "jpeg":
            picture = replace(picture, views=[drop_restart_padding(file, picture.views[0])])
        decoder = Decoder(picture)
        decoder.check_padding()
        if header.samples == "float":
            notes += check_range(decoder.open())
            yield OpenedMaster(clip_samples(decoder.open()), notes)
        else:
            yield OpenedMaster(decoder.open(), notes)


def check_size(size: int, limits: MasterLimits) -> None:
    """Raise MasterRejected, empty-file or too-large, for a file of such a size in bytes."""
    if size == 0:
        raise rejections.empty_file()
    if size > limits.bytes:
        raise rejections.file_too_large(size, limits.bytes)


def _try_decoder(picture: Picture) -> Picture:
    """Check that libvips sees the same picture, and return it with the orientation it found."""
    decoder = Decoder(picture)
    try:
        image = decoder.open()
    except pyvips.Error as error:
        decoder.raise_failure()
        raise rejections.unreadable_file(reason_of(error)) from error
    decoder.raise_failure()
    _check_agreement(picture.picture_format, image)
    if picture.file_format == "tiff":
        return picture
    return replace(
        picture,
        picture_format=replace(picture.picture_format, orientation=_read_orientation(image)),
    )


def _check_agreement(expected: PictureFormat, image: Any) -> None:
    """Raise MasterRejected unless libvips sees the samples that we see.

    Otherwise it would convert another picture.
    """
    bands = COLOUR_BANDS[expected.colour] + expected.extra_bands
    if image.bands != bands or image.format not in _SAMPLE_FORMATS[expected.bits]:
        raise rejections.unreadable_file(
            f"{bands} samples of {expected.bits} bits by the header, "
            f"{image.bands} of type {image.format} by the decoder"
        )


def _build_header(picture: Picture, needs: Estimate) -> Header:
    described = picture.picture_format
    profile, notes = profile_state(described.icc, described.colour)
    if described.colour == "cmyk" and profile != "usable":
        notes += (cmyk_without_profile(),)
    if described.samples == "float" and profile != "usable" and not described.made_icc:
        notes += (linear_light_assumed("floating-point samples without a profile"),)
    values = {item.name: getattr(described, item.name) for item in fields(PictureFormat)}
    values["notes"] = described.notes + notes
    return Header(**values, format=picture.file_format, profile=profile, needs=needs)


def _read_orientation(image: Any) -> int:
    value = image.get("orientation") if image.get_typeof("orientation") else 1
    return value if 1 <= value <= 8 else 1


def check_complete(file: MasterBytes, picture: Picture) -> tuple[MasterNote, ...]:
    """Check what decoders leave unchecked once they have all pixels. Raises MasterRejected."""
    structure = BoundedBytes(file)
    pixels = picture.picture_format.width * picture.picture_format.height
    if picture.deflated:
        check_inflated(file, picture.deflated)
    if picture.file_format == "png":
        check_png_end(structure)
    if picture.file_format == "jpeg":
        check_jpeg_end(structure, pixels)
    if picture.file_format == "gif":
        check_gif(structure)
    if picture.jp2:
        check_tiles(structure, picture.jp2.codestream)
    return note_blank_data(structure) if picture.file_format == "webp" else ()
