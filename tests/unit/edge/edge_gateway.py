"""The real gateway in memory, over images that only say how they were asked for."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import replace

from tests.rigs.records import live
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
from vitrine.identify.canary import CANARY
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.settings.deliver import DeliverSettings

CHANGED = "2026-02-03T04:05:06Z"
SIZES = {
    "a": (1300, 1000),
    "dot": (1, 1),
    "huge": (60_000, 40_000),
    "ark:/12148/btv1b é": (300, 301),
    "Ünïcode+(1)!": (7300, 4100),
}
"""Width and height by identifier; `huge` is beyond what may be delivered at once."""


class NamingImages:
    """Answers with the position of a tile, or with what is to be rendered."""

    def tile_now(self, image: Live, position: TilePosition) -> bytes | None:
        return None

    async def tile(self, image: Live, request: ResolvedRequest, position: TilePosition) -> bytes:
        return repr((image.identifier, position)).encode()

    def missing_bytes(self, image: Live, request: ResolvedRequest) -> int | None:
        return 0

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        return repr((image.identifier, request)).encode()

    async def pieces(self, image: Live) -> AsyncGenerator[bytes]:
        yield repr(image.identifier).encode()


def _records() -> list[Record]:
    return [
        *(_live(identifier, *size) for identifier, size in SIZES.items()),
        Redirect(identifier="old", target="a", changed_at=CHANGED),
        Gone(identifier="lost", reason="rights", changed_at=CHANGED),
    ]


def _live(identifier: str, width: int, height: int) -> Live:
    levels = [(width, height)]
    while max(levels[-1]) > 256:
        levels.append((-(-levels[-1][0] // 2), -(-levels[-1][1] // 2)))
    return live(identifier, access_master_key="k.tif", levels=tuple(levels), published_at=CHANGED)


def ask_gateway(requests: Iterable[tuple[str, str]]) -> list[Response]:
    """The answers to requests, each a method and a path."""
    settings = DeliverSettings(
        access_masters_bucket="b",
        site_bucket="b",
        identifiers_table="t",
        public_base_url="https://images.example.org",
        derivative_cache_mebibytes=0,
        # The seconds for which nginx may keep an answer pass meanwhile.
        tile_cache_mebibytes=0,
    )

    async def ask() -> list[Response]:
        lookup = RecordLookup(MemoryIdentifierTable(CANARY, *_records()), 3600)
        gateway = Gateway(
            settings=settings,
            lookup=lookup,
            images=(images := NamingImages()),
            whole_images=images,
            page_pictures=images,  # type: ignore[arg-type]
            page_texts=PageTexts(MemoryObjectStore(), Faults()),
            publications=Publications(MemoryObjectStore()),
            readiness=Readiness({}),
        )
        try:
            answers = []
            for method, path in requests:
                answer = await gateway.respond(Request(method=method, path=path))
                if answer.rest:
                    await answer.rest.aclose()
                answers.append(replace(answer, rest=None))
            return answers
        finally:
            lookup.close()

    return asyncio.run(ask())
