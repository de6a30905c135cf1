"""EXIF of a delivered image: the selected fields, in the form that Exif 2.32 requires of a JPEG."""

import re
from collections.abc import Mapping

from vitrine.ingest.convert.metadata.carried_metadata import Metadata, as_exif
from vitrine.store.tiff.entry import TiffEntry, longs, opaque, rationals, shorts
from vitrine.store.tiff.tags import (
    EXIF_COLOUR_SPACE,
    EXIF_DATE_TIME_ORIGINAL,
    EXIF_HEIGHT,
    EXIF_WIDTH,
    Tag,
    Type,
)
from vitrine.store.tiff.writing import NewDirectory

MAX_BLOCK_LENGTH = 65_527
"""Bytes of EXIF that fit into one APP1 segment after its name."""

_TEXTS = (Tag.IMAGE_DESCRIPTION, Tag.ARTIST, Tag.COPYRIGHT)
_DATES = (Tag.DATE_TIME, EXIF_DATE_TIME_ORIGINAL)
_DATE = re.compile(
    rb"\d{4}:(0[1-9]|1[0-2]):(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d\0"
)
_INCH, _CENTRED = 2, 1
_REQUIRED: dict[int, TiffEntry] = {
    # The values of Exif for an unknown resolution: the master's does not apply. They are written in
    # two ways, since equal values would share an offset, which validators reject.
    Tag.X_RESOLUTION: rationals((72, 1)),
    Tag.Y_RESOLUTION: rationals((720, 10)),
    Tag.RESOLUTION_UNIT: shorts(_INCH),
    Tag.YCBCR_POSITIONING: shorts(_CENTRED),
}
_EXIF_VERSION, _COMPONENTS, _FLASHPIX_VERSION = 0x9000, 0x9101, 0xA000
_STORED_COMPONENTS = {1: opaque(b"\1\0\0\0"), 3: opaque(b"\1\2\3\0")}
"""Y, or Y, Cb and Cr, by their number."""
_SRGB, _UNCALIBRATED = 1, 0xFFFF


def keep_valid_fields(metadata: Metadata) -> Metadata:
    """Return the page's and the EXIF directory's fields without the malformed ones.

    Texts end where their NULs begin, dates are dates, and no other directory is kept.
    """
    exif = metadata.children.get(Tag.EXIF_IFD)
    children: dict[int, NewDirectory] = {}
    if exif:
        children[Tag.EXIF_IFD] = NewDirectory(_keep_valid(exif.entries))
    return Metadata(_keep_valid(metadata.entries), children)


def exif_fields(metadata: Metadata, *, srgb: bool) -> dict[int, TiffEntry]:
    """Return the fields of an EXIF directory for any file format; empty if none is known."""
    exif = metadata.children.get(Tag.EXIF_IFD)
    if not exif or not exif.entries.keys() - {EXIF_COLOUR_SPACE}:
        return {}
    return {**exif.entries, **_required_entries(srgb=srgb)}


def exif_block(
    metadata: Metadata, width: int, height: int, *, srgb: bool, components: int = 3
) -> bytes:
    """Return the EXIF of an image of this size in pixels, as it follows "Exif\\0\\0" in a JPEG.

    `components` are 3 for YCbCr, 1 for gray. The longest fields are left out until it fits a
    segment. b"" if no field is known.
    """
    entries, below = dict(metadata.entries), exif_fields(metadata, srgb=srgb)
    if not entries and not below:
        return b""
    below |= {EXIF_WIDTH: longs(width), EXIF_HEIGHT: longs(height), **_required_entries(srgb=srgb)}
    if components in _STORED_COMPONENTS:
        below[_COMPONENTS] = _STORED_COMPONENTS[components]
    return _fit_segment(entries, below)


def rights_block(copyright_: TiffEntry | None, artist: TiffEntry | None) -> bytes:
    """Return the smallest EXIF that names creator and rights holder; b"" for neither."""
    known = {Tag.COPYRIGHT: copyright_, Tag.ARTIST: artist}
    entries = {int(tag): entry for tag, entry in known.items() if entry}
    return as_exif(Metadata(entries | _REQUIRED)) if entries else b""


def _required_entries(*, srgb: bool) -> dict[int, TiffEntry]:
    return {
        _EXIF_VERSION: opaque(b"0232"),
        _FLASHPIX_VERSION: opaque(b"0100"),
        EXIF_COLOUR_SPACE: shorts(_SRGB if srgb else _UNCALIBRATED),
    }


def _fit_segment(entries: dict[int, TiffEntry], below: dict[int, TiffEntry]) -> bytes:
    children: dict[int, NewDirectory] = {Tag.EXIF_IFD: NewDirectory(below)}
    while True:
        block = as_exif(Metadata(entries | _REQUIRED, children))
        if len(block) <= MAX_BLOCK_LENGTH:
            return block
        home = max((entries, below), key=lambda fields: _longest_field(fields)[0])
        del home[_longest_field(home)[1]]


def _longest_field(fields: Mapping[int, TiffEntry]) -> tuple[int, int]:
    """Return length and tag of the longest field."""
    return max(((len(entry.data), tag) for tag, entry in fields.items()), default=(0, 0))


def _keep_valid(entries: Mapping[int, TiffEntry]) -> dict[int, TiffEntry]:
    valid = {}
    for tag, entry in entries.items():
        kept = _trim_text(entry) if tag in (*_TEXTS, *_DATES) else entry
        if kept and (tag not in _DATES or _DATE.fullmatch(kept.data)):
            valid[tag] = kept
    return valid


def _trim_text(entry: TiffEntry) -> TiffEntry | None:
    text = entry.data.rstrip(b"\0 ")
    if entry.type != Type.ASCII or not text.strip(b"\0 "):
        return None
    return TiffEntry(Type.ASCII, len(text) + 1, text + b"\0")
