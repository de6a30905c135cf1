"""What the image task does when many come at once, a process dies, or it is told to stop."""

import asyncio
import os
import signal
import time

import aiohttp
import pytest
import requests
from deliver_bed import Bed, StartBed, wait_until_ready

COLD = "/iiif/3/cold/full/!200,200/0/default.jpg"


async def statuses(bed: Bed, paths: list[str]) -> list[int]:
    async with aiohttp.ClientSession(bed.url) as client:

        async def status(path: str) -> int:
            async with client.get(path) as response:
                await response.read()
                return response.status

        return await asyncio.gather(*(status(path) for path in paths))


def test_twenty_clients_on_one_cold_image_cost_one_download(start_bed: StartBed) -> None:
    bed = start_bed(TEST_DELAY_SECONDS="0.5")
    assert asyncio.run(statuses(bed, [COLD] * 20)) == [200] * 20
    assert bed.downloads == ["4.tif"]


def test_the_cache_survives_a_restart_of_the_gateway(start_bed: StartBed) -> None:
    bed = start_bed()
    assert requests.get(bed.url + COLD, timeout=30).status_code == 200
    bed.stop("gateway")
    bed.start("gateway")
    asyncio.run(wait_until_ready(bed))
    assert requests.get(bed.url + COLD, timeout=30).status_code == 200
    assert bed.downloads == ["4.tif"]


def test_a_killed_iipsrv_is_replaced_and_nobody_notices(start_bed: StartBed) -> None:
    bed = start_bed()
    assert requests.get(bed.url + COLD, timeout=30).status_code == 200
    before = bed.children("iipsrv")
    for _ in range(4):
        for pid in bed.children("iipsrv"):
            os.kill(pid, signal.SIGSEGV)
        assert requests.get(bed.url + COLD, timeout=30).status_code == 200
    deadline = time.monotonic() + 2
    while len(bed.children("iipsrv")) < len(before) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(bed.children("iipsrv")) == len(before)
    assert not set(before) & set(bed.children("iipsrv"))


def test_without_iipsrv_it_is_not_ready_and_says_503_until_it_is_back(
    start_bed: StartBed,
) -> None:
    bed = start_bed()
    bed.stop("iipsrv")
    time.sleep(2.1)
    ready = requests.get(bed.url + "/readyz", timeout=30)
    assert (ready.status_code, ready.json()["checks"]["identifiers"]) == (503, "ok")
    assert ready.json()["checks"]["iipsrv"] != "ok"
    assert requests.get(bed.url + "/healthz", timeout=30).status_code == 200
    image = requests.get(bed.url + COLD, timeout=30)
    assert (image.status_code, image.headers["retry-after"]) == (503, "2")
    bed.start("iipsrv")
    asyncio.run(wait_until_ready(bed))
    assert requests.get(bed.url + COLD, timeout=30).status_code == 200


@pytest.mark.parametrize("name", ["gateway", "nginx"])
def test_sigterm_lets_an_open_request_finish(start_bed: StartBed, name: str) -> None:
    bed = start_bed(TEST_DELAY_SECONDS="1.5")

    async def ask_and_stop() -> int:
        asking = asyncio.create_task(statuses(bed, [COLD]))
        await asyncio.sleep(0.5)
        bed.processes[name].send_signal(signal.SIGTERM)
        return (await asking)[0]

    assert asyncio.run(ask_and_stop()) == 200
    assert bed.processes.pop(name).wait(10) == 0
    with pytest.raises(requests.ConnectionError) if name == "nginx" else _unavailable():
        requests.get(bed.url + "/readyz", timeout=10).raise_for_status()


def _unavailable() -> "pytest.RaisesExc[requests.HTTPError]":
    return pytest.raises(requests.HTTPError, match=r"50[23]")


def test_a_request_that_never_ends_does_not_hold_up_the_stop(start_bed: StartBed) -> None:
    bed = start_bed(TEST_DELAY_SECONDS="30", VITRINE_SHUTDOWN_SECONDS="1")

    async def ask_and_stop() -> float:
        asking = asyncio.create_task(statuses(bed, [COLD]))
        await asyncio.sleep(0.5)
        start = time.monotonic()
        bed.stop("gateway")
        took = time.monotonic() - start
        await asking
        return took

    assert asyncio.run(ask_and_stop()) < 5
