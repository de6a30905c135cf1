"""A master's metadata, read from TIFF directories or from blocks of a JPEG, PNG, WebP or JP2."""

import struct
from collections.abc import Mapping
from typing import Any

from vitrine.ingest.convert.metadata.carried_metadata import Metadata, with_resolution
from vitrine.ingest.inspect.formats.photoshop_resources import (
    list_resources,
    pack_resource,
    split_photoshop,
)
from vitrine.store.tiff.entry import MalformedTiff, TiffEntry, opaque, text
from vitrine.store.tiff.reading import (
    DEFAULT_BOUNDS,
    Bounds,
    Directory,
    ReadRange,
    TiffReader,
    swap,
)
from vitrine.store.tiff.tags import DIRECTORY_POINTERS, STRUCTURAL, Tag, Type
from vitrine.store.tiff.writing import NewDirectory

_EXIF_SIGNATURE = b"Exif\0\0"
_IPTC_MARKER = b"\x1c"
_POINTER_TYPES = frozenset({Type.IFD, Type.IFD8})
_MILLIMETRES = 1_000
_EXIF_RESOURCE, _XMP_RESOURCE, _RESOLUTION_RESOURCE = 0x0422, 0x0424, 0x03ED
_KEPT_RESOURCES = frozenset({0x0404, 0x040A, 0x040B})
"""IPTC, copyright flag, address of the rights; the others describe layers, paths and windows."""
_RESOLUTION_BYTES, _METRES_PER_INCH = 16, 0.0254
_TOLD_IF_LOST = frozenset(
    {Tag.XMP, Tag.IPTC, Tag.PHOTOSHOP, Tag.EXIF_IFD, Tag.COPYRIGHT, Tag.ARTIST}
)
_TEXT_TAGS = {
    "Title": Tag.DOCUMENT_NAME,
    "Author": Tag.ARTIST,
    "Description": Tag.IMAGE_DESCRIPTION,
    "Copyright": Tag.COPYRIGHT,
    "Disclaimer": Tag.COPYRIGHT,
}
"""Fields for the texts of a PNG, by keyword: EXIF has none for a disclaimer."""


def from_tiff(read: ReadRange, size: int, page: int, bounds: Bounds = DEFAULT_BOUNDS) -> Metadata:
    """Read the metadata of a page of a TIFF; tags that it lacks are taken from the first page.

    `size` in bytes. A broken field is left out and reported in `losses`. Raises MalformedTiff when
    the directories themselves are broken.
    """
    reader = TiffReader(read, size, bounds)
    pages = reader.pages()
    collector = _Collector(reader)
    for number in dict.fromkeys((page, 0)):
        if number < len(pages):
            collector.add_page(pages[number])
    return collector.metadata()


def from_page(reader: TiffReader, page: Directory, only: frozenset[int] | None = None) -> Metadata:
    """Read the metadata of this page alone; with `only`, just these tags.

    A sub-directory is read when its own tag is in `only`.
    """
    collector = _Collector(reader, only)
    collector.add_page(page)
    return collector.metadata()


def from_image(image: Any) -> Metadata:
    """Read the metadata of a JPEG or WebP as libvips loaded it."""
    blocks = {
        name: image.get(field)
        for name, field in (("exif", "exif-data"), ("xmp", "xmp-data"), ("photoshop", "iptc-data"))
        if image.get_typeof(field)
    }
    stated = image.get_typeof("resolution-unit")
    resolution = (image.xres * _MILLIMETRES, image.yres * _MILLIMETRES) if stated else None
    return with_resolution(from_blocks(**blocks), resolution)


def from_photoshop(resources: bytes) -> Metadata:
    """Read the metadata in the image resources of a Photoshop file."""
    found: dict[int, bytes] = {}
    for number, data in list_resources(resources):
        found.setdefault(number, data)
    kept = b"".join(
        pack_resource(number, found[number]) for number in _KEPT_RESOURCES & found.keys()
    )
    metadata = from_blocks(
        exif=found.get(_EXIF_RESOURCE, b""), xmp=found.get(_XMP_RESOURCE, b""), photoshop=kept
    )
    stated = found.get(_RESOLUTION_RESOURCE, b"")
    if len(stated) < _RESOLUTION_BYTES:
        return metadata
    across, down = struct.unpack(">I4xI4x", stated[:_RESOLUTION_BYTES])
    per_metre = across / 65_536 / _METRES_PER_INCH, down / 65_536 / _METRES_PER_INCH
    return with_resolution(metadata, per_metre if across and down else None)


def with_texts(metadata: Metadata, texts: Mapping[str, str]) -> Metadata:
    """Add the texts of a PNG, by keyword, where EXIF is silent."""
    joined: dict[int, str] = {}
    for keyword, tag in _TEXT_TAGS.items():
        if keyword in texts and tag not in metadata.entries:
            joined[tag] = "; ".join(filter(None, (joined.get(tag, ""), texts[keyword])))
    added = {tag: text(value.replace("\0", " ")) for tag, value in joined.items()}
    return Metadata({**metadata.entries, **added}, metadata.children, metadata.losses)


def from_blocks(*, exif: bytes = b"", xmp: bytes = b"", photoshop: bytes = b"") -> Metadata:
    """Read the metadata in blocks of a JPEG, PNG, WebP or JP2."""
    metadata = _from_exif(exif.removeprefix(_EXIF_SIGNATURE)) if exif else Metadata()
    entries = dict(metadata.entries)
    if xmp:
        entries[Tag.XMP] = opaque(xmp, Type.BYTE)
    # In a TIFF, IPTC has a tag of its own; inside Photoshop's it would be a copy.
    iptc, others = split_photoshop(photoshop)
    if iptc:
        entries[Tag.IPTC] = opaque(iptc)
    if others:
        entries[Tag.PHOTOSHOP] = opaque(others, Type.BYTE)
    return Metadata(entries, metadata.children, metadata.losses)


class _Collector:
    """Collects fields of several directories; the first value of a tag counts."""

    def __init__(self, reader: TiffReader, only: frozenset[int] | None = None) -> None:
        self._reader = reader
        self._only = only
        self._entries: dict[int, TiffEntry] = {}
        self._children: dict[int, NewDirectory] = {}
        self._losses: list[str] = []

    def add_page(self, page: Directory) -> None:
        for tag in page.unknown_types.keys() & _TOLD_IF_LOST:
            number = page.unknown_types[tag]
            self._losses.append(f"Tag {tag} was left out. It has the unknown type {number}.")
        for tag in self._selected_tags(page):
            if tag in (Tag.EXIF_IFD, Tag.GPS_IFD):
                self._add_child(self._children, page, tag)
            elif tag not in STRUCTURAL and tag not in DIRECTORY_POINTERS:
                self._add_entry(self._entries, page, tag)

    def metadata(self) -> Metadata:
        return Metadata(self._entries, self._children, tuple(self._losses))

    def _selected_tags(self, directory: Directory) -> list[int]:
        only = self._only
        return [tag for tag in directory.tags() if only is None or tag in only]

    def _add_child(self, children: dict[int, NewDirectory], parent: Directory, tag: int) -> None:
        if tag in children:
            return
        try:
            directory = self._reader.directory(parent.integer(tag))
        except MalformedTiff as error:
            self._record_loss(tag, error)
            return
        child = children[tag] = NewDirectory({})
        for inner in self._selected_tags(directory):
            if inner not in DIRECTORY_POINTERS:
                self._add_entry(child.entries, directory, inner)
            elif tag == Tag.EXIF_IFD and inner == Tag.INTEROPERABILITY_IFD:
                self._add_child(child.children, directory, inner)

    def _add_entry(self, entries: dict[int, TiffEntry], directory: Directory, tag: int) -> None:
        if tag in entries:
            return
        try:
            entry = directory.entry(tag)
        except MalformedTiff as error:
            self._record_loss(tag, error)
            return
        if entry.count and entry.type not in _POINTER_TYPES:
            entries[tag] = _as_bytes(entry) if tag == Tag.IPTC else entry

    def _record_loss(self, tag: int, error: MalformedTiff) -> None:
        self._losses.append(f"Tag {int(tag)} was left out. {error}")


def _as_bytes(iptc: TiffEntry) -> TiffEntry:
    """Return IPTC in its own byte order: some writers let it swap as 32-bit integers."""
    if iptc.type == Type.LONG and not iptc.data.startswith(_IPTC_MARKER):
        swapped = swap(iptc.data, 4)
        if swapped.startswith(_IPTC_MARKER):
            return TiffEntry(iptc.type, iptc.count, swapped)
    return iptc


def _from_exif(block: bytes) -> Metadata:
    def read(offset: int, length: int) -> bytes:
        return block[offset : offset + length]

    try:
        return from_tiff(read, len(block), 0)
    except MalformedTiff as error:
        return Metadata(losses=(f"EXIF was left out. {error}",))
