"""The main header of a JPEG 2000 codestream: size, components, tiles, and how they are coded.

Source: ISO/IEC 15444-1, annex A; ISO/IEC 15444-15 (HTJ2K), annex A. What OpenJPEG 2.5.4 needs for
a picture was measured (docs/explanations/jpeg-2000.md).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.jp2_coding import Coding, largest, read_coding
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

START, SIZE, CODING, COMPONENT_CODING, TILE_PART = 0xFF4F, 0xFF51, 0xFF52, 0xFF53, 0xFF90
_SIZE_BYTES, _COMPONENT_BYTES = 36, 3
_SIGNED = 0x80
_MAX_MARKERS = 10_000
_MAX_COMPONENTS = 16
"""Colours, transparency and some selections; each takes memory in every tile."""
_MAX_TILES, _MAX_BITS = 65_535, 16
_SAMPLE_BYTES = 4
"""OpenJPEG's samples, whatever their depth."""
_TILE_BYTES, _TILE_COMPONENT_BYTES = 6_000, 1_100
"""Bytes that it allocates for each tile of the file, and for each component of it, at once."""


@dataclass(frozen=True, kw_only=True)
class Codestream:
    """A codestream's position in the file (bytes), and its picture. Sizes in pixels."""

    start: int
    length: int
    tile_parts: int
    """Position of the first tile-part, bytes."""
    width: int
    height: int
    components: int
    bits: int
    """Bits of every component: 1 to 16, unsigned."""
    tiles: int
    tile_width: int
    tile_height: int
    coding: Coding

    @property
    def decoder_bytes(self) -> int:
        """Most memory that decoding takes, with its result."""
        pixels = self.width * self.height
        tile_pixels = self.tile_width * self.tile_height if self.tiles > 1 else 0
        result_bytes = 1 if self.bits <= 8 else 2
        samples = (pixels + tile_pixels) * _SAMPLE_BYTES + pixels * result_bytes
        tile = _TILE_BYTES + self.components * _TILE_COMPONENT_BYTES
        return (
            2 * self.length  # as we read it, and as the decoder keeps it
            + self.components * samples
            + self.tiles * tile
            + self.coding.structure_bytes
        )


def read_codestream(file: MasterBytes, start: int, length: int, most_pixels: int) -> Codestream:
    """Read the main header of the codestream in these bytes of `file`. Raises MasterRejected."""
    markers = _read_markers(file, start, start + length)
    name, place, size_bytes = next(markers)
    if name != SIZE:
        raise rejections.unreadable_file("the codestream does not begin with its size")
    size = _parse_size(read_exactly(file, place, size_bytes), most_pixels)
    codings: list[Coding] = []
    for name, place, payload_bytes in markers:
        if name in (CODING, COMPONENT_CODING):
            payload = read_exactly(file, place, payload_bytes)
            codings.append(read_coding(payload, name == COMPONENT_CODING, size, codings))
        if name == TILE_PART:
            if not codings:
                raise rejections.unreadable_file("the codestream does not say how it is coded")
            return Codestream(
                start=start,
                length=length,
                tile_parts=place - 4,
                coding=largest(codings),
                **size,
            )
    raise rejections.unreadable_file("the codestream ends before its pixels begin")


def _read_markers(file: MasterBytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield each marker after the first, with position and bytes of its payload."""
    if read_exactly(file, start, 2) != START.to_bytes(2):
        raise rejections.unreadable_file("there is no codestream where it should begin")
    position = start + 2
    for _ in range(_MAX_MARKERS):
        head = read_exactly(file, position, 4)
        if len(head) < 4:
            break
        name, length = struct.unpack(">HH", head)
        if name < 0xFF00 or length < 2 or position + 2 + length > end:
            raise rejections.damaged_file(f"byte {position:,} is not a marker of a codestream")
        yield name, position + 4, length - 2
        position += 2 + length
    raise rejections.unreadable_file("the codestream ends, or is damaged, before its pixels begin")


def _parse_size(payload: bytes, most_pixels: int) -> dict[str, int]:
    """Parse the SIZ marker (A.5.1). Raises MasterRejected."""
    if len(payload) < _SIZE_BYTES:
        raise rejections.damaged_file("the codestream's size is cut off")
    _, right, bottom, left, top, tile_w, tile_h, tile_x, tile_y, count = struct.unpack_from(
        ">H8IH", payload
    )
    width, height = right - left, bottom - top
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    if width <= 0 or height <= 0:
        raise rejections.damaged_file(f"its header says {width} x {height} pixels")
    if not 1 <= count <= _MAX_COMPONENTS:
        raise rejections.unsupported_colour(f"a JPEG 2000 of {count:,} components")
    if not (tile_x <= left < tile_x + tile_w and tile_y <= top < tile_y + tile_h):
        raise rejections.damaged_file(f"its header says tiles of {tile_w} x {tile_h} pixels")
    tiles = -(-(right - tile_x) // tile_w) * -(-(bottom - tile_y) // tile_h)
    if tiles > _MAX_TILES:
        raise rejections.damaged_file(f"its header says {tiles:,} tiles")
    return {
        "width": width,
        "height": height,
        "components": count,
        "bits": _parse_bits(payload[_SIZE_BYTES:], count),
        "tiles": tiles,
        "tile_width": min(tile_w, width),
        "tile_height": min(tile_h, height),
    }


def _parse_bits(payload: bytes, count: int) -> int:
    """Return the bits of a sample, the same for all components. Raises MasterRejected."""
    if len(payload) != count * _COMPONENT_BYTES:
        raise rejections.damaged_file("the codestream's components are cut off")
    [depth, *others] = payload[::_COMPONENT_BYTES]
    bits = (depth & ~_SIGNED) + 1
    if depth & _SIGNED or bits > _MAX_BITS or any(other != depth for other in others):
        depths = {
            f"{(d & 127) + 1}-bit {'signed' if d & _SIGNED else 'unsigned'}" for d in payload[::3]
        }
        raise rejections.unsupported_depth(f"{', '.join(sorted(depths))} samples in a JPEG 2000")
    if any(step != 1 for step in payload[1::3] + payload[2::3]):
        raise rejections.unsupported_colour("a JPEG 2000 with subsampled components")
    return bits
