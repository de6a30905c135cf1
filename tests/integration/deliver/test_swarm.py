"""A swarm from many addresses, against the whole image task: visitors see what they came for."""

import asyncio
import json

import aiohttp
import pytest
import requests

from tests.integration.deliver.deliver_rig import Rig, StartRig
from tests.patience import SECONDS
from vitrine.deliver.metrics.prometheus import parse_samples

SWARM = 80
MIN_REFUSED = 20
TILE = "/iiif/3/plain/0,0,256,256/256,256/0/default.jpg"
VISITS = 10


def enlargement(number: int) -> str:
    """A PNG of 20 megapixels that nobody asked for before."""
    return f"/iiif/3/plain/full/^{5_000 - number},4000/0/default.png"


def read_listed(rig: Rig) -> list[str]:
    """All sizes of the image's info.json."""
    sizes = requests.get(f"{rig.url}/iiif/3/plain/info.json", timeout=SECONDS).json()["sizes"]
    return [f"/iiif/3/plain/full/{size['width']},{size['height']}/0/default.jpg" for size in sizes]


async def visit_amid_a_swarm(rig: Rig, paths: list[str]) -> tuple[list[int], list[str]]:
    """Return the visitor's statuses, and the bodies of the swarm's refusals."""
    refused: list[str] = []
    enough = asyncio.Event()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:

        async def swarm(number: int) -> None:
            headers = {"x-viewer-address": f"198.51.{number}.1"}
            async with client.get(rig.url + enlargement(number), headers=headers) as answer:
                if answer.status == 503 and int(answer.headers["retry-after"]) >= 2:
                    refused.append(await answer.text())
                    if len(refused) >= MIN_REFUSED:
                        enough.set()

        tasks = [asyncio.create_task(swarm(number)) for number in range(SWARM)]
        try:
            async with asyncio.timeout(SECONDS):
                await enough.wait()
            statuses = []
            for path in paths * VISITS:
                async with client.get(rig.url + path) as answer:
                    statuses.append(answer.status)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return statuses, refused


@pytest.fixture(scope="module")
def pressed(start_rig: StartRig) -> Rig:
    return start_rig(
        VITRINE_UNDER_PRESSURE="refuse",
        VITRINE_GATEWAY_PROCESSES="1",
        VITRINE_ROBOTS_TAG="noai",
        VITRINE_CONTENT_USAGE="train-ai=n",
        VITRINE_TDM_RESERVATION="1",
        VITRINE_OWN_SITES="museum.example",
    )


@pytest.mark.parametrize("path", [TILE, "/iiif/3/plain/full/300,/0/default.jpg"])
def test_the_whole_task_says_what_machines_may_do(pressed: Rig, path: str) -> None:
    for _ in range(3):  # the third tile is one that nginx kept
        answer = requests.get(pressed.url + path, timeout=SECONDS)
        assert answer.status_code == 200
        said = {name: answer.headers[name] for name in ("X-Robots-Tag", "Content-Usage")}
        assert said == {"X-Robots-Tag": "noai", "Content-Usage": "train-ai=n"}
        assert answer.headers["tdm-reservation"] == "1"


def test_the_whole_task_knows_who_asks_by_the_header_of_the_edge(pressed: Rig) -> None:
    def count(standing: str) -> float:
        samples = parse_samples(requests.get(f"{pressed.url}/metrics", timeout=SECONDS).text)
        return samples.get(f'vitrine_derivatives_requested_total{{standing="{standing}"}}', 0)

    sent = {
        "crawler": "known,,",
        "own": ",cross-site,www.museum.example",
        "unknown": ",cross-site,other.example",
    }
    for number, (standing, signals) in enumerate(sent.items()):
        before = count(standing)
        path = f"/iiif/3/plain/full/{211 + number},/0/default.png"
        headers = {"X-Viewer-Signals": signals}
        assert requests.get(pressed.url + path, headers=headers, timeout=SECONDS).status_code == 200
        assert count(standing) == before + 1


def test_tiles_and_listed_sizes_are_answered_while_a_swarm_is_refused(pressed: Rig) -> None:
    paths = [TILE, *read_listed(pressed), "/iiif/3/plain/info.json"]
    statuses, refused = asyncio.run(visit_amid_a_swarm(pressed, paths))
    assert statuses == [200] * len(paths) * VISITS
    body = json.loads(refused[0])
    assert (body["status"], body["bulk"]) == (503, "/robots.txt")
    assert "info.json lists" in body["reason"]
    samples = parse_samples(requests.get(f"{pressed.url}/metrics", timeout=SECONDS).text)
    assert (
        samples['vitrine_gave_way_total{turn="third",result="refused",why="wait"}'] >= MIN_REFUSED
    )
    assert samples['vitrine_priced_requests_total{lane="large"}'] >= SWARM
    assert samples['vitrine_priced_requests_total{lane="stored"}'] >= 1
