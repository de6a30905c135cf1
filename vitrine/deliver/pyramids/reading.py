"""Synchronous readers over a file whose blocks may be missing."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from vitrine.deliver.blocks.cache import CachedFile
from vitrine.errors import DamagedAccessMaster
from vitrine.store.tiff.reading import ReadRange

MAX_FETCHES = 64
"""Number of fetches for one reader: one that needs more was led astray by the file."""

T = TypeVar("T")
Ranges = Sequence[tuple[int, int]]


class MissingBytes(Exception):
    """The reader needs bytes that are not on disk yet."""

    def __init__(self, offset: int, length: int) -> None:
        super().__init__(f"{length} bytes at {offset} are not on disk")
        self.offset = offset
        self.length = length


def _exact_range(missing: MissingBytes) -> Ranges:
    return ((missing.offset, missing.length),)


async def run_over_blocks(
    file: CachedFile,
    work: Callable[[ReadRange], T],
    choose_ranges: Callable[[MissingBytes], Ranges] = _exact_range,
) -> T:
    """Return the result of `work`, which begins again whenever bytes had to be fetched.

    `work` must be quick, pure, and let through what its argument raises. `choose_ranges` returns
    the ranges to fetch when bytes are missing: it may be wise to fetch more. Raises what `work`
    does, Replaced, Unavailable.
    """

    def read(offset: int, length: int) -> bytes:
        data = file.peek(offset, length)
        if data is None:
            raise MissingBytes(offset, length)
        return data

    for _ in range(MAX_FETCHES):
        try:
            return work(read)
        except MissingBytes as missing:
            ranges = choose_ranges(missing)
        await asyncio.gather(*(file.read(offset, length) for offset, length in ranges))
    raise DamagedAccessMaster("the access master's head is scattered over the whole file")
