"""The blocks of a file that is read by ranges: near ones together, each of them once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from zlib import crc32

ReadRange = Callable[[int, int], bytes]
"""(offset, length) -> that many bytes, fewer only where the file ends."""
GAP_BYTES = 64 << 10
"""Two ranges with less between them are read as one: S3 sends that in the time of a request."""
_READS_AT_ONCE = 8


class UnusableIndex(ValueError):
    """The bytes are no index of this form, or they are damaged."""


class RangedBlocks:
    """Blocks that follow each other in a file, by their numbers. What was read is kept."""

    def __init__(
        self,
        read: ReadRange,
        start: int,
        sizes: Sequence[int],
        checksums: Sequence[int],
        beginning: bytes = b"",
    ) -> None:
        """Know where blocks are: the first begins at `start`.

        `sizes` and `checksums` (CRC-32) are those of each block, `beginning` is what was read of
        the file before.
        """
        self._read = read
        self._offsets = list(accumulate(sizes, initial=start))
        self._checksums = checksums
        self._beginning = beginning
        self._kept: dict[int, bytes] = {}

    @property
    def kept_bytes(self) -> int:
        """Bytes of what was read."""
        return len(self._beginning) + sum(map(len, list(self._kept.values())))

    def forget(self) -> None:
        """Drop the blocks that were read."""
        self._kept = {}

    def size(self, number: int) -> int:
        """Return the bytes of a block."""
        size: int = self._offsets[number + 1] - self._offsets[number]
        return size

    def read(self, numbers: Sequence[int]) -> list[bytes]:
        """Return blocks by their numbers, which rise.

        Raises UnusableIndex if a block is cut or damaged, and what reading raises.
        """
        kept = self._kept
        missing = [number for number in numbers if number not in kept]
        spans: list[list[int]] = []
        for number in missing:
            if self._offsets[number + 1] <= len(self._beginning):
                self._keep(kept, [number], 0, self._beginning)
            elif spans and self._offsets[number] - self._offsets[spans[-1][-1] + 1] <= GAP_BYTES:
                spans[-1].append(number)
            else:
                spans.append([number])
        self._read_spans(kept, spans)
        return [kept[number] for number in numbers]

    def _read_spans(self, kept: dict[int, bytes], spans: Sequence[list[int]]) -> None:
        def read(span: list[int]) -> None:
            start, end = self._offsets[span[0]], self._offsets[span[-1] + 1]
            self._keep(kept, span, start, self._read(start, end - start))

        if len(spans) == 1:
            read(spans[0])
        elif spans:
            with ThreadPoolExecutor(min(len(spans), _READS_AT_ONCE)) as threads:
                list(threads.map(read, spans))

    def _keep(self, kept: dict[int, bytes], numbers: list[int], start: int, body: bytes) -> None:
        for number in numbers:
            block = body[self._offsets[number] - start : self._offsets[number + 1] - start]
            if len(block) < self.size(number):
                raise UnusableIndex("it is shorter than its head says")
            if crc32(block) != self._checksums[number]:
                raise UnusableIndex("a block has another checksum")
            kept[number] = block
