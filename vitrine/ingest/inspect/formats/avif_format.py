"""An AVIF's boxes: the picture that it shows first, and its colours.

Sources: ISO/IEC 14496-12 (boxes), 8.11; ISO/IEC 23008-12 (HEIF), 6.5; AV1 Image File Format 1.2.
"""

import struct
from dataclasses import dataclass, field

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import (
    MasterNote,
    animation_stilled,
    gain_map_left_out,
)
from vitrine.ingest.inspect.formats.code_points import profile_by_code_points
from vitrine.ingest.inspect.formats.jp2_boxes import contents, find_boxes, inner_boxes
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.master_bytes import MasterBytes

_NO_SUPERBOXES: frozenset[bytes] = frozenset()
_ALPHA = (b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0", b"urn:mpeg:hevc:2015:auxid:1\0")
_DECODER_BYTES_PER_PIXEL = 24
"""The decoder's planes, its converted picture, and libvips' copy, up to 16 bits a sample."""
_MAX_TILE = 4_096 * 4_096
_PROFILES = (b"prof", b"rICC")
_SEQUENCE, _TONE_MAPPED = b"avis", b"tmap"
_MAX_ASSOCIATIONS = 100_000
_MAX_META_BYTES, _REFERENCE_BYTES = 4 * 1024 * 1024, 1_000
_Property = tuple[bytes, bytes]


@dataclass
class _Meta:
    primary: int = 0
    properties: dict[int, list[_Property]] = field(default_factory=dict)
    """Name and content of each property, by the item that it belongs to."""
    auxiliary: list[int] = field(default_factory=list)
    """Items that belong to the primary one: its transparency, its depth."""
    notes: tuple[MasterNote, ...] = ()


def read_avif(file: MasterBytes, most_pixels: int) -> PictureFormat:
    """Read the AVIF's picture format. Raises MasterRejected."""
    boxes = find_boxes(file)
    described = next((box for box in boxes if box.name == b"meta"), None)
    if described is None:
        raise rejections.unreadable_file("the AVIF has no box that describes its picture")
    if described.length > _MAX_META_BYTES:
        raise rejections.too_expensive_to_read(f"an AVIF's box of {described.length:,} bytes")
    try:
        meta = _read_meta(contents(file, described))
        return _describe_picture(
            meta, most_pixels, animated=_SEQUENCE in contents(file, boxes[0])[:4]
        )
    except (struct.error, IndexError) as error:
        raise rejections.unreadable_file("the AVIF's boxes are too short") from error


def _describe_picture(meta: _Meta, most_pixels: int, *, animated: bool) -> PictureFormat:
    properties = meta.properties.get(meta.primary, [])
    sizes = [content for name, content in properties if name == b"ispe"]
    if not sizes:
        raise rejections.unreadable_file("the AVIF does not say how large its picture is")
    width, height = struct.unpack_from(">II", sizes[0], 4)
    coded_bytes = width * height * _DECODER_BYTES_PER_PIXEL
    # Tiles of a grid and transparency are decoded as well; tiles may reach beyond the picture.
    for item in meta.properties.values():
        for content in (content for name, content in item if name == b"ispe"):
            cell = struct.unpack_from(">II", content, 4)
            _check_size(cell[0], cell[1], most_pixels + _MAX_TILE)
    width, height = _clean_aperture(properties, width, height)
    _check_size(width, height, most_pixels)
    turns = sum(content[0] & 3 for name, content in properties if name == b"irot")
    if turns % 2:
        width, height = height, width
    transparent = any(
        name == b"auxC" and content[4:].startswith(_ALPHA)
        for item in meta.auxiliary
        for name, content in meta.properties.get(item, [])
    )
    icc, made_icc = _read_colours(properties)
    return PictureFormat(
        width=width,
        height=height,
        colour="rgb",
        bits=8 if _sample_bits(properties) == 8 else 16,
        compression="AV1",
        extra_bands=int(transparent),
        alpha=0 if transparent else None,
        icc=icc,
        made_icc=made_icc,
        decoder_bytes=coded_bytes,
        notes=_animation_notes(animated=animated) + meta.notes,
    )


def _read_meta(data: bytes) -> _Meta:
    meta = _Meta()
    container: list[_Property] = []
    references = associations = b""
    for name, content in inner_boxes(data[4:], frozenset({b"iprp"})):
        if name == b"pitm":
            meta.primary = int.from_bytes(content[4:8] if content[0] else content[4:6])
        elif name == b"ipco":
            container = list(inner_boxes(content, _NO_SUPERBOXES))
        elif name == b"ipma":
            associations = content
        elif name == b"iref":
            references = content
        elif name == b"iinf" and _TONE_MAPPED in content:
            meta.notes = (gain_map_left_out("AVIF"),)
    for item, index in _read_associations(associations):
        if 0 < index <= len(container):
            meta.properties.setdefault(item, []).append(container[index - 1])
    meta.auxiliary = _read_auxiliary(references, meta.primary)
    return meta


def _read_associations(data: bytes) -> list[tuple[int, int]]:
    """Return items and the numbers, from 1, of their properties."""
    if not data:
        return []
    long_items, long_indexes = data[0] >= 1, data[3] & 1
    [entries] = struct.unpack_from(">I", data, 4)
    found: list[tuple[int, int]] = []
    at = 8
    for _ in range(min(entries, _MAX_ASSOCIATIONS)):
        wide = 4 if long_items else 2
        item, count = int.from_bytes(data[at : at + wide]), data[at + wide]
        at += wide + 1
        for _ in range(count):
            index = (
                struct.unpack_from(">H", data, at)[0] & 0x7FFF if long_indexes else data[at] & 0x7F
            )
            found.append((item, index))
            at += 2 if long_indexes else 1
    return found


def _read_auxiliary(data: bytes, primary: int) -> list[int]:
    if not data:
        return []
    wide = 4 if data[0] else 2
    found = []
    for name, content in inner_boxes(data[4:], _NO_SUPERBOXES):
        numbers = [content[at : at + wide] for at in range(wide + 2, _REFERENCE_BYTES, wide)]
        if name == b"auxl" and primary in map(int.from_bytes, numbers):
            found.append(int.from_bytes(content[:wide]))
    return found


def _check_size(width: int, height: int, most_pixels: int) -> None:
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    if not width or not height:
        raise rejections.unreadable_file(f"its header says {width} x {height} pixels")


def _clean_aperture(properties: list[_Property], width: int, height: int) -> tuple[int, int]:
    """Return the size of the part to show, which a `clap` states as two fractions (12.1.4)."""
    for content in (content for name, content in properties if name == b"clap"):
        across, across_unit, down, down_unit = struct.unpack_from(">4I", content)
        if not across_unit or not down_unit:
            raise rejections.unreadable_file("the AVIF's clean aperture has no size")
        width = min(round(across / across_unit), width)
        height = min(round(down / down_unit), height)
    return width, height


def _sample_bits(properties: list[_Property]) -> int:
    """Return the bits of a sample, of the picture or of the tiles that it is made of."""
    for name, content in properties:
        if name == b"pixi":
            return max(content[5 : 5 + content[4]], default=8)
        if name == b"av1C":
            return 10 if content[2] & 0x40 else 8
    return 8


def _read_colours(properties: list[_Property]) -> tuple[bytes | None, bytes | None]:
    """Return the embedded profile, else one made of the code points. Raises MasterRejected."""
    described = [content for name, content in properties if name == b"colr"]
    profile = next((content[4:] for content in described if content[:4] in _PROFILES), None)
    points = next((content for content in described if content[:4] == b"nclx"), None)
    if points is None:
        return profile, None
    primaries, transfer = struct.unpack_from(">HH", points, 4)
    made = profile_by_code_points(primaries, transfer, "rgb")
    return profile, None if profile else made


def _animation_notes(*, animated: bool) -> tuple[MasterNote, ...]:
    return (animation_stilled("AVIF"),) if animated else ()
