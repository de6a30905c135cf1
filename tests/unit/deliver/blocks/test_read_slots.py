"""Reads of the store begin by what waits for them: a stranger's never holds up a tile."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.unit.deliver.blocks.block_store import BLOCK, NotingStore, opened
from vitrine.deliver.blocks.read_slots import ReadSlots, Urgency, current_urgency, reading_for
from vitrine.deliver.blocks.source import CONNECTIONS


async def hold(slots: ReadSlots, urgency: Urgency, begun: list[Urgency]) -> None:
    async with slots.slot(urgency):
        begun.append(urgency)
        await asyncio.Event().wait()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_large_renders_leave_a_third_of_the_slots_to_what_is_quick() -> None:
    slots, begun = ReadSlots(6), list[Urgency]()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(hold(slots, Urgency.LARGE, begun)) for _ in range(10)]
        await settle()
        assert len(begun) == 4
        tasks += [group.create_task(hold(slots, Urgency.TILE, begun)) for _ in range(2)]
        await settle()
        assert begun[4:] == [Urgency.TILE] * 2
        for task in tasks:
            task.cancel()


async def test_a_slot_that_comes_free_is_for_the_most_urgent() -> None:
    slots, begun = ReadSlots(1), list[Urgency]()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(slots.slot(Urgency.TILE))
        order = (Urgency.LARGE, Urgency.SMALL, Urgency.TILE, Urgency.SMALL)
        tasks = []
        for urgency in order:
            tasks.append(asyncio.create_task(hold(slots, urgency, begun)))
            await settle()
    await settle()
    for task in (tasks[2], tasks[1], tasks[3], tasks[0]):
        task.cancel()
        await settle()
    assert begun == [Urgency.TILE, Urgency.SMALL, Urgency.SMALL, Urgency.LARGE]


async def test_a_waiting_read_that_a_tile_joins_becomes_as_urgent() -> None:
    slots, begun = ReadSlots(1), list[Urgency]()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(slots.slot(Urgency.TILE))
        others = [asyncio.create_task(hold(slots, Urgency.SMALL, begun)) for _ in range(3)]
        joined = asyncio.create_task(hold(slots, Urgency.LARGE, begun))
        await settle()
        slots.promote([joined], Urgency.TILE)
    await settle()
    assert begun == [Urgency.LARGE]
    slots.promote([joined], Urgency.TILE)  # it reads already
    for task in (joined, *others):
        task.cancel()
        await settle()
    async with slots.slot(Urgency.LARGE):  # nothing was lost
        pass


async def test_callers_that_leave_take_no_slot_with_them() -> None:
    slots, begun = ReadSlots(3), list[Urgency]()
    for _ in range(20):
        tasks = [asyncio.create_task(hold(slots, Urgency.LARGE, begun)) for _ in range(6)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    large, more = slots.slot(Urgency.LARGE), slots.slot(Urgency.LARGE)
    async with asyncio.timeout(1), large, more, slots.slot(Urgency.TILE):
        pass


async def test_tasks_read_for_what_began_them() -> None:
    async def look() -> Urgency:
        return current_urgency()

    with reading_for(Urgency.LARGE):
        task = asyncio.create_task(look())
    assert await task is Urgency.LARGE
    assert current_urgency() is Urgency.TILE


@pytest.mark.slow
async def test_a_tile_of_a_cold_image_does_not_wait_for_whole_images_of_others(
    tmp_path: Path,
) -> None:
    store = NotingStore()
    strangers = [f"stranger-{number}" for number in range(8)]
    for key in strangers:
        store.fill(key, 400 * BLOCK)
    store.fill("visitor", 400 * BLOCK)
    async with opened(store, tmp_path) as cache:
        files = [await cache.file(key) for key in strangers]
        mine = await cache.file("visitor")
        store.reads.clear()
        store.gate.clear()
        with reading_for(Urgency.LARGE):
            whole = [asyncio.create_task(file.read(0, 400 * BLOCK)) for file in files]
        while len(store.reads) < round(CONNECTIONS * 2 / 3):
            await asyncio.sleep(0.001)
        tile = asyncio.create_task(mine.read(300 * BLOCK, 1_000))
        while (300, 1) not in store.reads:
            await asyncio.sleep(0.001)
        # 8 x 8 reads wait, and none of them was let in before the tile's.
        assert len(store.reads) == round(CONNECTIONS * 2 / 3) + 1
        store.gate.set()
        await asyncio.gather(tile, *whole)
