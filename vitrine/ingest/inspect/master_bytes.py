"""A master's bytes, read at a position, wherever they are stored."""

import os
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, Self

from vitrine.ingest.rejections import too_expensive_to_read
from vitrine.store.ranged import BLOCK_BYTES, RangedFile

_MAX_BYTES = 60_000


class MasterBytes(Protocol):
    """The port of header readers and decoders; `vitrine.store.ranged.RangedFile` is one."""

    size: int
    """Bytes in all."""

    def read_at(self, position: int, size: int) -> bytes:
        """Read at least one and up to `size` bytes, b"" from the end on."""
        ...


class LocalFile:
    """A file on local disk. Read, not mapped: mapped pages would count as our memory."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self._descriptor).st_size

    def read_at(self, position: int, size: int) -> bytes:
        """Read up to `size` bytes, b"" from the end on."""
        # Small blocks come from the heap; large ones would be mapped and cleared each time.
        size = min(size, _MAX_BYTES)
        if position >= self.size:
            return b""  # the system rejects positions that a damaged header may contain
        return os.pread(self._descriptor, size, position)

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class WithoutRanges:
    """A file without some of its ranges, each its position and its bytes, in ascending order."""

    def __init__(self, file: MasterBytes, ranges: Sequence[tuple[int, int]]) -> None:
        self._file = file
        self._starts, self._shifts = [0], [0]
        for position, length in ranges:
            self._starts.append(position - self._shifts[-1])
            self._shifts.append(self._shifts[-1] + length)
        self.size = file.size - self._shifts[-1]

    def read_at(self, position: int, size: int) -> bytes:
        """Read up to `size` bytes, b"" from the end on; never across a range that is left out."""
        number = bisect_right(self._starts, position)
        if number < len(self._starts):
            size = min(size, self._starts[number] - position)
        return self._file.read_at(position + self._shifts[number - 1], size)


class BoundedBytes:
    """A master's bytes while its structure is read: the reads and bytes of one pass are limited.

    The limits are those of the work that any reader of ours does, whatever a file contains: less
    than a second and a second for each 100 MB. In a context, they end with it: what was made from
    these bytes then reads pixels.
    """

    def __init__(self, file: MasterBytes) -> None:
        self._file = file
        self.size = file.size
        self._reads, self._bytes = most_reads(file.size), most_bytes(file.size)
        self._bounded = True

    def read_at(self, position: int, size: int) -> bytes:
        """Read up to `size` bytes. Raises MasterRejected with code too-expensive-to-read."""
        data = self._file.read_at(position, size)
        if self._bounded:
            self._reads -= 1
            self._bytes -= len(data)
            if self._reads < 0:
                raise too_expensive_to_read(f"more than {most_reads(self.size):,} pieces")
            if self._bytes < 0:
                raise too_expensive_to_read(f"more than {most_bytes(self.size):,} bytes")
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._bounded = False


def most_reads(file_bytes: int) -> int:
    """Return the most reads of one pass: sound files have pieces of more than 256 bytes."""
    return 200_000 + file_bytes // 256


def most_bytes(file_bytes: int) -> int:
    """Return the most bytes of one pass: indexes are read several times, pixels once."""
    return (4 << 20) + 4 * file_bytes


class BoundedRequests:
    """A master in a store: the requests that are sent for its header are limited.

    Each takes some 20 ms. Reads that go back and forth between far parts of a file cost one each.
    """

    def __init__(self, file: RangedFile, most_pages: int) -> None:
        self._file = file
        self._most = most_requests(file.size, most_pages)
        self.size = file.size

    def read_at(self, position: int, size: int) -> bytes:
        """Read up to `size` bytes. Raises MasterRejected with code too-expensive-to-read."""
        if self._file.reads > self._most:
            raise too_expensive_to_read(f"more than {self._most:,} requests to the store")
        return self._file.read_at(position, size)


def most_requests(file_bytes: int, most_pages: int) -> int:
    """Return the most requests for a header: a page takes two, and a file may be read twice."""
    return 1_000 + 4 * most_pages + 2 * file_bytes // BLOCK_BYTES


class Prefixed:
    """`head`, followed by `file` from byte `start` on: a master with a header of ours."""

    def __init__(self, head: bytes, file: MasterBytes, start: int = 0) -> None:
        self._head = head
        self._file = file
        self._shift = start - len(head)
        self.size = len(head) + max(file.size - start, 0)

    @property
    def head(self) -> bytes:
        """The header of ours."""
        return self._head

    @property
    def start(self) -> int:
        """Position in the file of what follows the header."""
        return self._shift + len(self._head)

    def read_at(self, position: int, size: int) -> bytes:
        """Read up to `size` bytes, b"" from the end on; never across the end of `head`."""
        if position < len(self._head):
            return self._head[position : position + size]
        return self._file.read_at(position + self._shift, size)
