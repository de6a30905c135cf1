"""The conversion of a master on local disk to an access master in an output."""

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvips

from vitrine.ingest.convert.access_master import OpenOutput, write_access_master
from vitrine.ingest.convert.colour import to_srgb
from vitrine.ingest.convert.metadata.carried_metadata import (
    Metadata,
    adapt_to_srgb,
    with_resolution,
)
from vitrine.ingest.convert.metadata.metadata_sources import (
    from_blocks,
    from_image,
    from_photoshop,
    from_tiff,
    with_texts,
)
from vitrine.ingest.convert.pyramid.pixel_rows import TakeRows, push_rows
from vitrine.ingest.convert.sample_squares import SampleRecorder
from vitrine.ingest.inspect.decode import reason_of
from vitrine.ingest.inspect.estimate import scratch_bytes
from vitrine.ingest.inspect.formats.jp2_metadata import read_jp2_metadata
from vitrine.ingest.inspect.formats.photoshop_format import read_photoshop_resources
from vitrine.ingest.inspect.formats.png_metadata import read_png_metadata
from vitrine.ingest.inspect.formats.tiff_file import malformed_is_rejected
from vitrine.ingest.inspect.header import Header, OpenedMaster, open_master
from vitrine.ingest.inspect.master_bytes import BoundedBytes, LocalFile
from vitrine.ingest.inspect.vips import load, prepare_libvips
from vitrine.ingest.recipe import Recipe
from vitrine.ingest.rejections import damaged_file
from vitrine.store.ranged import whole_ranges
from vitrine.store.tiff.reading import Bounds

_WITHOUT_METADATA = frozenset({"bmp", "gif"})
_FULL_BYTES = 16 * 1024 * 1024
"""With less than this left, a failed write is the disk's fault and not the master's."""


@dataclass(frozen=True, kw_only=True)
class Converted:
    """What the conversion read from the master."""

    samples: list[list[int]]
    losses: tuple[str, ...]
    """Sentences about pixels that were mended, and metadata that could not be read."""


def convert(
    master: Path, header: Header, recipe: Recipe, scratch: Path, open_output: OpenOutput
) -> Converted:
    """Convert `master` into the output; temporary files are in the directory `scratch`.

    Raises MasterRejected with code damaged-file, OSError if the disk is too small, and what
    the output raises.
    """
    metadata = read_metadata(master, header)

    def write(image: Any, watch: TakeRows) -> None:
        write_access_master(image, metadata, recipe, open_output, scratch, watch)

    samples, notes = _record_samples(master, header, recipe, scratch, write)
    return Converted(samples=samples, losses=(*notes, *metadata.losses))


def sample(master: Path, header: Header, recipe: Recipe, scratch: Path) -> Converted:
    """Read from the master what an earlier conversion did. Raises as `convert` does."""
    samples, notes = _record_samples(master, header, recipe, scratch, push_rows)
    return Converted(samples=samples, losses=(*notes, *read_metadata(master, header).losses))


def read_metadata(master: Path, header: Header) -> Metadata:
    """Read the master's metadata, as they are true of its upright sRGB copy.

    Raises MasterRejected.
    """
    if header.format == "tiff":
        bounds = Bounds(pages=header.pages)
        with LocalFile(master) as file, malformed_is_rejected(header.pages):
            metadata = from_tiff(whole_ranges(file), file.size, header.page, bounds)
    elif header.format == "jp2":
        with LocalFile(master) as file:
            blocks, resolution = read_jp2_metadata(file)
        metadata = with_resolution(from_blocks(**blocks), resolution)
    elif header.format == "png":
        with LocalFile(master) as file:
            png = read_png_metadata(BoundedBytes(file))
        metadata = with_texts(from_blocks(**png.blocks), png.texts)
        metadata = with_resolution(metadata, png.resolution)
    elif header.format == "photoshop":
        with LocalFile(master) as file:
            metadata = from_photoshop(read_photoshop_resources(BoundedBytes(file)))
    elif header.format in _WITHOUT_METADATA:
        metadata = Metadata()
    else:
        metadata = _read_by_libvips(master, header.format)
    return adapt_to_srgb(metadata, orientation=header.orientation)


def _read_by_libvips(master: Path, file_format: str) -> Metadata:
    """Read the blocks that libvips finds; it may not open a file whose pixels are all there."""
    try:
        return from_image(load(pyvips.Source.new_from_file(str(master)), file_format))
    except pyvips.Error as error:
        return Metadata(losses=(f"The metadata were left out. {reason_of(error)}.",))


def _record_samples(
    master: Path,
    header: Header,
    recipe: Recipe,
    scratch: Path,
    use: Callable[[Any, TakeRows], None],
) -> tuple[list[list[int]], list[str]]:
    """Use the picture; return samples of it, and sentences about its pixels."""
    with open_upright(master, header, recipe, scratch) as opened:
        recorder = SampleRecorder(opened.image.width, opened.image.height, recipe)
        use(opened.image, recorder.add)
        return recorder.samples(), [note.sentence for note in opened.notes]


@contextmanager
def open_upright(
    master: Path, header: Header, recipe: Recipe, scratch: Path
) -> Iterator[OpenedMaster]:
    """Open the picture as it is published: upright, in 8-bit sRGB, and decoded while it is used.

    A picture to be rotated is spooled to disk, since rotation needs random access; so is one that
    libvips writes itself, to distinguish a damaged master from a failing writer. Raises
    MasterRejected with code damaged-file, and OSError if the disk is too small.
    """
    prepare_libvips()
    _check_disk(scratch, scratch_bytes(header, spooled=_is_spooled(header, recipe)))
    try:
        with open_master(master, header) as opened:
            notes = opened.notes
            converted = to_srgb(opened.image, header, recipe.background)
            if not _is_spooled(header, recipe):
                yield OpenedMaster(converted, notes)
                return
            spool = scratch / "decoded.v"
            _write_spool(converted, spool)
    except pyvips.Error as error:
        raise damaged_file(reason_of(error)) from error
    upright = pyvips.Image.new_from_file(str(spool), access="random").autorot()
    yield OpenedMaster(upright, notes)
    spool.unlink()


def _is_spooled(header: Header, recipe: Recipe) -> bool:
    return header.orientation != 1 or recipe.writer != "vitrine"


def _write_spool(image: Any, spool: Path) -> None:
    try:
        image.write_to_file(str(spool))
    except pyvips.Error as error:
        if _free_bytes(spool.parent) < _FULL_BYTES:
            raise OSError(errno.ENOSPC, "the scratch disk is full", str(spool)) from error
        raise


def _check_disk(scratch: Path, needed: int) -> None:
    free = _free_bytes(scratch)
    if free < needed:
        text = f"{needed:,} bytes are needed for the conversion, {free:,} are free"
        raise OSError(errno.ENOSPC, text, str(scratch))


def _free_bytes(directory: Path) -> int:
    return shutil.disk_usage(directory).free
