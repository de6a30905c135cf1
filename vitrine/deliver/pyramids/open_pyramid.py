"""A pyramid whose head is in memory: a tile takes one read at most."""

from collections.abc import Sequence

from vitrine.deliver.blocks.cache import CachedFile
from vitrine.deliver.pyramids.head import Head
from vitrine.errors import DamagedAccessMaster, Unavailable
from vitrine.iiif.region import Box
from vitrine.records import Live

_START, _END = b"\xff\xd8", b"\xff\xd9"
_JOINT = _END + _START
_KEPT_BYTES = 256 << 10
"""Bytes of the smallest levels: for thumbnails of images that are rarely zoomed into."""
_FIXED_BYTES = 16 << 10
"""Estimated memory of an opened pyramid without its indexes."""


class OpenPyramid:
    """One version of one access master; full resolution is level 0."""

    __slots__ = (
        "__weakref__",
        "file",
        "head_ranges",
        "icc",
        "image",
        "levels",
        "levels_are_pages",
        "memory_bytes",
    )

    def __init__(self, image: Live, file: CachedFile, head: Head) -> None:
        self.image = image
        self.file = file
        self.levels = head.levels
        self.levels_are_pages = head.levels_are_pages
        self.icc = head.icc
        """The profile of the pixels, b"" if the file has no profile."""
        self.head_ranges: Sequence[tuple[int, int]] = head.ranges
        """Offset and length of the directories and of the values that readers of pixels need."""
        self.memory_bytes = (
            _FIXED_BYTES
            + len(head.icc)
            + sum(level.index_bytes + len(level.tables) for level in head.levels)
        )

    def peek_tile(self, level: int, column: int, row: int) -> bytes | None:
        """Return the tile as it is stored, unchecked, or None if it has to be fetched.

        Raises IndexError if there is no such tile, Unavailable if it is outside the file.
        """
        return self.file.peek(*self.levels[level].tile_range(column, row))

    async def tile(self, level: int, column: int, row: int) -> bytes:
        """Return the tile as it is stored: a JPEG from SOI to EOI.

        A damaged tile is fetched again, once. Raises IndexError, Unavailable, and Replaced when
        the store now holds another object.
        """
        stored = self.levels[level]
        offset, length = stored.tile_range(column, row)
        for _ in range(2):
            data = await self.file.read(offset, length)
            if not stored.passes_through or is_whole(data, length):
                return data
            self.file.forget(offset, length)
        raise DamagedAccessMaster("the access master is damaged: a tile is not a JPEG stream")

    def forget_damaged(self, level: int, box: Box) -> bool:
        """Have the damaged tiles under `box` (pixels of the level) fetched again.

        Returns True if a tile on disk is not a whole JPEG stream. Pinned ones are removed when they
        are unpinned.
        """
        stored = self.levels[level]
        if not stored.passes_through:
            return False
        damaged = self._find_damaged(sorted(stored.tile_ranges(box)))
        for offset, length in damaged:
            self.file.forget(offset, length)
        return bool(damaged)

    def _find_damaged(self, tiles: list[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the tiles, of some ordered by offset, that do not start and end as they must.

        Where one follows another, one read shows both.
        """
        damaged: set[tuple[int, int]] = set()
        peek, before, end = self.file.peek, (0, 0), -1
        for tile in tiles:
            offset, length = tile
            if offset == end:
                seen = peek(end - 2, 4) or b""
                if seen == _JOINT:
                    before, end = tile, offset + length
                    continue
                is_ended, is_started = seen[:2] == _END, seen[2:] == _START
            else:
                is_ended = end < 0 or peek(end - 2, 2) == _END
                is_started = peek(offset, 2) == _START
            if not is_ended:
                damaged.add(before)
            if not is_started:
                damaged.add(tile)
            before, end = tile, offset + length
        if end >= 0 and peek(end - 2, 2) != _END:
            damaged.add(before)
        return damaged

    def level_ranges(self, level: int, box: Box) -> list[tuple[int, int]]:
        """Return offset and length of all tiles of a level under `box`, in pixels of that level.

        Raises Unavailable.
        """
        return self.levels[level].ranges(box)

    def kept_ranges(self) -> list[tuple[int, int]]:
        """Return what stays on disk longest: the head, and the smallest levels."""
        ranges = list(self.head_ranges)
        left = _KEPT_BYTES
        for stored in reversed(self.levels):
            left -= sum(stored.counts)
            if left < 0:
                break
            try:
                ranges += stored.ranges(Box(0, 0, stored.width, stored.height))
            except Unavailable:
                break
        return ranges


def is_whole(stream: bytes, length: int) -> bool:
    """Return True if a JPEG stream has its `length`, and starts and ends as it must."""
    return len(stream) == length and stream.startswith(_START) and stream.endswith(_END)
