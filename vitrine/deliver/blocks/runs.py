"""Arithmetic of blocks: which blocks hold some bytes, and which are fetched by one read."""

from collections.abc import Iterable, Iterator, Sequence

BLOCK_SHIFT = 17
BLOCK_BYTES = 1 << BLOCK_SHIFT
"""128 KiB. Two are the first read (256 KiB open a cloud-optimised pyramid of a gigapixel); a tile
that straddles a boundary costs two."""

RUN_BLOCKS = 32
"""One read fetches at most 4 MiB: longer ones are quicker in parallel, and cheaper to repeat."""

_FILE_SYSTEM_BLOCK = 4096
_EXTENT_BYTES = 1024


def blocks_of(ranges: Iterable[tuple[int, int]], size: int) -> list[int]:
    """Return the blocks, ascending, that hold ranges (offset, length) of an object of `size`."""
    blocks: set[int] = set()
    for offset, length in ranges:
        end = min(offset + length, size)
        if 0 <= offset < end:
            blocks.update(range(offset >> BLOCK_SHIFT, ((end - 1) >> BLOCK_SHIFT) + 1))
    return sorted(blocks)


def runs(blocks: Sequence[int]) -> Iterator[range]:
    """Group ascending blocks into runs of neighbours, each of at most `RUN_BLOCKS`."""
    first = 0
    for index in range(1, len(blocks) + 1):
        whole = index - first == RUN_BLOCKS
        if index == len(blocks) or whole or blocks[index] != blocks[index - 1] + 1:
            yield range(blocks[first], blocks[index - 1] + 1)
            first = index


def extent(run: range, size: int) -> tuple[int, int]:
    """Return offset and length in bytes of a run in an object of `size` bytes."""
    start = run.start << BLOCK_SHIFT
    return start, min(run.stop << BLOCK_SHIFT, size) - start


def charge(run: range, size: int) -> int:
    """Return the bytes of disk that the blocks may take, with the file system's metadata.

    A sparse file's extents beyond the first four are in blocks of their own, which `st_blocks`
    counts: 4 KiB for some 170 to 340 extents, so 1 KiB per block is ample.
    """
    _, length = extent(run, size)
    return -(-length // _FILE_SYSTEM_BLOCK) * _FILE_SYSTEM_BLOCK + len(run) * _EXTENT_BYTES
