"""The image task while one part of it is missing, slow or stopping.

Many clients at once are in test_load_faults.py, S3's faults in test_store_faults.py.
"""

import asyncio
import time

import aiohttp
import requests

from tests.integration.deliver.deliver_rig import Rig, StartRig, wait_until_ready
from tests.patience import SECONDS, until_in_loop

COLD = "/iiif/3/cold/full/!200,200/0/default.jpg"
BY_IIPSRV = {"VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0"}


async def statuses(rig: Rig, paths: list[str]) -> list[int]:
    async with aiohttp.ClientSession(rig.url) as client:

        async def status(path: str) -> int:
            async with client.get(path) as response:
                await response.read()
                return response.status

        return await asyncio.gather(*(status(path) for path in paths))


def test_twenty_clients_on_one_cold_image_cost_one_read(start_rig: StartRig) -> None:
    rig = start_rig(TEST_DELAY_SECONDS="0.5", TEST_PATIENT_READS="1")
    assert asyncio.run(statuses(rig, [COLD] * 20)) == [200] * 20
    assert rig.downloads == ["4.tif"]


def test_a_restarted_gateway_reads_requested_images_again(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_DERIVATIVE_CACHE_MEBIBYTES="0", TEST_PATIENT_READS="1")
    assert requests.get(rig.url + COLD, timeout=SECONDS).status_code == 200
    rig.stop("gateway")
    rig.start("gateway")
    asyncio.run(wait_until_ready(rig))
    assert requests.get(rig.url + COLD, timeout=SECONDS).status_code == 200
    assert rig.downloads == ["4.tif"] * 2


def test_without_iipsrv_it_is_not_ready_and_says_503_until_it_is_back(
    start_rig: StartRig,
) -> None:
    rig = start_rig(**BY_IIPSRV)
    rig.stop("iipsrv")
    time.sleep(2.1)
    ready = requests.get(rig.url + "/readyz", timeout=SECONDS)
    assert (ready.status_code, ready.json()["checks"]["identifiers"]) == (503, "ok")
    assert ready.json()["checks"]["iipsrv"] != "ok"
    assert requests.get(rig.url + "/healthz", timeout=SECONDS).status_code == 200
    image = requests.get(rig.url + COLD, timeout=SECONDS)
    assert (image.status_code, image.headers["retry-after"]) == (503, "2")
    rig.start("iipsrv")
    asyncio.run(wait_until_ready(rig))
    assert requests.get(rig.url + COLD, timeout=SECONDS).status_code == 200


def test_what_iipsrv_does_not_render_is_served_without_it(start_rig: StartRig) -> None:
    rig = start_rig()
    photograph = rig.url + "/iiif/3/cold/full/!400,400/0/default.jpg"
    rig.stop("iipsrv")
    assert requests.get(photograph.replace(".jpg", ".png"), timeout=SECONDS).status_code == 200
    assert requests.get(photograph, timeout=SECONDS).status_code == 503
    rig.start("iipsrv")
    asyncio.run(wait_until_ready(rig))
    # Another size: what has seen two of iipsrv's processes die is not tried for a minute.
    again = photograph.replace("400,400", "390,390")
    assert requests.get(again, timeout=SECONDS).status_code == 200


def test_a_request_that_never_ends_does_not_hold_up_the_stop(start_rig: StartRig) -> None:
    endless = str(int(SECONDS))
    rig = start_rig(
        TEST_DELAY_SECONDS=endless,
        TEST_PATIENT_READS="1",
        VITRINE_ANSWER_SECONDS=endless,
        VITRINE_SHUTDOWN_SECONDS="1",
    )

    async def ask_and_stop() -> float:
        asking = asyncio.create_task(statuses(rig, [COLD]))
        await until_in_loop(lambda: rig.downloads)
        start = time.monotonic()
        rig.stop("gateway")
        took = time.monotonic() - start
        await asking
        return took

    assert asyncio.run(ask_and_stop()) < SECONDS / 10
