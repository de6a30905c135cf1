"""Runs a synchronous reader over a file whose blocks may be missing."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from vitrine.deliver.blocks.cache import CachedFile
from vitrine.errors import Unavailable
from vitrine.store.tiff.reading import ReadRange

MOST_FETCHES = 64
"""Of one piece of work: a reader that hops further through the file is led astray."""

T = TypeVar("T")
Ranges = Sequence[tuple[int, int]]


class MissingBytes(Exception):
    """The work needs bytes that are not here yet."""

    def __init__(self, offset: int, length: int) -> None:
        super().__init__(f"{length} bytes from {offset} on")
        self.offset = offset
        self.length = length


def _only(missing: MissingBytes) -> Ranges:
    return ((missing.offset, missing.length),)


async def run_over_blocks(
    file: CachedFile,
    work: Callable[[ReadRange], T],
    wanted: Callable[[MissingBytes], Ranges] = _only,
) -> T:
    """What `work` makes of the file, begun anew whenever bytes had to be fetched.

    `work` must be quick, pure, and let through what its argument raises. `wanted` says which
    ranges to fetch when some are missing: more than those may be wise. Raises what `work` does,
    Replaced, Unavailable.
    """

    def read(offset: int, length: int) -> bytes:
        data = file.peek(offset, length)
        if data is None:
            raise MissingBytes(offset, length)
        return data

    for _ in range(MOST_FETCHES):
        try:
            return work(read)
        except MissingBytes as missing:
            ranges = wanted(missing)
        await asyncio.gather(*(file.read(offset, length) for offset, length in ranges))
    raise Unavailable("the access master's head is scattered all over it")
