"""A gateway in memory, over images that only name what was requested."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, TypeVar

from tests.unit.deliver.deliver_records import GONE, REDIRECT, live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.admission import TicketAdmission
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.answer.page_texts import PageTexts
from vitrine.deliver.answer.publications import Publications
from vitrine.deliver.answer.rules_watch import RulesWatch
from vitrine.deliver.http.exchange import ReadyResponse, Request, Response
from vitrine.deliver.http.faults import Faults
from vitrine.deliver.http.health import Readiness
from vitrine.deliver.tiles.position import TilePosition
from vitrine.identify.canary import CANARY
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live, Record
from vitrine.settings.deliver import DeliverSettings
from vitrine.store.ticket_keys import CachedTicketKeys

IMAGE = "/iiif/3/a/full/!100,100/0/default.jpg"
NAMED = "/iiif/3/a/full/!300,300/0/default.jpg"
"""One that nginx keeps under a name; the image above is a thumbnail."""
LARGE = "/iiif/3/a/full/^!3000,3000/0/default.jpg"
TILE = "/iiif/3/a/512,0,512,512/256,256/0/default.jpg"
HOST = {"host": "Images.Example.org"}
T = TypeVar("T")


class NamingImages:
    """Answers with the canonical form of the request, or with the position of a tile."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.missing: int | None = 0

    def tile_now(self, image: Live, position: TilePosition) -> tuple[bytes, ...] | None:
        return None if self.error else (repr(position).encode(),)

    def missing_bytes(self, image: Live, request: ResolvedRequest) -> int | None:
        return self.missing

    async def tile(self, image: Live, request: ResolvedRequest, position: TilePosition) -> bytes:
        if self.error:
            raise self.error
        return repr(position).encode()

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        if self.error:
            raise self.error
        return request.canonical.encode()

    async def pieces(self, image: Live) -> AsyncGenerator[bytes]:
        if self.error:
            raise self.error
        yield b"the whole of "
        yield image.identifier.encode()

    async def check(self) -> None:
        if self.error:
            raise self.error


def decode(ready: ReadyResponse) -> Response:
    """The response whose bytes these are."""
    status, *lines = ready.head.decode().removesuffix("\r\n").split("\r\n")
    assert status == "HTTP/1.1 200 OK"
    names_and_values = (line.partition(": ") for line in lines)
    headers = tuple((name, value) for name, _, value in names_and_values)
    return Response(status=200, headers=headers, body=b"".join(ready.pieces))


class Bench:
    """A gateway in memory, without nginx's caches unless the test sets them."""

    def __init__(self, *records: Record, **changes: object) -> None:
        self.records = records or (live(), REDIRECT, GONE)
        self.images: Any = NamingImages()
        self.ticket_keys = MemoryObjectStore()
        self.site = MemoryObjectStore()
        settings: dict[str, object] = {
            "access_masters_bucket": "b",
            "site_bucket": "s",
            "identifiers_table": "t",
            "derivative_cache_mebibytes": 0,
            "tile_cache_mebibytes": 0,
        }
        self.settings = DeliverSettings(**{**settings, **changes})  # type: ignore[arg-type]

    def ask(self, path: str, method: str = "GET", **headers: str) -> Response:
        return self.ask_both(path, method, **headers)[0]

    def ask_both(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[Response, Response | None]:
        """The answer, and the one at once to the same request after it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = Request(method=method, path=path, headers={**HOST, **named})

        async def respond(gateway: Gateway) -> tuple[Response, Response | None]:
            assert gateway.respond_now(request) is None, "nothing is known of any image yet"
            considered, at_once = await gateway.respond(request), gateway.respond_now(request)
            return considered, at_once and decode(at_once)

        return self.run(respond)

    def run(self, work: Callable[[Gateway], Awaitable[T]]) -> T:
        async def with_gateway() -> T:
            table, rules = (
                MemoryIdentifierTable(CANARY, *self.records),
                RulesWatch(self.ticket_keys, 30),
            )
            lookup = RecordLookup(table, 30, rules=rules)
            gateway = Gateway(
                settings=self.settings,
                lookup=lookup,
                images=self.images,
                whole_images=self.images,
                page_pictures=self.images,
                page_texts=PageTexts(self.site, Faults()),
                publications=Publications(self.site),
                readiness=Readiness({"iipsrv": self.images.check}),
                admission=TicketAdmission(CachedTicketKeys(self.ticket_keys)),
            )
            try:
                return await work(gateway)
            finally:
                lookup.close()

        return asyncio.run(with_gateway())


def header(response: Response, name: str) -> str:
    values = [value for key, value in response.headers if key == name]
    assert len(values) == 1, f"{name} {len(values)} times"
    return values[0]
