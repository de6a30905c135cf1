"""A pyramid whose head is in memory: a tile takes one read at most."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from vitrine.deliver.blocks.cache import CachedFile
from vitrine.deliver.pyramids.head import PyramidHead
from vitrine.deliver.pyramids.level import StoredLevel, TileRanges
from vitrine.deliver.pyramids.quarantine import Quarantine
from vitrine.deliver.pyramids.reading import run_over_blocks
from vitrine.errors import DamagedAccessMaster, Unavailable
from vitrine.iiif.region import Box
from vitrine.records import Live
from vitrine.store.tiff.checksums import WrongChecksum, crc32c, extend_crc32c
from vitrine.store.tiff.reading import ReadRange

TRIES = 4
"""Fetches of bytes that prove wrong, after which an answer is given up."""
_KEPT_BYTES = 256 << 10
"""Bytes of the smallest levels: for thumbnails of images that are rarely zoomed into."""
_FIXED_BYTES = 16 << 10
"""Estimated memory of an opened pyramid without its indexes."""
_MAX_TAIL_BYTES = 4 << 20
"""A longer tail (layers of other programs) is not read whole for one value's checksum."""

T = TypeVar("T")


class OpenPyramid:
    """One version of one access master; full resolution is level 0."""

    __slots__ = (
        "__weakref__",
        "_checksums",
        "_head_checksum",
        "_quarantine",
        "file",
        "head_ranges",
        "icc",
        "image",
        "levels",
        "levels_are_pages",
        "memory_bytes",
    )

    def __init__(
        self, image: Live, file: CachedFile, head: PyramidHead, quarantine: Quarantine | None = None
    ) -> None:
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
        self._quarantine = quarantine or Quarantine()
        self._checksums = head.checksums
        self._head_checksum = head.checksums.head if head.checksums else None

    @property
    def is_sealed(self) -> bool:
        """True if the file has checksums of all its bytes."""
        return self._checksums is not None

    def peek_tile(self, level: int, column: int, row: int) -> bytes | None:
        """Return the tile as it is stored, or None if it has to be fetched (again).

        Raises IndexError if there is no such tile, Unavailable if it is outside the file.
        """
        stored = self.levels[level]
        offset, length = stored.tile_range(column, row)
        data = self.file.peek(offset, length)
        if data is None or stored.accepts(row * stored.columns + column, data):
            return data
        if not stored.passes_through:
            return data
        self.file.forget(offset, length)
        return None

    async def tile(self, level: int, column: int, row: int) -> bytes:
        """Return the tile as it is stored: a JPEG from SOI to EOI.

        A damaged tile is fetched again, past the disk. Raises IndexError, Unavailable, and Replaced
        when the store now holds another object.
        """
        stored = self.levels[level]
        number, extent = row * stored.columns + column, stored.tile_range(column, row)
        self.check_quarantine([extent])
        data = await self.file.read(*extent)
        if not stored.passes_through or stored.accepts(number, data):
            return data
        self.file.forget(*extent)
        if (sound := await self._fetch_sound(stored, number, extent)) is not None:
            return sound
        self._quarantine_ranges([extent])
        raise DamagedAccessMaster("the access master is damaged: a tile is not the one written")

    async def _fetch_sound(
        self, stored: StoredLevel, number: int, extent: tuple[int, int]
    ) -> bytes | None:
        """Return a tile from the store, None if it is damaged there. Raises as `tile` does."""
        for _ in range(TRIES - 1):
            if stored.accepts(number, data := await self.file.fetch(*extent)):
                return data
        return None

    def check_quarantine(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Raise DamagedAccessMaster if one of the ranges was lately fetched in vain."""
        self._quarantine.check(self._object_name, (offset for offset, _ in ranges))

    async def hold_damaged(
        self, level: int, tiles: TileRanges, damaged: Sequence[tuple[int, int]]
    ) -> None:
        """Have requests leave alone those damaged ones of `tiles` that the store has damaged.

        Raises as `tile` does.
        """
        stored = self.levels[level]
        for number, extent in tiles.items():
            if extent in damaged and await self._fetch_sound(stored, number, extent) is None:
                self._quarantine_ranges([extent])

    def _quarantine_ranges(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Quarantine ranges, if the file itself has the checksums that prove them damaged."""
        if self.is_sealed:
            self._quarantine.hold(self._object_name, (offset for offset, _ in ranges))

    @property
    def _object_name(self) -> str:
        return f"{self.file.key} {self.file.etag}"

    def find_damaged(self, path: Path, level: int, tiles: TileRanges) -> list[tuple[int, int]]:
        """Return offset and length of what is damaged in the local file at `path`.

        That is the head, or some of `tiles` of the level. They must be pinned; a thread may call
        this. Raises OSError.
        """
        stored = self.levels[level]
        descriptor = os.open(path, os.O_RDONLY)
        try:
            damaged = [] if self._is_head_sound(descriptor) else list(self.head_ranges)
            if not stored.passes_through:
                return damaged
            for number, (offset, length) in tiles.items():
                if not stored.accepts(number, os.pread(descriptor, length, offset)):
                    damaged.append((offset, length))
        finally:
            os.close(descriptor)
        return damaged

    def _is_head_sound(self, descriptor: int) -> bool:
        """Compare the head on disk with what was opened, or was first read of it here."""
        checksum = 0
        for offset, length in self.head_ranges:
            checksum = extend_crc32c(checksum, os.pread(descriptor, length, offset))
        if self._head_checksum is None:
            self._head_checksum = checksum
        return checksum == self._head_checksum

    def forget(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Have damaged ranges fetched again; pinned ones are removed when they are unpinned."""
        for offset, length in ranges:
            self.file.forget(offset, length)

    async def read_metadata(self, work: Callable[[ReadRange], T], *, with_tail: bool) -> T:
        """Return the result of `work`, which reads values of the file, as they were written.

        It begins again whenever bytes had to be fetched: it must be quick, pure, and let through
        what its argument raises. Values in the tail are judged `with_tail` only. Raises
        Unavailable, Replaced.
        """
        ranges = self._metadata_ranges(with_tail=with_tail)
        for _ in range(TRIES):
            try:
                return await run_over_blocks(
                    self.file, lambda read: self._judge_bytes(read, ranges, work)
                )
            except WrongChecksum:
                self.forget(list(ranges))
        raise DamagedAccessMaster("the access master is damaged: its metadata is not as written")

    def _metadata_ranges(self, *, with_tail: bool) -> dict[tuple[int, int], int]:
        """Return the checksums of head and tail, where the file has them, by offset and length."""
        if self._checksums is None or self._head_checksum is None:
            return {}
        ranges = {(0, self._checksums.head_bytes): self._head_checksum}
        length = self._checksums.tail_bytes
        if with_tail and 0 < length <= _MAX_TAIL_BYTES:
            ranges[self.file.size - length, length] = self._checksums.tail
        return ranges

    @staticmethod
    def _judge_bytes(
        read: ReadRange, ranges: dict[tuple[int, int], int], work: Callable[[ReadRange], T]
    ) -> T:
        for extent, checksum in ranges.items():
            if crc32c(read(*extent)) != checksum:
                raise WrongChecksum("Its metadata are not those that were written.")
        return work(read)

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
