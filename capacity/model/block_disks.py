"""A task's disk of blocks, and the object store that it fills it from."""

from collections.abc import Iterable, Iterator
from math import exp
from random import Random

from capacity.engine.clock import MILLISECOND, SECOND
from capacity.engine.streams import draw_normal
from capacity.model.cost_profile import CostProfile
from capacity.model.recency_order import Recency
from capacity.model.request_demand import BlockLayout
from vitrine.deliver.blocks.runs import BLOCK_BYTES, RUN_BLOCKS

HEAD_BLOCKS = 2
"""The first read of a file, before anybody knows where its tiles lie."""
_HEAD = range(HEAD_BLOCKS)
_HEAD_MASK = (1 << HEAD_BLOCKS) - 1
_SEGMENT_SHIFT = 4
_SEGMENT_BLOCKS = 1 << _SEGMENT_SHIFT
"""Blocks that come and go together: the gateway evicts single ones, which would take eight times
the memory here."""
_ALL = (1 << _SEGMENT_BLOCKS) - 1
_FILE_SHIFT = 24
_NUMBERS = (1 << _FILE_SHIFT) - 1
_COMING = 256
_MEGA = 1_000_000
_Segments = list[tuple[int, int]]
"""Numbers of segments, each with the bits of its blocks that are meant."""


class Store:
    """The object store, counted."""

    def __init__(self, profile: CostProfile, draws: Random) -> None:
        self._first_byte = profile.store_first_byte_ms * MILLISECOND
        self._variation, self._draws = profile.store_variation, draws
        self._stream = SECOND / (profile.store_stream_megabytes * _MEGA)
        self.requests = self.bytes = 0

    def read(self, size: int) -> float:
        """Nanoseconds until the last of the bytes has come, if nothing else is under way."""
        self.requests += 1
        self.bytes += size
        latency = self._first_byte
        if self._variation:
            latency *= exp(draw_normal(self._draws, 0.0, self._variation))
        return latency + size * self._stream


class BlockDisk:
    """Blocks by file and number, the least recently used first to go.

    A read's end is known when it begins, so that who needs a block that is under way waits for
    it: each is read once, however many ask. All reads of a task share its line to the store; those
    of large renders let the others go first (`vitrine.deliver.blocks.read_slots`).
    """

    def __init__(self, capacity: int, store: Store, profile: CostProfile) -> None:
        self._capacity = max(1, capacity // BLOCK_BYTES)
        self._store = store
        self._line = SECOND / (profile.task_megabytes * _MEGA)
        self._line_free, self._urgent_free, self._now = 0.0, 0.0, 0
        """When the line is free for reads of large renders, and for all others."""
        self._urgent = True
        self._segments = Recency()
        """Which of its blocks there are, bit by bit."""
        self._coming: dict[int, int] = {}
        """When the blocks of a segment that are under way are there."""
        self._most_coming = _COMING
        self.blocks = 0

    def fetch(
        self,
        now: int,
        file: int,
        layout: BlockLayout,
        runs: Iterable[range],
        *,
        urgent: bool = True,
    ) -> int:
        """Read what is missing; return when (nanoseconds) all blocks of the file are on disk.

        What is not `urgent` waits until all reads before it are done; what is, for urgent ones.
        """
        self._now, self._urgent = now, urgent
        opened = self._open_file(now, file, layout)
        ready = opened
        for run in runs:
            arrived = self._load_blocks(opened, file, layout, run)
            if arrived > ready:
                ready = arrived
        return ready

    def fill(self, file: int, runs: Iterable[range]) -> None:
        """Before the first second: the blocks that such a fetch leaves behind."""
        for run in (_HEAD, *runs):
            for segment, mask in _touched_segments(file, run):
                self._add_blocks(segment, mask)
        self._evict_segments()

    def _open_file(self, now: int, file: int, layout: BlockLayout) -> int:
        """Return when the file's head is on disk, which it mostly is already."""
        segment, held = file << _FILE_SHIFT, self._segments
        present = held.get(segment, 0)
        if present & _HEAD_MASK != _HEAD_MASK:
            return self._load_blocks(now, file, layout, _HEAD)
        held.use(segment, present)
        coming = self._coming.get(segment, 0)
        return coming if coming > now else now

    def _load_blocks(self, start: int, file: int, layout: BlockLayout, run: range) -> int:
        """Return when these blocks are on disk; ask for what is missing at `start`."""
        held, coming, segments = self._segments, self._coming, _touched_segments(file, run)
        if len(segments) == 1 and not held.get(segments[0][0], 0) & segments[0][1]:
            # Mostly one segment is all, and nothing of it is here.
            return max(start, self._fetch_reads(start, layout, ((run, segments),)))
        ready, missing = start, []
        for segment, mask in segments:
            present = held.get(segment, 0)
            here = present & mask
            if here and segment in coming and coming[segment] > ready:
                ready = coming[segment]
            if here == mask:
                held.use(segment, present)
            else:
                missing.append((segment, mask & ~present))
        if missing:
            parts: Iterable[tuple[range, _Segments]] = ((run, segments),)
            if missing != segments or len(run) > RUN_BLOCKS:
                parts = (
                    (part, _touched_segments(file, part))
                    for part in _join_neighbours(missing, RUN_BLOCKS)
                )
            ready = max(ready, self._fetch_reads(start, layout, parts))
        return ready

    def _fetch_reads(
        self, start: int, layout: BlockLayout, parts: Iterable[tuple[range, _Segments]]
    ) -> int:
        """Return when the last block of these reads is on disk."""
        ready, coming = 0, self._coming
        for part, segments in parts:
            end = self._read_store(start, part, layout)
            if end > ready:
                ready = end
            for segment, mask in segments:
                self._add_blocks(segment, mask)
                coming[segment] = max(end, coming.get(segment, 0))
        if len(coming) > self._most_coming:
            self._forget_arrivals(start)
        if self.blocks > self._capacity:
            self._evict_segments()
        return ready

    def _forget_arrivals(self, now: int) -> None:
        self._coming = {key: end for key, end in self._coming.items() if end > now}
        self._most_coming = max(_COMING, 2 * len(self._coming))

    def _read_store(self, start: int, run: range, layout: BlockLayout) -> int:
        begin, end = run.start * BLOCK_BYTES, run.stop * BLOCK_BYTES
        size = end - begin if end <= layout.bytes else max(1, layout.bytes - begin)
        # From now on, also for what is asked for later: else the line would idle till then.
        took = size * self._line
        self._line_free = end_of_line = max(self._line_free, self._now) + took
        if self._urgent:
            self._urgent_free = end_of_line = max(self._urgent_free, self._now) + took
        return round(max(end_of_line, start + self._store.read(size)))

    def _add_blocks(self, segment: int, mask: int) -> None:
        present = self._segments.get(segment, 0)
        self._segments.use(segment, present | mask)
        self.blocks += (mask & ~present).bit_count()

    def _evict_segments(self) -> None:
        while self.blocks > self._capacity and len(self._segments) > 1:
            self.blocks -= self._segments.drop_oldest().bit_count()


def _touched_segments(file: int, run: range) -> _Segments:
    """Segments of a file that a run of blocks touches."""
    start, stop = run.start, run.stop
    first, last = start >> _SEGMENT_SHIFT, stop - 1 >> _SEGMENT_SHIFT
    file <<= _FILE_SHIFT
    offset = start & _SEGMENT_BLOCKS - 1
    if first == last:
        return [(file | first, ((1 << stop - start) - 1) << offset)]
    rest = (stop - 1 & _SEGMENT_BLOCKS - 1) + 1
    return [
        (file | first, _ALL & ~((1 << offset) - 1)),
        *((file | segment, _ALL) for segment in range(first + 1, last)),
        (file | last, (1 << rest) - 1),
    ]


def _join_neighbours(missing: _Segments, longest: int) -> Iterator[range]:
    """These blocks of segments, in reads of neighbours, each of a limited number."""
    blocks = [
        ((segment & _NUMBERS) << _SEGMENT_SHIFT) + bit
        for segment, mask in missing
        for bit in _list_bits(mask)
    ]
    first = 0
    for place in range(1, len(blocks) + 1):
        if (
            place == len(blocks)
            or blocks[place] != blocks[place - 1] + 1
            or place - first == longest
        ):
            yield range(blocks[first], blocks[place - 1] + 1)
            first = place


def _list_bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
