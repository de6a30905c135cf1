"""A swarm that asks for what is costliest is held off; readers of one address are not."""

import asyncio
import json
from collections import Counter
from pathlib import Path

from tests.unit.deliver.answer.gateway_bench import HOST, IMAGE, LARGE, TILE, Bench, NamingImages
from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.derivative import Derivatives
from vitrine.deliver.answer.derivative_disk import DerivativeDisk
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.metrics.counters import Counters
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3
from vitrine.records import Live

LISTED = "/iiif/3/a/full/1300,1000/0/default.jpg"
"""The largest size in the image's info.json."""
READERS = "192.0.2.7"


class HeldImages(NamingImages):
    """Images that are not made before the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.held = asyncio.Event()
        self.made: Counter[str] = Counter()

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        await self.held.wait()
        self.made[request.canonical] += 1
        return await super().derivative(image, request)


class Crowd:
    """Requests that are under way at the same time."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.tasks: list[asyncio.Task[Response]] = []

    async def ask(self, path: str, address: str) -> None:
        headers = {**HOST, "x-viewer-address": address}
        request = Request(method="GET", path=path, headers=headers)
        self.tasks.append(asyncio.create_task(self.gateway.respond(request)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def end(self) -> list[Response]:
        return await asyncio.gather(*self.tasks)


def swarm(number: int) -> str:
    """An enlargement that nobody asked for before: 20 megapixels as PNG."""
    return f"/iiif/3/a/full/^{5_000 - number},4000/0/default.png"


def bench(**settings: object) -> tuple[Bench, HeldImages]:
    made = Bench(**settings)
    images = made.images = HeldImages()
    return made, images


def test_a_swarm_is_refused_and_pointed_to_the_dumps() -> None:
    made, images = bench(under_pressure="refuse")

    async def work(gateway: Gateway) -> None:
        crowd = Crowd(gateway)
        for number in range(200):
            await crowd.ask(swarm(number), f"198.51.{number}.1")
        visitor = Crowd(gateway)
        for path in (TILE, LISTED, IMAGE, "/iiif/3/a/info.json"):
            await visitor.ask(path, "192.0.2.1")
        images.held.set()
        answers = await visitor.end()
        assert [answer.status for answer in answers] == [200] * 4
        refused = [answer for answer in await crowd.end() if answer.status == 503]
        assert len(refused) > 150
        body = json.loads(refused[-1].body)
        assert "info.json lists" in body["reason"]
        assert body["bulk"] == "/robots.txt"
        seconds = dict(refused[-1].headers)["retry-after"]
        assert 2 <= int(seconds) <= 60

    made.run(work)


def test_by_default_a_swarm_is_only_counted() -> None:
    made, images = bench()

    async def work(gateway: Gateway) -> None:
        crowd = Crowd(gateway)
        for number in range(60):
            await crowd.ask(swarm(number), f"198.51.{number}.1")
        samples = gateway._counters.samples()
        counted = samples['vitrine_gave_way_total{turn="third",result="counted",why="wait"}']
        images.held.set()
        assert [answer.status for answer in await crowd.end()] == [200] * 60
        assert 10 < counted < 60

    made.run(work)


def test_a_reading_room_of_three_hundred_behind_one_address_is_refused_nothing() -> None:
    """Each reader opens the image, and asks for it small, listed, large and enlarged."""
    made, images = bench(under_pressure="refuse")

    async def work(gateway: Gateway) -> None:
        crowd = Crowd(gateway)
        for _ in range(300):
            for path in ("/iiif/3/a/info.json", TILE, IMAGE, LISTED, LARGE):
                await crowd.ask(path, READERS)
        images.held.set()
        assert Counter(answer.status for answer in await crowd.end()) == {200: 1_500}

    made.run(work)


async def test_listed_sizes_do_not_wait_behind_other_large_ones(tmp_path: Path) -> None:
    image, images, limits = live("big", 4_000, 3_000), HeldImages(), Limits(area=25_000_000)
    budgets = Budgets(cores=2, refuses=False, counters=Counters())
    derivatives = Derivatives(
        images,
        settings=Bench(render_cores=2).settings,
        disk=DerivativeDisk(tmp_path),
        budgets=budgets,
        counters=Counters(),
    )
    request = Request(method="GET", path="", headers={"x-viewer-address": READERS})

    def make(path: str) -> "asyncio.Task[bytes]":
        parsed = parse_image_request(tuple(path.split("/")), V3)
        resolved = resolve(parsed, image.width, image.height, limits, image)
        return asyncio.create_task(derivatives.make(request, image, resolved))

    others = [make(f"0,0,{3_000 + number},3000/max/0/default.jpg") for number in range(40)]
    await asyncio.sleep(0.01)
    listed = make("full/4000,3000/0/default.jpg")
    await asyncio.sleep(0.01)
    images.held.set()
    await asyncio.wait([listed, *others], return_when=asyncio.FIRST_COMPLETED)
    await listed
    assert len(images.made) < 20, "it was among the first, though it was asked for last"
    await asyncio.gather(*others)
