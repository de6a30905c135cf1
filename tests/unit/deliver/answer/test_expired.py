"""Answers that may be out of date are given, but no cache keeps them: the edge is purged once."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

import pytest

from tests.unit.deliver.deliver_records import GONE, REDIRECT, live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.answer.page_texts import PageTexts
from vitrine.deliver.answer.publications import Publications
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.http.faults import Faults
from vitrine.deliver.http.health import Readiness
from vitrine.deliver.tiles.position import TilePosition
from vitrine.errors import TransientError
from vitrine.identify.canary import CANARY
from vitrine.identify.switch import replace_later
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live, Record
from vitrine.settings.deliver import DeliverSettings
from vitrine.store.layout import cache_tag

HOST = {"host": "images.example.org"}
TTL = 30.0
PATHS = (
    "/iiif/3/a/512,0,512,512/256,256/0/default.jpg",
    "/iiif/3/a/full/!100,100/0/default.jpg",
    "/iiif/3/a/full/^!3000,3000/0/default.jpg",
    "/iiif/3/a/info.json",
    "/iiif/3/old/full/max/0/default.jpg",
)


class Table(MemoryIdentifierTable):
    """A table that can be made to fail."""

    is_broken = False

    def get(self, identifier: str) -> Record | None:
        if self.is_broken:
            raise TransientError("no answer")
        return super().get(identifier)


class SlowImages:
    """Images that call `meanwhile`, and await `renewal`, which the test sets, while they work."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], None] = lambda: None
        self.renewal: Callable[[], Awaitable[None]] | None = None

    def tile_now(self, image: Live, position: TilePosition) -> bytes | None:
        return image.version.encode()

    async def tile(self, image: Live, request: ResolvedRequest, position: TilePosition) -> bytes:
        self.meanwhile()
        return image.version.encode()

    def missing_bytes(self, image: Live, request: ResolvedRequest) -> int | None:
        return 0

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        self.meanwhile()
        if self.renewal:
            await self.renewal()
        return image.version.encode()

    async def check(self) -> None:
        return


class Bench:
    """A gateway with a table, a clock and images that the test controls."""

    def __init__(self) -> None:
        self.now = 0.0
        self.table = Table(CANARY, live(), REDIRECT, GONE)
        self.images = SlowImages()

    def run(
        self, work: Callable[[Gateway], Awaitable[None]], *, wall: float = 0.0, **changes: int
    ) -> None:
        settings = DeliverSettings(
            access_masters_bucket="b",
            site_bucket="b",
            identifiers_table="t",
            **{"derivative_cache_mebibytes": 0, **changes},  # type: ignore[arg-type]
        )

        async def with_gateway() -> None:
            self.lookup = lookup = RecordLookup(
                self.table, TTL, lambda: self.now, wall_clock=lambda: wall + self.now
            )
            gateway = Gateway(
                settings=settings,
                lookup=lookup,
                images=self.images,
                whole_images=self.images,
                page_pictures=self.images,
                page_texts=PageTexts(MemoryObjectStore(), Faults()),
                publications=Publications(MemoryObjectStore()),
                readiness=Readiness({"iipsrv": self.images.check}),
            )
            try:
                await work(gateway)
            finally:
                lookup.close()

        asyncio.run(with_gateway())

    def replace(self) -> None:
        """Publish the image again."""
        current = self.table.get("a")
        assert current
        self.table.write(live(version="f" * 16, revision=current.revision + 1), current)


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def ask(gateway: Gateway, path: str, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await gateway.respond(Request(method="GET", path=path, headers={**HOST, **named}))


def life(response: Response) -> str:
    [value] = [value for name, value in response.headers if name == "cache-control"]
    return value


@pytest.mark.parametrize("path", PATHS)
def test_no_cache_keeps_what_an_expired_record_says(bench: Bench, path: str) -> None:
    async def work(gateway: Gateway) -> None:
        first = await ask(gateway, path)
        assert life(first).startswith("public, max-age=")
        bench.now, bench.table.is_broken = TTL + 1, True
        bridged = await ask(gateway, path)
        assert (bridged.status, bridged.body) == (first.status, first.body)
        assert life(bridged) == "no-store"
        bench.table.is_broken = False
        assert life(await ask(gateway, path)) == life(first)

    bench.run(work)


@pytest.mark.parametrize("path", PATHS[:3])
def test_no_cache_keeps_an_image_that_was_replaced_while_it_was_made(
    bench: Bench, path: str
) -> None:
    def meanwhile() -> None:
        bench.now += TTL + 1
        bench.replace()

    async def work(gateway: Gateway) -> None:
        bench.images.meanwhile = meanwhile
        assert life(await ask(gateway, path)) == "no-store"

    bench.run(work)


@pytest.mark.parametrize("path", PATHS[:3])
def test_an_image_that_took_long_and_is_still_current_is_kept(bench: Bench, path: str) -> None:
    def meanwhile() -> None:
        bench.now += TTL + 1

    async def work(gateway: Gateway) -> None:
        bench.images.meanwhile = meanwhile
        assert "s-maxage" in life(await ask(gateway, path))

    bench.run(work)


def test_our_own_cache_keeps_no_derivative_that_may_be_out_of_date(bench: Bench) -> None:
    path = "/iiif/3/a/full/!300,300/0/default.jpg"

    async def work(gateway: Gateway) -> None:
        handed_over = dict((await ask(gateway, path)).headers)
        assert "cache-control" not in handed_over
        bench.now, bench.table.is_broken = TTL + 1, True
        bridged = await ask(gateway, path)
        assert life(bridged) == "no-store"
        name = dict(bridged.headers)["x-accel-redirect"]
        rendered = await ask(gateway, path, x_derivative=name)
        assert life(rendered) == "no-store"
        assert "x-accel-expires" not in dict(rendered.headers)

    bench.run(work, derivative_cache_mebibytes=1)


def test_what_was_made_while_its_record_was_renewed_is_kept_by_address_if_it_is_the_same(
    bench: Bench,
) -> None:
    """The record that was found is still trusted, so the answer is; nginx would keep it longer."""

    async def renewal() -> None:
        # Until it has come, the old record is to be looked at again after a second.
        while not (found := bench.lookup.live_now("a")) or found[1] <= 1:
            await asyncio.sleep(0.001)

    async def work(gateway: Gateway) -> None:
        bench.images.renewal = renewal
        for is_replaced in (False, True):
            await ask(gateway, PATHS[1])
            if is_replaced:
                bench.replace()
            bench.now += 0.9 * TTL
            headers = dict((await ask(gateway, PATHS[1])).headers)
            assert "s-maxage" in headers["cache-control"]
            assert ("x-accel-expires" in headers) is not is_replaced

    bench.run(work, tile_cache_mebibytes=1)


def test_one_tag_stands_for_an_image_however_its_accents_are_written(bench: Bench) -> None:
    bench.table = Table(CANARY, live("\u00e9t\u00e9"))
    composed, decomposed = "%C3%A9t%C3%A9", "e%CC%81te%CC%81"

    async def work(gateway: Gateway) -> None:
        for suffix in ("info.json", "full/!100,100/0/default.jpg", "full/x/0/default.jpg"):
            for name in (composed, decomposed):
                response = await ask(gateway, f"/iiif/3/{name}/{suffix}")
                assert dict(response.headers)["cache-tag"] == cache_tag("\u00e9t\u00e9")

    bench.run(work)


@pytest.mark.parametrize("path", PATHS[:4])
def test_what_no_cache_may_keep_is_sent_whole(bench: Bench, path: str) -> None:
    """A 304 with no-store renews what nginx has, by nginx's own configuration."""

    async def work(gateway: Gateway) -> None:
        etag = dict((await ask(gateway, path)).headers)["etag"]
        assert (await ask(gateway, path, if_none_match=etag)).status == 304
        bench.now, bench.table.is_broken = TTL + 1, True
        bridged = await ask(gateway, path, if_none_match=etag)
        assert (bridged.status, life(bridged)) == (200, "no-store")

    bench.run(work)


@pytest.mark.parametrize("path", PATHS[:4])
def test_what_the_edge_keeps_of_an_old_version_ends_before_the_switch(
    bench: Bench, path: str
) -> None:
    published = datetime.fromisoformat("2026-11-22T10:00:00.000Z").timestamp()
    old = bench.table.get("a")
    assert isinstance(old, Live)

    async def work(gateway: Gateway) -> None:
        before = await ask(gateway, path)
        etag = dict(before.headers)["etag"]
        new = live(version="f" * 16, revision=1, published_at="2026-11-22T10:00:00.000Z")
        bench.table.write(replace_later(old, new, 90), old)
        for now, edge in ((TTL + 1, 58), (80.0, 9), (88.0, 1)):
            bench.now = now
            for named in ({}, {"if_none_match": etag}):
                answer = await ask(gateway, path, **named)
                assert dict(answer.headers)["etag"] == etag, now
                assert life(answer) == f"public, max-age={edge}, s-maxage={edge}"
        bench.now = 89.0
        last = await ask(gateway, path, if_none_match=etag)
        assert (last.status, last.body, life(last)) == (200, before.body, "no-store")
        bench.now = 90.0
        switched = await ask(gateway, path)
        assert life(switched) == life(before)
        assert (dict(switched.headers)["etag"] == etag) is path.endswith("info.json")

    bench.run(work, wall=published)
