"""Pools of several processes that share their limits; here, their figures in one memory."""

import asyncio
import os
import signal

import pytest

from tests.patience import until_in_loop
from tests.unit.deliver.pyramids.open_rig import in_loop
from tests.unit.deliver.render.gate import Gate, admitted
from vitrine.deliver.render.pool import PoolSize, RenderPool
from vitrine.deliver.render.shared_load import FORGOTTEN_SECONDS, SharedLoad

SIZE = PoolSize(renders=2, waiting=20, memory_bytes=100)
MAX_BYTES = 100


def pools_of(processes: int) -> list[RenderPool]:
    load = SharedLoad(processes)
    loads = [load.load(number) for number in range(1, processes + 1)]
    return [RenderPool("large", SIZE, load.next_lane()) for load in loads]


def begun_of(gates: list[Gate]) -> list[Gate]:
    return [gate for gate in gates if gate.begun.is_set() and not gate.may_end.is_set()]


@in_loop
async def test_all_processes_together_render_no_more_than_one_alone() -> None:
    pools = pools_of(3)
    gates = [Gate() for _ in range(9)]
    tasks = [
        asyncio.create_task(admitted(pools[number % 3], gate)) for number, gate in enumerate(gates)
    ]
    for done in range(1, len(gates) + 1):
        most = min(2, len(gates) + 1 - done)
        await until_in_loop(lambda most=most: sum(pool.running for pool in pools) == most)  # type: ignore[misc]
        await until_in_loop(lambda: bool(begun_of(gates)))
        assert len(begun_of(gates)) <= most
        begun_of(gates)[0].may_end.set()
    assert await asyncio.gather(*tasks) == ["done"] * 9


@in_loop
async def test_they_share_the_memory() -> None:
    pools, first, second = pools_of(2), Gate(), Gate()
    tasks = [asyncio.create_task(admitted(pools[0], first, memory_bytes=MAX_BYTES))]
    await until_in_loop(first.begun.is_set)
    tasks.append(asyncio.create_task(admitted(pools[1], second, memory_bytes=1)))
    await until_in_loop(lambda: pools[1].waiting == 1)
    await asyncio.sleep(0.05)
    assert not second.begun.is_set()
    first.may_end.set()
    await until_in_loop(second.begun.is_set)
    second.may_end.set()
    assert await asyncio.gather(*tasks) == ["done"] * 2


@in_loop
async def test_what_is_due_first_begins_first_in_whichever_process() -> None:
    pools, busy = pools_of(2), [Gate(), Gate()]
    tasks = [asyncio.create_task(admitted(pools[0], gate)) for gate in busy]
    await until_in_loop(lambda: pools[0].running == 2)
    late, soon = Gate(), Gate()
    tasks.append(asyncio.create_task(admitted(pools[0], late, pixels=1e12)))
    await until_in_loop(lambda: pools[0].waiting == 1)
    tasks.append(asyncio.create_task(admitted(pools[1], soon)))
    await until_in_loop(lambda: pools[1].waiting == 1)
    busy[0].may_end.set()
    await until_in_loop(soon.begun.is_set)
    assert not late.begun.is_set()
    for gate in (busy[1], late, soon):
        gate.may_end.set()
    assert await asyncio.gather(*tasks) == ["done"] * 4


def test_the_successor_of_a_killed_process_begins_with_nothing() -> None:
    load = SharedLoad(2)
    lane = load.load(1).next_lane()
    pid = os.fork()
    if not pid:
        other = load.load(2).next_lane()
        other.add(2, MAX_BYTES)
        other.wait(1.0)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    assert lane.total() == (2, MAX_BYTES)
    assert not lane.is_first(2.0)
    load.load(2)
    assert lane.total() == (0, 0)
    assert lane.is_first(2.0)


def test_nobody_waits_long_for_a_process_that_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    load = SharedLoad(2)
    lane, other = load.load(1).next_lane(), load.load(2).next_lane()
    other.wait(1.0)
    assert not lane.is_first(2.0)
    now[0] += FORGOTTEN_SECONDS + 0.01
    assert lane.is_first(2.0)
