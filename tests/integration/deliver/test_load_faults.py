"""Many clients at once, while parts of the image task die, stop, or run out of room."""

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import aiohttp
import pytest
import requests

from rigs.object_server.response_faults import Fault, ResponseFault
from tests.integration.deliver.deliver_rig import wait_until_ready
from tests.integration.deliver.loaded_pictures import (
    HEIGHT,
    NO_DERIVATIVE_CACHE,
    PICTURE,
    WHOLE,
    WIDTH,
    assert_right,
    fill,
    rendered_regions,
)
from tests.integration.deliver.recognised_pictures import write_ours
from tests.integration.deliver.stored_rig import (
    Answer,
    StoredRig,
    ask,
    ask_at_once,
    stored_rig,
    unlimited,
)
from tests.patience import SECONDS, until, until_in_loop
from tests.rigs.image_addresses import random_tiles
from vitrine.records import Live


@pytest.fixture(scope="module")
def pyramid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pyramids") / "coordinates.tif"
    write_ours(PICTURE, path)
    return path


@pytest.fixture
def rig() -> Iterator[StoredRig]:
    # On a busy machine, what has begun takes longer than ten seconds.
    with stored_rig(**NO_DERIVATIVE_CACHE, VITRINE_SHUTDOWN_SECONDS="110") as running:
        yield running


def test_iipsrv_killed_under_load_is_not_noticed(pyramid: Path) -> None:
    with stored_rig(**NO_DERIVATIVE_CACHE) as rig:
        kill_under_load(rig, pyramid)


def kill_under_load(rig: StoredRig, pyramid: Path) -> None:
    image = rig.publish(pyramid)
    before = rig.rig.children("iipsrv")
    regions = rendered_regions(20)
    answers: list[Answer] = []

    async def ask_on(region: str) -> None:
        while len(answers) < 150 or set(before) & set(rig.rig.children("iipsrv")):
            answers.extend(await ask_at_once(rig.rig.url, image, [region]))

    async def kill_the_oldest() -> None:
        """Return once it was replaced, and each client may have got an answer since."""
        victim, enough = min(rig.rig.children("iipsrv")), len(answers) + len(regions)

        def goes_on() -> bool:
            children = rig.rig.children("iipsrv")
            is_replaced = victim not in children and len(children) == len(before)
            return is_replaced and len(answers) >= enough

        os.kill(victim, signal.SIGKILL)
        await until_in_loop(goes_on)

    async def kill_in_turn() -> None:
        while True:
            await kill_the_oldest()

    async def load() -> None:
        async with asyncio.TaskGroup() as tasks:
            killing = tasks.create_task(kill_in_turn())
            await asyncio.gather(*map(ask_on, regions))
            killing.cancel()

    asyncio.run(load())
    assert_right(answers)
    until(lambda: len(rig.rig.children("iipsrv")) == len(before))


def test_a_thousand_clients_at_once_are_all_answered(rig: StoredRig, pyramid: Path) -> None:
    image = rig.publish(pyramid)
    paths = random_tiles(image, 960, seed=2) + [f"{WHOLE}/128,95/0/default.jpg"] * 40
    answers = rig.ask(image, paths)
    assert {answer.status for answer in answers} == {200}
    different = {answer.parameters: answer for answer in answers}
    assert_right(list(different.values()))
    assert {answer.body for answer in answers} == {item.body for item in different.values()}


@pytest.mark.parametrize("name", ["gateway", "nginx"])
def test_sigterm_loses_no_request_that_had_begun(rig: StoredRig, pyramid: Path, name: str) -> None:
    image = rig.publish(pyramid)
    paths = random_tiles(image, 60, seed=5) + rendered_regions(10)

    async def ask_and_stop() -> list[Answer]:
        with rig.server.held():
            asking = asyncio.create_task(ask_at_once(rig.rig.url, image, paths))
            await until_in_loop(lambda: requests_under_way(rig) == len(paths))
            rig.rig.processes[name].send_signal(signal.SIGTERM)
        return await asking

    assert_right(asyncio.run(ask_and_stop()))
    assert rig.rig.processes.pop(name).wait(SECONDS) == 0
    with pytest.raises((requests.ConnectionError, requests.HTTPError)):
        requests.get(rig.rig.url + "/healthz", timeout=10).raise_for_status()
    rig.rig.start(name)
    asyncio.run(wait_until_ready(rig.rig))
    assert_right(rig.ask(image, paths))


def requests_under_way(rig: StoredRig) -> int:
    """Return how many requests nginx has read and not answered, but for the one that asks it."""
    status = requests.get(rig.rig.url + "/nginx-status", timeout=SECONDS).text
    [writing] = re.findall(r"Writing: (\d+)", status)
    return int(writing) - 1


def test_clients_that_go_away_free_their_places(pyramid: Path) -> None:
    # One process, as the images must share its queue.
    with stored_rig(**NO_DERIVATIVE_CACHE, VITRINE_GATEWAY_PROCESSES="1") as rig:
        leave_and_return_to(rig, pyramid)


def leave_and_return_to(rig: StoredRig, pyramid: Path) -> None:
    stuck, warm = rig.publish(pyramid), rig.publish(pyramid)
    large = [f"{number},0,{WIDTH - number},{HEIGHT}/max/0/default.jpg" for number in range(1, 200)]
    # What info.json lists has turns of its own.
    unlisted = f"0,0,{WIDTH - 1},{HEIGHT}/{WIDTH - 1},{HEIGHT}/0/default.jpg"
    assert_right(rig.ask(warm, [unlisted]))
    assert_right(rig.ask(stuck, random_tiles(stuck, 1, seed=1)))
    rig.server.fail(Fault(kind=ResponseFault.SILENT, key=stuck.access_master_key, seconds=60))

    async def leave_and_return() -> Answer:
        async with aiohttp.ClientSession(rig.rig.url, connector=unlimited()) as client:
            waiting = {asyncio.create_task(ask(client, stuck, item)) for item in large}
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            assert {task.result().status for task in done} == {503}
            assert (await ask(client, warm, unlisted)).status == 503
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)
            return await patiently(client, warm, unlisted)

    assert_right([asyncio.run(leave_and_return())])


async def patiently(client: aiohttp.ClientSession, image: Live, parameters: str) -> Answer:
    """Request like a polite client: again while the answer is 503, at most five times."""
    for _ in range(5):
        answer = await ask(client, image, parameters)
        if answer.status != 503:
            return answer
        await asyncio.sleep(float(answer.headers["Retry-After"]))
    return answer


@pytest.fixture
def short_of_disk(pyramid: Path) -> Iterator[StoredRig]:
    """A disk that holds three images, and a budget for many more: as if others wrote there."""
    with ExitStack() as stack:
        try:
            size = 3 * pyramid.stat().st_size
            yield stack.enter_context(stored_rig(cache_disk_bytes=size, **NO_DERIVATIVE_CACHE))
        except OSError as error:
            pytest.skip(f"NOT TESTED: {error}")


def test_a_full_disk_costs_nobody_an_answer(short_of_disk: StoredRig, pyramid: Path) -> None:
    rig = short_of_disk
    image = rig.publish(pyramid)
    paths = wanted_of(image)
    other = rig.rig.work / "cache/of-somebody-else"
    fill(other)
    assert_right(rig.ask(image, paths))
    other.unlink()
    assert_right(rig.ask(image, paths))


def test_on_a_disk_that_fills_up_old_images_make_room(
    short_of_disk: StoredRig, pyramid: Path
) -> None:
    for _ in range(6):
        image = short_of_disk.publish(pyramid)
        assert_right(short_of_disk.ask(image, wanted_of(image)))


def wanted_of(image: Live) -> list[str]:
    return random_tiles(image, 80, seed=8) + rendered_regions(5)
