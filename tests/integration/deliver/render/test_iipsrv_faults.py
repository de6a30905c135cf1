"""What a process of iipsrv that dies, hangs or takes too much costs: at most its own request."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.integration.deliver.render.iipsrv_rig import PROCESSES, IipsrvRig, iipsrv_rig
from tests.patience import SECONDS, until_in_loop
from tests.unit.deliver.pyramids.open_rig import TILED, in_loop
from tests.unit.deliver.render.render_rig import WholeFile, pool, pyramid_of, resolve_path
from tests.unit.ingest.made_pyramids import image_of, picture
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.iipsrv import Iipsrv
from vitrine.deliver.render.pool import PoolSize, RenderPool
from vitrine.deliver.render.task import plan_task
from vitrine.errors import PoisonedRequest, Unavailable

DATA = bytes(image_of(picture(1_500, 1_100)).tiffsave_buffer(compression="jpeg", Q=85, **TILED))
SMALL = "full/!300,300/0/default.jpg"
LONG = "full/^5800,/0/default.jpg"
"""Some hundred milliseconds."""


@pytest.fixture(scope="module")
def rig() -> Iterator[IipsrvRig]:
    with iipsrv_rig() as started:
        yield started


@pytest.fixture
def pyramid(rig: IipsrvRig, request: pytest.FixtureRequest) -> OpenPyramid:
    return stored(rig, f"{request.node.name[:60]}.tif")


def stored(rig: IipsrvRig, name: str) -> OpenPyramid:
    return pyramid_of(WholeFile(DATA, rig.cache / name))


def renderer(rig: IipsrvRig, events: Counter[str]) -> Iipsrv:
    """Patient with a busy machine."""

    def report(event: str, message: str) -> None:
        events[event] += 1

    socket = rig.work / "run/iipsrv.sock"
    return Iipsrv(socket, rig.cache, PROCESSES, report, SECONDS, answer_seconds=10 * SECONDS)


async def ask(iipsrv: Iipsrv, pyramid: OpenPyramid, path: str, renders: RenderPool) -> bytes:
    task = plan_task(pyramid.levels, resolve_path(path, pyramid))
    return await iipsrv.render(pyramid, task, renders)


def reading(rig: IipsrvRig, path: Path) -> int | None:
    """The process that has a file open."""
    for pid in rig.children:
        with suppress(OSError):
            for link in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    if link.readlink() == path:
                        return pid
    return None


def let_pass(seconds: float) -> None:
    """Let the event loop believe that so much time has passed: what waits less long is over."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds  # type: ignore[method-assign]


@asynccontextmanager
async def killer(rig: IipsrvRig, path: Path) -> AsyncIterator[Counter[str]]:
    """Kill any process that opens a file, as a decoder's bug would."""
    kills: Counter[str] = Counter()

    async def kill() -> None:
        while True:
            if pid := reading(rig, path):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                await until_in_loop(lambda: pid not in rig.children)
                kills["kills"] += 1
            await asyncio.sleep(0.001)

    task = asyncio.create_task(kill())
    try:
        yield kills
    finally:
        task.cancel()


@in_loop
async def test_kills_under_load_fail_no_request_and_change_no_byte(
    rig: IipsrvRig, pyramid: OpenPyramid
) -> None:
    events: Counter[str] = Counter()
    iipsrv, renders = (
        renderer(rig, events),
        RenderPool("load", PoolSize(renders=8, waiting=999, memory_bytes=1 << 40)),
    )
    paths = [f"{x},0,900,900/!{side},{side}/0/default.jpg" for x in range(6) for side in (300, 600)]
    expected = {path: await ask(iipsrv, pyramid, path, renders) for path in paths}
    answered = 0

    async def ask_in_turns(path: str) -> None:
        nonlocal answered
        for _ in range(12):
            assert await ask(iipsrv, pyramid, path, renders) == expected[path]
            answered += 1
            # So far apart that no request meets two, and while there are others.
            if answered in range(20, 121, 20):
                victim = await until_in_loop(lambda: reading(rig, pyramid.file.path))
                os.kill(victim, signal.SIGKILL)

    await asyncio.gather(*map(ask_in_turns, paths))
    assert answered == 12 * len(paths)
    assert events["renderer-died"] >= 1
    assert events.keys() == {"renderer-died"}
    renders.close()


@in_loop
async def test_a_request_that_always_kills_is_remembered_and_costs_others_nothing(
    rig: IipsrvRig, pyramid: OpenPyramid
) -> None:
    events: Counter[str] = Counter()
    iipsrv, renders = renderer(rig, events), pool()
    bystander = stored(rig, "bystander.tif")
    expected = await ask(iipsrv, bystander, SMALL, renders)
    async with killer(rig, pyramid.file.path) as kills:
        for _ in range(3):
            with pytest.raises(PoisonedRequest) as refusal:
                await ask(iipsrv, pyramid, LONG, renders)
            assert 0 < refusal.value.retry_seconds <= 60
            assert await ask(iipsrv, bystander, SMALL, renders) == expected
        # A death is counted once the process is gone.
        await until_in_loop(lambda: kills["kills"] == 2)
    assert events == {"renderer-died": 2, "poisoned-request": 1}
    # Of the same image, another size.
    assert (await ask(iipsrv, pyramid, SMALL, renders)).startswith(b"\xff\xd8")
    renders.close()


@in_loop
async def test_a_process_that_hangs_costs_its_request_one_try_elsewhere(
    rig: IipsrvRig, pyramid: OpenPyramid
) -> None:
    events: Counter[str] = Counter()
    iipsrv, renders = renderer(rig, events), pool()
    expected = await ask(iipsrv, pyramid, LONG, renders)
    render = asyncio.create_task(ask(iipsrv, pyramid, LONG, renders))
    hanging = await until_in_loop(lambda: reading(rig, pyramid.file.path))
    os.kill(hanging, signal.SIGSTOP)
    let_pass(2 * SECONDS)
    try:
        assert await render == expected
        assert events == {"renderer-hung": 1}
    finally:
        os.kill(hanging, signal.SIGCONT)
    # Awake again, it sees that nobody waits for it.
    await until_in_loop(lambda: hanging not in rig.children)
    renders.close()


@in_loop
async def test_a_render_that_nobody_waits_for_ends_before_it_is_done(
    rig: IipsrvRig, pyramid: OpenPyramid
) -> None:
    iipsrv, renders = renderer(rig, Counter()), pool()
    render = asyncio.create_task(ask(iipsrv, pyramid, LONG, renders))
    working = await until_in_loop(lambda: reading(rig, pyramid.file.path))
    render.cancel()
    await until_in_loop(lambda: working not in rig.children)
    assert (await ask(iipsrv, pyramid, SMALL, renders)).startswith(b"\xff\xd8")
    renders.close()


@in_loop
async def test_what_needs_more_memory_than_a_process_has_fails_alone() -> None:
    events: Counter[str] = Counter()
    with iipsrv_rig(VITRINE_IIPSRV_MEMORY_MEBIBYTES="128") as small:
        await until_in_loop(lambda: len(small.children) == PROCESSES)
        before = set(small.children)
        pyramid, renders = stored(small, "large.tif"), pool()
        iipsrv = renderer(small, events)
        with pytest.raises(Unavailable, match="cannot be rendered"):
            await ask(iipsrv, pyramid, LONG, renders)
        assert events == {"renderer-answered-wrong": 1}
        assert (await ask(iipsrv, pyramid, SMALL, renders)).startswith(b"\xff\xd8")
        assert set(small.children) == before
        renders.close()
