"""Who is let in, who waits, who is refused; and what happens to those who go away."""

import asyncio
import gc
import threading
from collections.abc import Callable

import pytest

from tests.patience import until_in_loop
from tests.unit.deliver.pyramids.open_rig import in_loop
from tests.unit.deliver.render.gate import Gate, admitted
from vitrine.deliver.render.job import Abandoned, RenderJob
from vitrine.deliver.render.pool import PoolSize, RenderPool
from vitrine.errors import Unavailable


def small_pool(renders: int = 1, waiting: int = 1, memory_bytes: int = 100) -> RenderPool:
    return RenderPool(
        "large", PoolSize(renders=renders, waiting=waiting, memory_bytes=memory_bytes)
    )


@in_loop
async def test_one_render_too_many_is_refused_at_once_with_a_time_to_retry() -> None:
    pool, gates = small_pool(), [Gate(), Gate()]
    tasks = [asyncio.create_task(admitted(pool, gate)) for gate in gates]
    await until_in_loop(gates[0].begun.is_set)
    with pytest.raises(Unavailable, match="busy with large renders"):
        await admitted(pool, Gate())
    for gate in gates:
        gate.may_end.set()
    assert await asyncio.gather(*tasks) == ["done", "done"]
    quick = Gate()
    quick.may_end.set()
    assert await admitted(pool, quick) == "done"
    pool.close()


@in_loop
async def test_who_has_waited_too_long_is_refused_and_frees_its_place() -> None:
    size = PoolSize(renders=1, waiting=1, memory_bytes=100, patience_seconds=0.01)
    pool, first, last = RenderPool("large", size), Gate(), Gate()
    running = asyncio.create_task(admitted(pool, first))
    await until_in_loop(first.begun.is_set)
    with pytest.raises(Unavailable, match="busy with large renders"):
        await admitted(pool, Gate())
    first.may_end.set()
    last.may_end.set()
    assert [await running, await admitted(pool, last)] == ["done", "done"]
    assert pool.is_idle
    pool.close()


@in_loop
async def test_a_client_that_goes_away_while_it_waits_frees_its_place() -> None:
    pool, first, second = small_pool(), Gate(), Gate()
    running = asyncio.create_task(admitted(pool, first))
    await until_in_loop(first.begun.is_set)
    leaving = asyncio.create_task(admitted(pool, Gate()))
    await asyncio.sleep(0)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    waiting = asyncio.create_task(admitted(pool, second))
    first.may_end.set()
    second.may_end.set()
    assert await asyncio.gather(running, waiting) == ["done", "done"]
    pool.close()


@in_loop
async def test_the_work_of_a_client_that_goes_away_is_ended_and_its_turn_passes_on() -> None:
    pool, abandoned, following = small_pool(), Gate(), Gate()
    leaving = asyncio.create_task(admitted(pool, abandoned))
    await until_in_loop(abandoned.begun.is_set)
    waiting = asyncio.create_task(admitted(pool, following))
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    await until_in_loop(following.begun.is_set)
    following.may_end.set()
    assert await waiting == "done"
    assert abandoned.job is not None
    with pytest.raises(Abandoned):
        abandoned.job.check()
    pool.close()


@in_loop
async def test_renders_wait_for_memory_even_where_a_thread_is_free() -> None:
    pool, large, larger = small_pool(renders=2, memory_bytes=100), Gate(), Gate()
    tasks = [
        asyncio.create_task(admitted(pool, large, 60)),
        asyncio.create_task(admitted(pool, larger, 500)),
    ]
    await until_in_loop(large.begun.is_set)
    await asyncio.sleep(0.02)
    assert not larger.begun.is_set()
    large.may_end.set()
    # One alone may exceed the budget: else it would never be rendered.
    await until_in_loop(larger.begun.is_set)
    larger.may_end.set()
    await asyncio.gather(*tasks)
    pool.close()


@in_loop
async def test_little_work_overtakes_much_until_that_is_due() -> None:
    pool, order, gate = small_pool(waiting=9), list[str](), Gate()

    def note(name: str) -> Callable[[RenderJob], str]:
        return lambda job: order.append(name) or name

    first = asyncio.create_task(admitted(pool, gate))
    await until_in_loop(gate.begun.is_set)
    loop = asyncio.get_running_loop()
    now = loop.time()
    loop.time = lambda: now  # type: ignore[method-assign]
    # Due 53 ms after it came.
    much = asyncio.create_task(admitted(pool, note("much"), pixels=2_000_000))
    await asyncio.sleep(0)
    early = asyncio.create_task(admitted(pool, note("early"), pixels=100_000))
    await asyncio.sleep(0)
    now += 0.06
    late = asyncio.create_task(admitted(pool, note("late"), pixels=100_000))
    await asyncio.sleep(0)
    gate.may_end.set()
    await asyncio.gather(first, much, early, late)
    assert order == ["early", "much", "late"]
    pool.close()


@in_loop
async def test_turns_of_equal_work_are_given_first_come_first_served() -> None:
    pool, order = small_pool(waiting=9), list[int]()
    gate = Gate()
    first = asyncio.create_task(admitted(pool, gate))
    await until_in_loop(gate.begun.is_set)

    def note(number: int) -> Callable[[RenderJob], str]:
        return lambda job: order.append(number) or "done"

    others = [asyncio.create_task(admitted(pool, note(number))) for number in range(5)]
    gate.may_end.set()
    await asyncio.gather(first, *others)
    assert order == [0, 1, 2, 3, 4]
    pool.close()


@in_loop
async def test_an_error_reaches_who_waits_and_frees_the_turn() -> None:
    pool = small_pool()

    def fail(job: RenderJob) -> str:
        raise OSError("no disk")

    for _ in range(3):
        with pytest.raises(OSError, match="no disk"):
            await admitted(pool, fail)
    pool.close()


@in_loop
async def test_a_crowd_that_comes_and_goes_leaves_the_pool_as_it_was() -> None:
    pool = small_pool(renders=2, waiting=50)
    gates = [Gate() for _ in range(40)]
    tasks = [asyncio.create_task(admitted(pool, gate)) for gate in gates]
    await until_in_loop(lambda: sum(gate.begun.is_set() for gate in gates) == 2)
    for task in tasks[::2]:
        task.cancel()
    for gate in gates:
        gate.may_end.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results[1::2] == ["done"] * 20
    await until_in_loop(lambda: pool.is_idle)
    pool.close()


@pytest.mark.slow
@in_loop
async def test_a_render_that_fails_when_its_client_is_gone_is_quiet() -> None:
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    pool, begun, may_fail = small_pool(), threading.Event(), threading.Event()

    def fail(_: RenderJob) -> str:
        begun.set()
        may_fail.wait(10)
        raise ValueError("damaged")

    leaving = asyncio.create_task(admitted(pool, fail))
    await until_in_loop(begun.is_set)
    leaving.cancel()
    await asyncio.wait([leaving])
    may_fail.set()
    await until_in_loop(lambda: pool.is_idle)
    del leaving
    gc.collect()
    assert complaints == []
    pool.close()
