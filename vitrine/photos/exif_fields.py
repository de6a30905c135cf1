"""EXIF as fields with names: numbers, texts, and lists of them.

Source: Exif 3.0 (CIPA DC-008), 4.6.2 (types); names as Pillow has them.
"""

import math
import struct
from collections.abc import Mapping
from typing import Any

from PIL.ExifTags import GPSTAGS, IFD, TAGS

from vitrine.deliver.embed.iptc import decode_text
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.store.tiff.entry import TiffEntry
from vitrine.store.tiff.tags import Tag, Type

MAX_CHARACTERS = 2_000
"""Characters of a text; longer ones are cut off."""
_MAX_ITEMS = 64
"""Items of a list; longer ones are data, not a description."""
_CODES: dict[int, str] = {
    Type.BYTE: "B",
    Type.SHORT: "H",
    Type.LONG: "I",
    Type.SBYTE: "b",
    Type.SSHORT: "h",
    Type.SLONG: "i",
    Type.FLOAT: "f",
    Type.DOUBLE: "d",
}
_FRACTIONS: dict[int, str] = {Type.RATIONAL: "I", Type.SRATIONAL: "i"}
_LEFT_OUT = frozenset({Tag.XMP, Tag.IPTC, Tag.PHOTOSHOP, Tag.ICC_PROFILE, 0x927C})
"""They have fields of their own here; and the maker's note, which only its maker can read."""
_CHARSETS = {b"ASCII\0\0\0": "ascii", b"UNICODE\0": "utf-16", b"\0" * 8: "utf-8"}
"""Encodings of a comment. Source: Exif 3.0, 4.6.6.1, UserComment."""
Value = str | int | float | list[int | float]


def exif_fields(metadata: Metadata, *, gps: bool) -> dict[str, Any]:
    """Return the fields by name; where the photograph was taken is `GPSInfo`, only with `gps`."""
    found: dict[str, Any] = dict(_named(metadata.entries, TAGS))
    exif = metadata.children.get(Tag.EXIF_IFD)
    found |= _named(exif.entries, TAGS) if exif else {}
    place = metadata.children.get(Tag.GPS_IFD)
    if gps and place:
        found[IFD.GPSInfo.name] = _named(place.entries, GPSTAGS)
    return found


def _named(entries: Mapping[int, TiffEntry], names: Mapping[int, str]) -> dict[str, Value]:
    found = {}
    for tag, entry in entries.items():
        name = names.get(tag)
        if name and tag not in _LEFT_OUT and (value := _value(entry)) is not None:
            found[name] = value
    return found


def _value(entry: TiffEntry) -> Value | None:
    """Return the value; None for bytes without a meaning, and for no number."""
    if entry.type == Type.ASCII:
        return decode_text(entry.data.partition(b"\0")[0])[:MAX_CHARACTERS].strip() or None
    if entry.type == Type.UNDEFINED:
        return _undefined(entry.data)
    if entry.count > _MAX_ITEMS:
        return None
    numbers = _numbers(entry)
    if not numbers or not all(math.isfinite(number) for number in numbers):
        return None
    return numbers[0] if len(numbers) == 1 else numbers


def _numbers(entry: TiffEntry) -> list[int | float]:
    if code := _FRACTIONS.get(entry.type):
        flat = struct.unpack(f"<{2 * entry.count}{code}", entry.data)
        pairs = zip(flat[::2], flat[1::2], strict=True)
        return [round(over / under, 8) if under else math.nan for over, under in pairs]
    code = _CODES.get(entry.type)
    return list(struct.unpack(f"<{entry.count}{code}", entry.data)) if code else []


def _undefined(data: bytes) -> str | None:
    charset = _CHARSETS.get(data[:8])
    if charset:
        data = data[8 : 8 + 4 * MAX_CHARACTERS]
        text = data.decode(charset, "replace")
    else:  # versions, such as 0232
        text = data.decode("ascii", "replace") if len(data) <= 16 else "\0"
    text = text.strip("\0 ")
    return text[:MAX_CHARACTERS] if text.isprintable() and "\ufffd" not in text and text else None
