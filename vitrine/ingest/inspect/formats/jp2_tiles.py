"""The tile-parts of a codestream: all must exist, and end where they say.

The decoder fills a missing tile with gray. Source: ISO/IEC 15444-1, A.4.2 and B.9.
"""

import struct

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.jp2_codestream import (
    CODING,
    COMPONENT_CODING,
    TILE_PART,
    Codestream,
)
from vitrine.ingest.inspect.formats.jp2_coding import read_coding
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

_DATA, _END = 0xFF93, 0xFFD9
_HEAD_BYTES, _HEAD_LENGTH = 12, 10
_MAX_PARTS = 1_000_000
_MAX_MARKERS = 1_000


def check_tiles(file: MasterBytes, codestream: Codestream) -> None:
    """Raise MasterRejected, damaged-file, unless all tile-parts are complete.

    A tile that needs more memory than the main header says is unsupported-compression.
    """
    end = codestream.start + codestream.length
    position = codestream.tile_parts
    seen: dict[int, tuple[int, int]] = {}
    """By tile: parts that were seen, and how many there should be (0: not stated)."""
    for _ in range(_MAX_PARTS):
        head = read_exactly(file, position, min(_HEAD_BYTES, max(end - position, 0)))
        if head[:2] == _END.to_bytes(2):
            _check_complete(codestream, seen)
            return
        if len(head) < _HEAD_BYTES:
            break
        marker, length, tile, part_bytes, part, parts = struct.unpack(">HHHIBB", head)
        if marker != TILE_PART or length != _HEAD_LENGTH or tile >= codestream.tiles:
            raise rejections.damaged_file(f"byte {position:,} does not begin a tile")
        part_end = position + part_bytes if part_bytes else end - 2
        if part_end > end - 2 or part_end < position + _HEAD_BYTES + 2:
            raise rejections.damaged_file(
                f"tile {tile} at byte {position:,} announces {part_bytes:,} bytes, "
                f"{end - position:,} are left"
            )
        before, announced = seen.get(tile, (0, 0))
        if part != before:
            raise rejections.damaged_file(f"part {before} of tile {tile} is missing")
        seen[tile] = before + 1, parts or announced
        _check_part(file, position + _HEAD_BYTES, part_end, codestream)
        position = part_end
    raise rejections.damaged_file(f"the codestream ends at byte {position:,}, without its end mark")


def _check_complete(codestream: Codestream, seen: dict[int, tuple[int, int]]) -> None:
    if len(seen) < codestream.tiles:
        missing = next(tile for tile in range(codestream.tiles) if tile not in seen)
        raise rejections.damaged_file(
            f"{codestream.tiles - len(seen):,} of {codestream.tiles:,} tiles are missing, "
            f"the first is tile {missing}"
        )
    for tile, (present, announced) in seen.items():
        if announced and present != announced:
            raise rejections.damaged_file(f"tile {tile} has {present} of {announced} parts")


def _check_part(file: MasterBytes, position: int, end: int, codestream: Codestream) -> None:
    """Check the markers between a tile-part's head and its data."""
    size = {
        "components": codestream.components,
        "tile_width": codestream.tile_width,
        "tile_height": codestream.tile_height,
    }
    for _ in range(_MAX_MARKERS):
        head = read_exactly(file, position, 4)
        if head[:2] == _DATA.to_bytes(2):
            return
        if len(head) < 4:
            break
        marker, length = struct.unpack(">HH", head)
        if marker < 0xFF00 or length < 2 or position + 2 + length > end - 2:
            break
        if marker in (CODING, COMPONENT_CODING):
            payload = read_exactly(file, position + 4, length - 2)
            coding = read_coding(payload, marker == COMPONENT_CODING, size, [codestream.coding])
            if coding.structure_bytes > codestream.coding.structure_bytes:
                raise rejections.unsupported_compression("JPEG 2000 with tiles of different coding")
        position += 2 + length
    raise rejections.damaged_file(f"byte {position:,} is not a marker of a tile")
