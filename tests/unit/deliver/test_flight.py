"""Many ask, one works; a shared flight ends when nobody waits for it any more."""

import asyncio

import pytest

from vitrine.deliver.single_flight import SharedFlight, SingleFlight


class Work:
    """Counts its runs, and waits to be let go."""

    def __init__(self) -> None:
        self.runs = 0
        self.cancelled = False
        self.gate = asyncio.Event()

    async def __call__(self) -> int:
        self.runs += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return self.runs


@pytest.mark.parametrize("kind", [SingleFlight, SharedFlight])
async def test_many_callers_are_served_by_one_run(kind: type) -> None:
    flight, work = kind(), Work()
    callers = [asyncio.ensure_future(flight.run("a", work)) for _ in range(5)]
    await asyncio.sleep(0)
    work.gate.set()
    assert await asyncio.gather(*callers) == [1] * 5
    assert await flight.run("a", work) == 2


@pytest.mark.parametrize(("kind", "ends"), [(SingleFlight, False), (SharedFlight, True)])
async def test_when_all_callers_go_away_a_shared_flight_ends(kind: type, ends: bool) -> None:
    flight, work = kind(), Work()
    callers = [asyncio.ensure_future(flight.run("a", work)) for _ in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    callers[0].cancel()
    await asyncio.sleep(0)
    assert not work.cancelled
    callers[1].cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    assert work.cancelled is ends
    work.gate.set()
    assert await flight.run("b", work) == 2


@pytest.mark.parametrize("kind", [SingleFlight, SharedFlight])
async def test_an_error_reaches_every_caller_and_is_not_remembered(kind: type) -> None:
    async def fail() -> int:
        await asyncio.sleep(0)
        raise ValueError("once")

    flight = kind()
    callers = [asyncio.ensure_future(flight.run("a", fail)) for _ in range(3)]
    results = await asyncio.gather(*callers, return_exceptions=True)
    assert [str(result) for result in results] == ["once"] * 3
    work = Work()
    work.gate.set()
    assert await flight.run("a", work) == 1
