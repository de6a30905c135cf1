"""Metadata fields of a TIFF file of one page, embedded without touching its pixels.

A new directory is appended to the file, and the metadata of the old one is overwritten with zeros.
Source: TIFF 6.0, section 2.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from vitrine.deliver.embed.exif import exif_fields
from vitrine.deliver.embed.selection import DerivativeMetadata
from vitrine.deliver.embed.srgb import SRGB
from vitrine.store.tiff.entry import TiffEntry, opaque
from vitrine.store.tiff.tags import ITEM_BYTES, STRUCTURAL, Tag, Type

_HEADER = b"II*\0"
_COUNT, _FIELD, _OFFSET = struct.Struct("<H"), struct.Struct("<HHI4s"), struct.Struct("<I")
_KEPT = {*STRUCTURAL, Tag.X_RESOLUTION, Tag.Y_RESOLUTION, Tag.RESOLUTION_UNIT} - {
    Tag.ICC_PROFILE,
    Tag.SUB_IFDS,
}
_GRAY = (0, 1)
"""Photometric interpretations of one channel: white or black is zero."""

_Field = tuple[int, int, bytes]
"""Type, count, and the value or its offset."""


def embed_in_tiff(image: bytes, metadata: DerivativeMetadata) -> bytes:
    """Replace the metadata of a TIFF.

    Its own profile stays if `metadata` has no profile. Anything but a little-endian TIFF of one
    page returns unchanged.
    """
    try:
        old = _read_directory(image)
    except struct.error:
        return image
    if old is None:
        return image
    kept = {tag: field for tag, field in old.fields.items() if tag in _KEPT}
    if not metadata.icc and Tag.ICC_PROFILE in old.fields:
        kept[Tag.ICC_PROFILE] = old.fields[Tag.ICC_PROFILE]
    file = bytearray(image)
    for tag in old.fields.keys() - kept.keys():
        start, end = _value_extent(old.fields[tag])
        file[start:end] = bytes(end - start)
    file[old.start : old.end] = bytes(old.end - old.start)
    gray = int.from_bytes(kept[Tag.PHOTOMETRIC][2][:2], "little") in _GRAY
    entries = _list_entries(metadata, metadata.profile(gray=gray))
    exif = exif_fields(metadata.fields, srgb=metadata.icc == SRGB)
    if exif:
        kept[Tag.EXIF_IFD] = (Type.LONG, 1, _append_directory(file, {}, exif))
    file[len(_HEADER) : len(_HEADER) + _OFFSET.size] = _append_directory(file, kept, entries)
    return bytes(file)


@dataclass(frozen=True)
class _Directory:
    start: int
    end: int
    fields: Mapping[int, _Field]


def _read_directory(image: bytes) -> _Directory | None:
    """Read the directory, None for other files. Raises struct.error if it is cut off."""
    if not image.startswith(_HEADER):
        return None
    [start] = _OFFSET.unpack_from(image, len(_HEADER))
    [count] = _COUNT.unpack_from(image, start)
    end = start + _COUNT.size + count * _FIELD.size + _OFFSET.size
    [following] = _OFFSET.unpack_from(image, end - _OFFSET.size)
    block = image[start + _COUNT.size : end - _OFFSET.size]
    fields = {tag: (kind, items, value) for tag, kind, items, value in _FIELD.iter_unpack(block)}
    whole = all(_value_extent(field)[1] <= len(image) for field in fields.values())
    usable = whole and not following and start > len(_HEADER) and Tag.PHOTOMETRIC in fields
    return _Directory(start, end, fields) if usable else None


def _value_extent(field: _Field) -> tuple[int, int]:
    """Return start and end of a field's value in the file; 0 and 0 if it is in the field."""
    kind, count, value = field
    length = count * ITEM_BYTES.get(kind, 1)
    if length <= len(value):
        return 0, 0
    [start] = _OFFSET.unpack(value)
    return start, start + length


def _list_entries(metadata: DerivativeMetadata, profile: bytes) -> dict[int, TiffEntry]:
    entries = dict(metadata.fields.entries)
    if metadata.xmp:
        entries[Tag.XMP] = opaque(metadata.xmp, Type.BYTE)
    if profile:
        entries[Tag.ICC_PROFILE] = opaque(profile)
    return entries


def _append_directory(
    file: bytearray, fields: Mapping[int, _Field], entries: Mapping[int, TiffEntry]
) -> bytes:
    """Append a directory of ready fields and new entries, and return its offset, packed."""
    packed = dict(fields)
    for tag, entry in entries.items():
        value = entry.data.ljust(_OFFSET.size, b"\0")
        if len(value) > _OFFSET.size:
            value = _append_data(file, value)
        packed[tag] = (entry.type, entry.count, value)
    body = b"".join(_FIELD.pack(tag, *packed[tag]) for tag in sorted(packed))
    return _append_data(file, _COUNT.pack(len(packed)) + body + bytes(_OFFSET.size))


def _append_data(file: bytearray, data: bytes) -> bytes:
    file += bytes(len(file) % 2)
    offset = _OFFSET.pack(len(file))
    file += data
    return offset
