"""A master's descriptive metadata, carried into the access master byte for byte.

Kept are EXIF with its GPS and interoperability directories, XMP, IPTC, resolution and the
descriptive TIFF tags. Tags that say how the master's pixels are stored are left out, because the
access master stores them in another way: upright, as sRGB.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vitrine.store.tiff.entry import TiffEntry, longs, shorts, text
from vitrine.store.tiff.tags import EXIF_COLOUR_SPACE, EXIF_HEIGHT, EXIF_WIDTH, Tag, Type
from vitrine.store.tiff.writing import NewDirectory, lay_out

_SRGB = 1
_INDEX, _ADOBE_RGB, _BASIC = 1, "R03", "R98"
"""EXIF's interoperability index, which names the colours as well. Source: DCF 2.0, 5.2.3."""
_FIRST_TURNED = 5
"""Orientations from 5 on swap rows and columns."""
_CENTIMETRE = 3


@dataclass(frozen=True)
class Metadata:
    """Descriptive fields of the first page, and its sub-directories by pointer tag."""

    entries: Mapping[int, TiffEntry] = field(default_factory=dict)
    children: Mapping[int, NewDirectory] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    """Sentences about what could not be read."""


def adapt_to_srgb(metadata: Metadata, *, orientation: int) -> Metadata:
    """Return the metadata of the upright sRGB copy of a master of this orientation."""
    entries, children = dict(metadata.entries), dict(metadata.children)
    turned = orientation >= _FIRST_TURNED
    if turned:
        _swap_entries(entries, Tag.X_RESOLUTION, Tag.Y_RESOLUTION)
    exif = children.get(Tag.EXIF_IFD)
    if exif:
        fields = dict(exif.entries)
        if EXIF_COLOUR_SPACE in fields:
            fields[EXIF_COLOUR_SPACE] = shorts(_SRGB)
        inner = dict(exif.children)
        index = inner.get(Tag.INTEROPERABILITY_IFD)
        if index and index.entries.get(_INDEX) == text(_ADOBE_RGB):
            entries_of_index = {**index.entries, _INDEX: text(_BASIC)}
            inner[Tag.INTEROPERABILITY_IFD] = NewDirectory(entries_of_index, index.children)
        if turned:
            _swap_entries(fields, EXIF_WIDTH, EXIF_HEIGHT)
        children[Tag.EXIF_IFD] = NewDirectory(fields, inner)
    return Metadata(entries, children, metadata.losses)


def with_resolution(metadata: Metadata, dots_per_metre: tuple[float, float] | None) -> Metadata:
    """Add the resolution that a JPEG or PNG states outside EXIF, unless EXIF states one."""
    if not dots_per_metre or Tag.X_RESOLUTION in metadata.entries:
        return metadata
    across, down = (
        TiffEntry(Type.RATIONAL, 1, longs(round(value * 100), 10_000).data)
        for value in dots_per_metre
    )
    entries = {
        **metadata.entries,
        Tag.X_RESOLUTION: across,
        Tag.Y_RESOLUTION: down,
        Tag.RESOLUTION_UNIT: shorts(_CENTIMETRE),
    }
    return Metadata(entries, metadata.children, metadata.losses)


def select_tags(metadata: Metadata, tags: frozenset[int]) -> Metadata:
    """Return the fields in `tags`, of the page and of its sub-directories."""
    children = {
        tag: NewDirectory(kept, {})
        for tag, child in metadata.children.items()
        if (kept := _select_entries(child.entries, tags))
    }
    return Metadata(_select_entries(metadata.entries, tags), children)


def as_exif(metadata: Metadata) -> bytes:
    """Return an EXIF block, to follow "Exif\\0\\0" in a JPEG; b"" if there are no fields."""
    if not metadata.entries and not metadata.children:
        return b""
    layout = lay_out([NewDirectory(dict(metadata.entries), dict(metadata.children))])
    return layout.head + layout.tail


def _swap_entries(entries: dict[int, TiffEntry], one: int, other: int) -> None:
    if one in entries and other in entries:
        entries[one], entries[other] = entries[other], entries[one]


def _select_entries(entries: Mapping[int, TiffEntry], tags: frozenset[int]) -> dict[int, TiffEntry]:
    return {tag: entry for tag, entry in entries.items() if tag in tags}
