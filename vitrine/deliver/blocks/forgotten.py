"""Damaged blocks that are still pinned: they are removed when nobody reads them any more."""

import asyncio
from collections.abc import Iterable


class ForgottenBlocks:
    """The forgotten blocks of one file. Belongs to one event loop.

    Those who read them must not see new bytes in their place, or they could not find out that what
    they have read was damaged. So the next reader waits until the old ones are removed.
    """

    def __init__(self) -> None:
        self._blocks: set[int] = set()
        self._waiters: list[asyncio.Future[None]] = []

    def __contains__(self, block: int) -> bool:
        return block in self._blocks

    def add(self, blocks: Iterable[int]) -> None:
        """Note blocks that are damaged and pinned."""
        self._blocks.update(blocks)

    def discard(self, blocks: Iterable[int]) -> None:
        """Note that blocks were removed, and wake the readers that wait for it."""
        removed = self._blocks.intersection(blocks)
        self._blocks -= removed
        if removed:
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)
            self._waiters.clear()

    async def wait(self, blocks: Iterable[int]) -> None:
        """Return when none of the blocks is a forgotten one."""
        while self._blocks and not self._blocks.isdisjoint(blocks):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
