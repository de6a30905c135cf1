"""A pyramid whose head is in memory: its tiles are one read away, or none."""

from collections.abc import Sequence

from vitrine.deliver.blocks.cache import CachedFile
from vitrine.deliver.pyramids.head import Head
from vitrine.errors import Unavailable
from vitrine.iiif.region import Box
from vitrine.records import Live

_START, _END = b"\xff\xd8", b"\xff\xd9"
_KEPT_BYTES = 256 << 10
"""Of the smallest levels: thumbnails of images that are seldom zoomed into."""
_FIXED_BYTES = 16 << 10
"""Memory of an opened pyramid besides its indexes, roughly."""


class OpenPyramid:
    """One version of one access master; full resolution is level 0."""

    __slots__ = ("__weakref__", "file", "head_ranges", "icc", "image", "levels", "memory_bytes")

    def __init__(self, image: Live, file: CachedFile, head: Head) -> None:
        self.image = image
        self.file = file
        self.levels = head.levels
        self.icc = head.icc
        """The profile of the pixels, b"" where there is none."""
        self.head_ranges: Sequence[tuple[int, int]] = head.ranges
        """Offset and length of the directories and of the values that readers of pixels want."""
        self.memory_bytes = (
            _FIXED_BYTES
            + len(head.icc)
            + sum(level.index_bytes + len(level.tables) for level in head.levels)
        )

    def peek_tile(self, level: int, column: int, row: int) -> bytes | None:
        """The tile as it is stored, unchecked; None when it has to be fetched.

        Raises IndexError where there is no such tile, Unavailable where it lies outside the file.
        """
        return self.file.peek(*self.levels[level].tile_range(column, row))

    async def tile(self, level: int, column: int, row: int) -> bytes:
        """The tile as it is stored: where it is JPEG, from SOI to EOI.

        What is damaged is fetched once more. Raises IndexError, Unavailable, and Replaced when
        the store holds another object by now.
        """
        stored = self.levels[level]
        offset, length = stored.tile_range(column, row)
        for _ in range(2):
            data = await self.file.read(offset, length)
            if not stored.passes_through or is_whole(data, length):
                return data
            self.file.forget(offset, length)
        raise Unavailable("the access master is damaged: a tile is no JPEG stream")

    def forget_damaged(self, level: int, box: Box) -> bool:
        """Have those tiles under `box` (pixels of the level) fetched anew that are here, but no
        whole JPEG streams; whether there are any. A pinned one goes when it is not pinned."""
        stored = self.levels[level]
        if not stored.passes_through:
            return False
        damaged = [place for place in stored.tile_ranges(box) if not self._is_whole(*place)]
        for offset, length in damaged:
            self.file.forget(offset, length)
        return bool(damaged)

    def _is_whole(self, offset: int, length: int) -> bool:
        ends = self.file.peek(offset, 2), self.file.peek(offset + length - 2, 2)
        return ends == (_START, _END)

    def level_ranges(self, level: int, box: Box) -> list[tuple[int, int]]:
        """Offset and length of all tiles of a level under `box`, in pixels of that level.

        Raises Unavailable.
        """
        return self.levels[level].ranges(box)

    def kept_ranges(self) -> list[tuple[int, int]]:
        """What is to stay on disk longest: the head, and the smallest levels."""
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
    """Whether a JPEG stream has its `length`, and starts and ends as it must."""
    return len(stream) == length and stream.startswith(_START) and stream.endswith(_END)
