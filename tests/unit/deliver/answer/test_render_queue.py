"""Large renders wait for their turn: nobody is refused who can be served, and nobody takes all."""

import asyncio

import pytest

from vitrine.deliver.answer.render_queue import MAX_WAITING, PATIENCE_SECONDS, RenderQueue
from vitrine.deliver.render.pool import PoolSize
from vitrine.errors import STATUS, Unavailable
from vitrine.settings.deliver import ANSWER_SECONDS


class Renders:
    """Work that notes when it began, and ends when the test lets it."""

    def __init__(self, turns: RenderQueue) -> None:
        self.turns = turns
        self.begun: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.most = 0

    def ask(self, viewer: str, work: str) -> "asyncio.Task[None]":
        self.ends.setdefault(work, asyncio.Event())
        return asyncio.create_task(self._render(viewer, work))

    async def _render(self, viewer: str, work: str) -> None:
        async with self.turns.turn(viewer, work):
            self.begun.append(f"{viewer} {work}")
            self.most = max(self.most, len(self.turns._under_way))
            await self.ends[work].wait()

    async def finish_all(self) -> None:
        """End each render as soon as it has begun, one after the other."""
        while any(not end.is_set() for end in self.ends.values()):
            await settle()
            for name in self.begun:
                end = self.ends[name.split()[1]]
                if not end.is_set():
                    end.set()
                    break
        await settle()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize("readers", [10, 300])
async def test_a_client_that_requests_many_at_once_gets_them_all(readers: int) -> None:
    """A page of ten large images, and a reading room behind one address."""
    renders = Renders(RenderQueue(4))
    tasks = [renders.ask("192.0.2.1", f"image-{number}") for number in range(readers)]
    await renders.finish_all()
    await asyncio.gather(*tasks)
    assert len(renders.begun) == readers
    assert renders.most == 4


async def test_a_viewer_waits_for_one_render_of_each_other_and_not_for_all() -> None:
    renders = Renders(RenderQueue(1))
    crowd = [renders.ask("crowd", f"c{number}") for number in range(50)]
    other = [renders.ask("other", f"o{number}") for number in range(3)]
    await settle()
    late = renders.ask("late", "l0")
    await renders.finish_all()
    await asyncio.gather(*crowd, *other, late)
    order = [name.split()[1] for name in renders.begun]
    assert order[:8] == ["c0", "c1", "o0", "l0", "c2", "o1", "c3", "o2"]


async def test_requests_of_different_clients_for_the_same_render_share_a_turn() -> None:
    renders = Renders(RenderQueue(1))
    tasks = [renders.ask("a", "first"), renders.ask("a", "same"), renders.ask("b", "other")]
    tasks += [renders.ask(viewer, "same") for viewer in "abcd"]
    await settle()
    renders.ends["first"].set()
    await settle()
    assert sorted(renders.begun[1:]) == ["a same", "a same", "b same", "c same", "d same"]
    await renders.finish_all()
    await asyncio.gather(*tasks)
    assert renders.turns.waiting == 0
    assert not renders.turns._queues


async def test_what_could_not_be_answered_in_time_is_refused_at_once() -> None:
    now = 0.0
    turns = RenderQueue(1, clock=lambda: now)
    for _ in range(20):
        async with turns.turn("a", "slow"):
            now += 10.0
    renders = Renders(turns)
    tasks = [renders.ask("a", f"w{number}") for number in range(20)]
    await settle()
    refused = [task for task in tasks if task.done()]
    assert 10 < len(refused) < 20
    for task in refused:
        with pytest.raises(Unavailable, match="try again"):
            task.result()
    assert STATUS[Unavailable] == 503
    await settle()
    assert renders.turns.waiting == 19 - len(refused)
    for task in tasks:
        task.cancel()


async def test_a_viewer_who_leaves_gives_its_turn_to_the_next() -> None:
    renders = Renders(RenderQueue(1))
    tasks = [renders.ask("a", name) for name in ("first", "left", "last")]
    await settle()
    tasks[1].cancel()
    await settle()
    renders.ends["first"].set()
    await settle()
    assert renders.begun == ["a first", "a last"]
    tasks[2].cancel()
    await settle()
    assert renders.turns.waiting == 0
    assert not renders.turns._under_way


@pytest.mark.parametrize("steps", range(6))
async def test_a_turn_that_comes_when_its_viewer_leaves_is_not_lost(steps: int) -> None:
    renders = Renders(RenderQueue(1))
    tasks = [renders.ask("a", name) for name in ("first", "left", "last")]
    await settle()
    renders.ends["first"].set()
    for _ in range(steps):
        await asyncio.sleep(0)
    tasks[1].cancel()
    await settle()
    assert renders.begun[-1] == "a last"
    renders.ends["last"].set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[1], asyncio.CancelledError)
    assert not renders.turns._under_way


async def test_a_request_is_refused_after_its_patience() -> None:
    turns = RenderQueue(1, patience_seconds=0.01)
    turns._seconds = 0.0
    renders = Renders(turns)
    first = renders.ask("a", "first")
    await settle()
    with pytest.raises(Unavailable):
        await renders.ask("a", "second")
    assert turns.waiting == 0
    renders.ends["first"].set()
    await first


async def test_no_more_wait_than_nginx_has_connections_for() -> None:
    turns = RenderQueue(1)
    turns._seconds = 0.0
    renders = Renders(turns)
    tasks = [renders.ask("a", str(number)) for number in range(MAX_WAITING + 3)]
    await settle()
    assert turns.waiting == MAX_WAITING
    assert sum(task.done() for task in tasks) == 2
    for task in tasks:
        task.cancel()


def test_a_turn_comes_before_the_answer_has_to_be_made() -> None:
    in_pool, rendering = PoolSize.patience_seconds, 10
    assert PATIENCE_SECONDS + in_pool + rendering < ANSWER_SECONDS
