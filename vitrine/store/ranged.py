"""An object of a store, read in blocks."""

from collections import OrderedDict
from functools import partial
from typing import Protocol

from vitrine.ports import ObjectStore
from vitrine.store.tiff.reading import ReadRange

BLOCK_BYTES = 256 * 1024
"""Best of the sizes measured: a header costs one read, a far directory one more."""

_BLOCKS_KEPT = 16


class Readable(Protocol):
    """Bytes that are read at a position."""

    def read_at(self, position: int, size: int) -> bytes:
        """Read at least one and up to `size` bytes, b"" from the end on."""
        ...


class RangedFile:
    """One version of one object of `size` bytes; the last few blocks are kept."""

    def __init__(self, store: ObjectStore, key: str, size: int, version: str = "") -> None:
        self._store = store
        self._key = key
        self._version = version
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self.size = size
        self.reads = 0
        """Number of requests sent to the store."""

    def read_at(self, position: int, size: int) -> bytes:
        """Read at least one and up to `size` bytes, b"" from the end on.

        Raises what the store does.
        """
        if position >= self.size:
            return b""
        block = self._block(position // BLOCK_BYTES)
        offset = position % BLOCK_BYTES
        return block[offset : offset + size]

    def _block(self, number: int) -> bytes:
        if number not in self._blocks:
            start = number * BLOCK_BYTES
            length = min(BLOCK_BYTES, self.size - start)
            part = self._store.read(self._key, start, length, version=self._version)
            self._blocks[number] = part.data
            self.reads += 1
        self._blocks.move_to_end(number)
        while len(self._blocks) > _BLOCKS_KEPT:
            self._blocks.popitem(last=False)
        return self._blocks[number]


def read_exactly(file: Readable, position: int, size: int) -> bytes:
    """Read `size` bytes at `position`, fewer where the file ends."""
    parts: list[bytes] = []
    while size > 0:
        part = file.read_at(position, size)
        if not part:
            break
        parts.append(part)
        position += len(part)
        size -= len(part)
    return b"".join(parts)


def whole_ranges(file: Readable) -> ReadRange:
    """Return reads of the exact length over a file whose reads may return less."""
    return partial(read_exactly, file)
