"""What every fuzz target watches: which exceptions, which reads, how much memory and time."""

import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from zlib import crc32

SECONDS = 2.0
"""CPU time of one input, under instrumentation."""
MEMORY_EACH = 32
"""One input in this many has its memory traced: tracing costs half the speed."""


class VirtualFile:
    """A file that is mostly zeros: four bytes of length, then its first bytes.

    So that a few kilobytes of input make a megabyte in which offsets point far.
    """

    MAX_SIZE = 1 << 20

    def __init__(self, data: bytes) -> None:
        self._head = data[4:]
        self.size = int.from_bytes(data[:4], "little") % (self.MAX_SIZE + 1)
        self.read_bytes = 0

    def read(self, offset: int, length: int) -> bytes:
        """Read like a `ReadRange`; raises AssertionError for a read that leaves the file."""
        assert offset >= 0, f"reads at {offset}"
        assert length >= 0, f"reads {length} bytes"
        assert offset + length <= self.size, f"reads {length} at {offset} of {self.size}"
        self.read_bytes += length
        return self._head[offset : offset + length].ljust(length, b"\0")


def virtual(data: bytes, size: int = 0) -> bytes:
    """Return a target's input for a file of `data`, filled up with zeros to `size` bytes."""
    size = min(size or len(data), VirtualFile.MAX_SIZE)
    return size.to_bytes(4, "little") + data


def watched(
    check: Callable[[bytes], None], peak_bytes: int, *, memory_each: int = MEMORY_EACH
) -> Callable[[bytes], None]:
    """Return `check` bounded in CPU time and, for one input in `memory_each`, in memory."""

    def watch(data: bytes) -> None:
        trace = crc32(data) % memory_each == 0
        with _traced(peak_bytes) if trace else nullcontext():
            begun = time.process_time()
            check(data)
            seconds = time.process_time() - begun
        assert seconds < SECONDS, f"takes {seconds:.1f} s"

    return watch


@contextmanager
def _traced(peak_bytes: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < peak_bytes, f"takes {peak:,} bytes"
