"""Metadata items of an AVIF, embedded without touching its pixels.

Its boxes are written again with the data of its items after them, so that nothing of metadata that
was in it stays. Sources: ISO/IEC 14496-12, 8.11 (items); ISO/IEC 23008-12, 6.5 and A.2 (HEIF).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.deliver.embed.selection import DerivativeMetadata

_FULL_BOX = 4
_INFE_VERSION, _INFE_ITEM, _INFE_TYPE = 2, slice(4, 6), slice(8, 12)
_EXIF, _MIME, _XMP_TYPE = b"Exif", b"mime", b"application/rdf+xml\0"
_METADATA = frozenset({_EXIF, _MIME})
_PROFILES = (b"prof", b"rICC")
_MONOCHROME = 0x10
_MAX_ITEMS, _MAX_PROPERTIES = 64, 0x7F
_NO_OFFSET = b"\0\0\0\0"
"""From the beginning of an item with EXIF to its TIFF header."""


class _UnusualAvif(Exception):
    """The file is no AVIF of the kind that encoders write, or is cut off."""


@dataclass
class _Avif:
    """The parts of an AVIF; items by their number."""

    file_type: bytes
    boxes: dict[bytes, bytes]
    """Boxes of the meta box that stay as they are, by type."""
    primary: int
    kinds: dict[int, bytes]
    """Content of each item's `infe`."""
    data: dict[int, bytes]
    references: list[tuple[bytes, bytes]]
    properties: list[tuple[bytes, bytes]]
    associations: dict[int, list[int]]
    """Numbers of an item's properties, counted from 1, with the flag that one is essential."""


def embed_in_avif(image: bytes, metadata: DerivativeMetadata) -> bytes:
    """Replace the metadata of an AVIF.

    Its own profile stays if `metadata` has no profile. Anything but an AVIF of a still picture
    returns unchanged.
    """
    try:
        avif = _read_avif(image)
        width, height, gray = _describe_picture(avif)
    except (_UnusualAvif, struct.error, IndexError, KeyError):
        return image
    _drop_metadata(avif)
    if profile := metadata.profile(gray=gray):
        _set_profile(avif, profile)
    if exif := metadata.exif(width, height, 1 if gray else 3):
        _add_item(avif, _EXIF + b"\0", _NO_OFFSET + exif)
    if metadata.xmp:
        _add_item(avif, _MIME + b"\0" + _XMP_TYPE, metadata.xmp)
    return _write_avif(avif)


def _read_avif(image: bytes) -> _Avif:
    boxes = dict(_list_boxes(image))
    file_type, meta = boxes.get(b"ftyp", b""), boxes.get(b"meta", b"")
    if b"avif" not in file_type or b"moov" in boxes:
        raise _UnusualAvif
    inner = dict(_list_boxes(meta[_FULL_BOX:]))
    properties = dict(_list_boxes(inner.pop(b"iprp")))
    described = inner.pop(b"iinf")
    kinds = {
        struct.unpack(">H", content[_INFE_ITEM])[0]: content
        for _, content in _list_boxes(described[_FULL_BOX + (4 if described[0] else 2) :])
        if content[0] == _INFE_VERSION
    }
    [primary] = struct.unpack_from(">H", inner.pop(b"pitm"), _FULL_BOX)
    data = _read_data(image, inner.pop(b"iloc"))
    if primary not in kinds or kinds.keys() != data.keys():
        raise _UnusualAvif
    return _Avif(
        file_type=file_type,
        primary=primary,
        kinds=kinds,
        data=data,
        references=list(_list_boxes(inner.pop(b"iref", bytes(_FULL_BOX))[_FULL_BOX:])),
        properties=list(_list_boxes(properties[b"ipco"])),
        associations=_read_associations(properties[b"ipma"]),
        boxes=inner,
    )


def _list_boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and content of each box. Raises struct.error, _UnusualAvif."""
    at = 0
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if not 8 <= length <= len(data) - at:
            raise _UnusualAvif
        yield kind, data[at + 8 : at + length]
        at += length


def _read_data(image: bytes, iloc: bytes) -> dict[int, bytes]:
    """Return the data of each item, wherever it is in the file."""
    version = iloc[0]
    offset_bytes, length_bytes = iloc[4] >> 4, iloc[4] & 15
    base_bytes, index_bytes = iloc[5] >> 4, iloc[5] & 15 if version else 0
    at = 6

    def number(width: int) -> int:
        nonlocal at
        at += width
        if at > len(iloc):
            raise _UnusualAvif
        return int.from_bytes(iloc[at - width : at])

    found: dict[int, bytes] = {}
    left = len(image)
    if version > 1 or (count := number(2)) > _MAX_ITEMS:
        raise _UnusualAvif
    for _ in range(count):
        item, method = number(2), number(2) if version else 0
        elsewhere, base, pieces = number(2), number(base_bytes), []
        for _ in range(number(2)):
            number(index_bytes)
            start, length = base + number(offset_bytes), number(length_bytes)
            left -= length
            if method or elsewhere or start + length > len(image) or left < 0:
                raise _UnusualAvif
            pieces.append(image[start : start + length])
        found[item] = b"".join(pieces)
    return found


def _read_associations(ipma: bytes) -> dict[int, list[int]]:
    wide = ipma[3] & 1
    if ipma[0]:
        raise _UnusualAvif
    [entries] = struct.unpack_from(">I", ipma, 4)
    found: dict[int, list[int]] = {}
    at = 8
    for _ in range(min(entries, _MAX_ITEMS)):
        item, count = struct.unpack_from(">HB", ipma, at)
        at += 3
        indexes = struct.unpack_from(f">{count}{'H' if wide else 'B'}", ipma, at)
        at += count << wide
        essential, most = (0x8000, 0x7FFF) if wide else (0x80, 0x7F)
        found[item] = [(0x80 if one & essential else 0) | one & most for one in indexes]
        if any(one & most >= _MAX_PROPERTIES for one in indexes):
            raise _UnusualAvif
    return found


def _describe_picture(avif: _Avif) -> tuple[int, int, bool]:
    """Return width and height, and if it is gray."""
    indexes = [index & 0x7F for index in avif.associations[avif.primary]]
    own = dict(avif.properties[index - 1] for index in indexes)
    width, height = struct.unpack_from(">II", own[b"ispe"], _FULL_BOX)
    return width, height, bool(own[b"av1C"][2] & _MONOCHROME)


def _drop_metadata(avif: _Avif) -> None:
    dropped = {item for item, kind in avif.kinds.items() if kind[_INFE_TYPE] in _METADATA}
    for item in dropped:
        for of_items in (avif.kinds, avif.data, avif.associations):
            of_items.pop(item, None)
    avif.references = [
        (kind, content)
        for kind, content in avif.references
        if int.from_bytes(content[:2]) not in dropped
    ]


def _set_profile(avif: _Avif, profile: bytes) -> None:
    """Give the primary item this profile in place of its own."""
    described = b"colr", b"prof" + profile
    for index in avif.associations[avif.primary]:
        kind, content = avif.properties[(index & 0x7F) - 1]
        if kind == b"colr" and content[:4] in _PROFILES:
            avif.properties[(index & 0x7F) - 1] = described
            return
    avif.properties.append(described)
    avif.associations[avif.primary].append(len(avif.properties))


def _add_item(avif: _Avif, kind: bytes, data: bytes) -> None:
    """Add an item that describes the primary one; `kind` is its type and what follows that."""
    item = max(avif.kinds) + 1
    avif.kinds[item] = struct.pack(">IHH", 2 << 24, item, 0) + kind
    avif.data[item] = data
    avif.references.append((b"cdsc", struct.pack(">HHH", item, 1, avif.primary)))


def _write_avif(avif: _Avif) -> bytes:
    properties = _pack_box(b"ipco", b"".join(_pack_box(*each) for each in avif.properties))
    associations = struct.pack(">II", 0, len(avif.associations)) + b"".join(
        struct.pack(f">HB{len(indexes)}B", item, len(indexes), *indexes)
        for item, indexes in avif.associations.items()
    )
    kinds = b"".join(_pack_box(b"infe", content) for content in avif.kinds.values())
    references = b"".join(_pack_box(*each) for each in avif.references)
    parts = [
        _pack_box(b"hdlr", avif.boxes.pop(b"hdlr", b"")),
        _pack_box(b"pitm", struct.pack(">IH", 0, avif.primary)),
        _pack_box(b"iinf", struct.pack(">IH", 0, len(avif.kinds)) + kinds),
        _pack_box(b"iref", bytes(_FULL_BOX) + references) if references else b"",
        _pack_box(b"iprp", properties + _pack_box(b"ipma", associations)),
        *(_pack_box(*each) for each in avif.boxes.items()),
    ]
    head = _pack_box(b"ftyp", avif.file_type)
    located = _locations_box(avif.data, 0)
    before = len(head) + 8 + _FULL_BOX + sum(map(len, parts)) + len(located) + 8
    parts.insert(2, _locations_box(avif.data, before))
    body = b"".join(avif.data.values())
    return head + _pack_box(b"meta", bytes(_FULL_BOX) + b"".join(parts)) + _pack_box(b"mdat", body)


def _locations_box(data: dict[int, bytes], start: int) -> bytes:
    """Return the box that says where each item's data is, the first at `start`."""
    content = struct.pack(">IBBH", 0, 0x44, 0, len(data))
    for item, piece in data.items():
        content += struct.pack(">HHHII", item, 0, 1, start, len(piece))
        start += len(piece)
    return _pack_box(b"iloc", content)


def _pack_box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), kind) + content
