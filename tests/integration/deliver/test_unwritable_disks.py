"""The image task without a disk that it can write: everything is served, nothing is kept."""

import asyncio
import shutil

import requests

from tests.integration.deliver.deliver_rig import StartRig, wait_until_ready

ANSWERS = (
    "/iiif/3/cold/0,0,256,256/256,256/0/default.jpg",
    "/iiif/3/cold/full/!100,100/0/default.jpg",
    "/iiif/3/cold/full/!400,400/0/default.jpg",
    "/iiif/3/cold/full/!400,400/0/default.png",
    "/iiif/3/cold/full/max/0/default.jpg",
    "/iiif/3/cold/info.json",
)


def test_the_gateway_starts_and_serves_without_a_block_cache(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_DERIVATIVE_CACHE_MEBIBYTES="0")
    whole = [requests.get(rig.url + path, timeout=30) for path in ANSWERS]
    rig.stop("gateway")
    shutil.rmtree(rig.work / "cache")
    (rig.work / "cache").write_text("A file, where a disk should be mounted.")
    rig.start("gateway")
    asyncio.run(wait_until_ready(rig))
    for path, before in zip(ANSWERS, whole, strict=True):
        answer = requests.get(rig.url + path, timeout=30)
        assert (answer.status_code, answer.headers["content-type"]) == (
            200,
            before.headers["content-type"],
        ), path
    health = requests.get(rig.url + "/readyz", timeout=30).json()
    assert "served from memory" in health["notices"]["block_cache"]
    assert health["faults"]["block-cache-unwritable"] >= 1
    (rig.work / "cache").unlink()
