"""Heads of huge pyramids around tiles of nothing: what opening them costs, in no time."""

import struct
from collections.abc import Mapping, Sequence

from tests.unit.deliver.pyramids.open_rig import CountingStore
from tests.unit.ingest.made_pyramids import ENCODER, PROFILE
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages
from vitrine.ports import ObjectInfo, ObjectPart
from vitrine.store.tiff.checksums import crc32c
from vitrine.store.tiff.entry import TiffEntry, longs, opaque, shorts
from vitrine.store.tiff.tags import Tag

Pieces = Mapping[int, bytes]


class HollowStore(CountingStore):
    """One object of `size` bytes: `pieces` by offset, zeros elsewhere."""

    def __init__(self, pieces: Pieces, size: int) -> None:
        super().__init__()
        self.pieces = pieces
        self.size = size

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        data = bytearray(max(0, min(length, self.size - start)))
        for offset, piece in self.pieces.items():
            first, last = max(offset, start), min(offset + len(piece), start + len(data))
            if first < last:
                data[first - start : last - start] = piece[first - offset : last - offset]
        self.reads.append((start, len(data)))
        return ObjectPart(bytes(data), '"hollow"', self.size)

    def head(self, key: str) -> ObjectInfo:
        raise NotImplementedError


def our_head(width: int, height: int, tile_bytes: int) -> tuple[Pieces, int]:
    """As our writer lays it out: directories first."""
    plan = plan_pages(width, height, ENCODER, profile=PROFILE, metadata=Metadata())
    checksum = crc32c(bytes(tile_bytes))
    for level, (level_width, level_height) in enumerate(plan.sizes):
        tiles = -(-level_width // 256) * -(-level_height // 256)
        plan.byte_counts[level].extend([tile_bytes] * tiles)
        plan.checksums[level].extend([checksum] * tiles)
    layout = plan.lay_out()
    return {0: layout.head}, layout.total_bytes


def libtiff_head(sizes: Sequence[tuple[int, int]], tile_bytes: int) -> tuple[Pieces, int]:
    """As libtiff lays it out: each level's tiles, its directory, its values."""
    pieces: dict[int, bytes] = {}
    at, place_of_next = 8, 4
    pointers: list[tuple[int, int]] = []
    for width, height in sizes:
        tiles = -(-width // 256) * -(-height // 256)
        offsets = range(at, at + tiles * tile_bytes, tile_bytes)
        at += tiles * tile_bytes
        pointers.append((place_of_next, at))
        directory = _directory(at, _entries(width, height, offsets, tile_bytes))
        place_of_next = at + 2 + 12 * struct.unpack_from("<H", directory)[0]
        pieces[at] = directory
        at += len(directory)
    header = bytearray(b"II*\0\0\0\0\0")
    for place, target in pointers:
        if place == 4:
            struct.pack_into("<I", header, 4, target)
        else:
            [start] = [s for s, piece in pieces.items() if s < place < s + len(piece)]
            changed = bytearray(pieces[start])
            struct.pack_into("<I", changed, place - start, target)
            pieces[start] = bytes(changed)
    return {0: bytes(header), **pieces}, at


def _entries(width: int, height: int, offsets: range, tile_bytes: int) -> dict[int, TiffEntry]:
    return {
        Tag.IMAGE_WIDTH: longs(width),
        Tag.IMAGE_LENGTH: longs(height),
        Tag.BITS_PER_SAMPLE: shorts(8, 8, 8),
        Tag.COMPRESSION: shorts(7),
        Tag.PHOTOMETRIC: shorts(2),
        Tag.SAMPLES_PER_PIXEL: shorts(3),
        Tag.TILE_WIDTH: shorts(256),
        Tag.TILE_LENGTH: shorts(256),
        Tag.TILE_OFFSETS: longs(*offsets),
        Tag.TILE_BYTE_COUNTS: longs(*[tile_bytes] * len(offsets)),
        Tag.JPEG_TABLES: opaque(ENCODER.tables),
        Tag.ICC_PROFILE: opaque(PROFILE),
    }


def _directory(start: int, entries: Mapping[int, TiffEntry]) -> bytes:
    """The directory at `start`, without a next one, and its values behind it."""
    values = start + 2 + 12 * len(entries) + 4
    fields, behind = [], []
    for tag, entry in sorted(entries.items()):
        value = entry.data
        if len(value) > 4:
            behind.append(value)
            value = struct.pack("<I", values)
            values += len(entry.data)
        fields.append(struct.pack("<HHI4s", tag, entry.type, entry.count, value))
    return b"".join((struct.pack("<H", len(entries)), *fields, bytes(4), *behind))


def halved(width: int, height: int, levels: int) -> list[tuple[int, int]]:
    """Sizes, each half of the one before, rounded down."""
    return [(width >> level, height >> level) for level in range(levels)]
