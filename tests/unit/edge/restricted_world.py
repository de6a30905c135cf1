"""The edge's functions, its cache and the gateway, and who may see what of a few images."""

import json
import re
import subprocess
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.unit.deliver.answer.gateway_bench import Bench
from tests.unit.deliver.deliver_records import CHANGED, live
from tests.unit.edge.edge_vectors import FUNCTIONS
from vitrine.access.collection_rules import CollectionRule, CollectionRules
from vitrine.access.keys import Keys
from vitrine.access.rules import INHERITED
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.derivative_cache import NAME_HEADER, is_sent_to_cache
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.tiles.position import TilePosition
from vitrine.edge.functions import RESTRICTED_REQUEST, VIEWER_REQUEST
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.store.layout import COLLECTION_RULES
from vitrine.store.ticket_keys import TicketKeys, change_ticket_keys

RUNNER = Path(__file__).with_name("run_edge.js")
VIEWER = "192.0.2.1"
KEYS = Keys.create()
RULES = ("open", "closed", "small:700", "small:700:staff", "staff", "curators", "")
TICKET = "v1."
"""Beginning of each ticket: what is kept for everybody names none."""
OWN = re.compile(r"/restricted/[a-z]+/[\w-]{43}/iiif/[23]/[^/]+/info\.json")
"""Address of what is kept for one ticket alone, by its signature."""
NO_SIZES: Mapping[str, tuple[int, int]] = {}
SMALL_LEVEL = 1
"""The level of an image of 1,300 x 1,000 pixels that `small:700` shows."""


class TellingImages:
    """Answers with what was made: of which access master, which level, region and size."""

    def tile_now(self, image: Live, position: TilePosition) -> tuple[bytes, ...] | None:
        return (json.dumps([image.access_master_key, position.level]).encode(),)

    def missing_bytes(self, image: Live, request: ResolvedRequest) -> int | None:
        return 0

    async def tile(self, image: Live, request: ResolvedRequest, position: TilePosition) -> bytes:
        return json.dumps([image.access_master_key, position.level]).encode()

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        level = 0
        while request.width << level + 1 <= request.region.width + (1 << level + 1) - 1 and (
            request.height << level + 1 <= request.region.height + (1 << level + 1) - 1
        ):
            level += 1
        return json.dumps([image.access_master_key, level]).encode()

    async def pieces(self, image: Live) -> AsyncGenerator[bytes]:
        yield json.dumps([image.access_master_key, 0]).encode()

    async def check(self) -> None:
        return


@dataclass(frozen=True)
class Asked:
    """A request of a viewer at the edge."""

    path: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    address: str = VIEWER

    def event(self) -> dict[str, Any]:
        named = {"host": "images.example.org", **self.headers}
        return {
            "version": "1.0",
            "viewer": {"ip": self.address},
            "request": {
                "method": self.method,
                "uri": self.path,
                "querystring": {},
                "headers": {name: {"value": value} for name, value in named.items()},
                "cookies": {name: {"value": value} for name, value in self.cookies.items()},
            },
        }


@dataclass(frozen=True)
class Got:
    """What a viewer got, and what the gateway was requested for it, if it was."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    hit: bool = False

    def pixels(self) -> tuple[str, int] | None:
        """The access master and the level that are shown."""
        try:
            shown = json.loads(self.body)
        except ValueError:
            return None
        return (shown[0], shown[1]) if isinstance(shown, list) else None


def records(
    rules: Mapping[str, str], sizes: Mapping[str, tuple[int, int]] = NO_SIZES
) -> list[Record]:
    """An image for each rule, with another name before; one withdrawn.

    The first, third and so on are being replaced, and what they were before is still shown. Most
    have their rule from a collection (`write_rules`).
    `sizes` are width and height of the newest versions, where these are not as large as before.
    """
    images: list[Record] = []
    for number, (name, rule) in enumerate(rules.items()):
        ruled: dict[str, Any] = {"access": rule}
        if number % 3:
            ruled = {"access": INHERITED, "collections": (name,)}
        before = live(name, access_master_key=f"{name}/before", **ruled)
        replaced = {"before": before, "holds_from": "2099-01-01T00:00:00Z"}
        images.append(
            live(
                name,
                *sizes.get(name, ()),
                access_master_key=f"{name}/now",
                version="fedcba9876543210",
                **ruled,
                **({} if number % 2 else replaced),
            )
        )
        images.append(Redirect(identifier=f"old {name}", target=name, changed_at=CHANGED))
    return [*images, Gone(identifier="gone", reason="Rights.", changed_at=CHANGED)]


def write_rules(store: MemoryObjectStore, rules: Mapping[str, str]) -> None:
    """Write the rules of the collections that images are in, one for each image."""
    table = CollectionRules(1, {name: CollectionRule(rule=rule) for name, rule in rules.items()})
    store.put(COLLECTION_RULES, table.encode(), content_type="application/json")


def run_functions(events: list[dict[str, Any]], keys: TicketKeys) -> list[dict[str, Any]]:
    """What the functions of the edge return."""
    written = {
        "everybody": [str(FUNCTIONS / name) for name in VIEWER_REQUEST],
        "restricted": [str(FUNCTIONS / name) for name in RESTRICTED_REQUEST],
        "store": keys.edge_values(),
        "events": events,
    }
    done = subprocess.run(
        ["node", RUNNER], input=json.dumps(written), capture_output=True, text=True, check=True
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def visit(
    rules: Mapping[str, str],
    keys: TicketKeys,
    requests: list[Asked],
    derivatives: dict[str, Response] | None = None,
    sizes: Mapping[str, tuple[int, int]] = NO_SIZES,
) -> list[Got]:
    """What these viewers get, one after the other, of an edge whose cache is empty at first.

    `derivatives` is nginx's cache at the origin, which goes on when rules change.
    """
    verdicts = run_functions([requested.event() for requested in requests], keys)
    bench = Bench(*records(rules, sizes), derivative_cache_mebibytes=1)
    kept_at_origin = {} if derivatives is None else derivatives
    bench.images = TellingImages()
    change_ticket_keys(bench.ticket_keys, lambda current: keys)
    write_rules(bench.ticket_keys, rules)

    async def answer_all(gateway: Gateway) -> list[Got]:
        cache: dict[tuple[str, str], Response] = {}
        return [
            await _answer(gateway, (cache, kept_at_origin), requested, verdict)
            for requested, verdict in zip(requests, verdicts, strict=True)
        ]

    return bench.run(answer_all)


async def _answer(
    gateway: Gateway,
    caches: tuple[dict[tuple[str, str], Response], dict[str, Response]],
    requested: Asked,
    verdict: dict[str, Any],
) -> Got:
    if "statusCode" in verdict:
        body = verdict.get("body", {}).get("data", "").encode()
        named = {name: item["value"] for name, item in verdict["headers"].items()}
        return Got(verdict["statusCode"], body, named)
    sent = {name: item["value"] for name, item in verdict["headers"].items()}
    cache, derivatives = caches
    key = verdict["uri"], sent.get("accept", "")
    hit = key in cache
    if not hit:
        # As the origin request policies have it: nothing else of a viewer's goes on.
        passed = ("x-viewer-address", "x-viewer-signals", "x-vitrine-ticket", "accept", "range")
        headers = {"host": "images.example.org"} | {
            name: sent[name] for name in passed if name in sent
        }
        cache[key] = await _ask_origin(gateway, derivatives, verdict["uri"], headers)
    kept = cache[key]
    assert TICKET not in key[0]
    assert OWN.fullmatch(key[0]) or TICKET not in f"{kept.headers}{kept.body!r}", key
    life = dict(kept.headers).get("cache-control", "no-store")
    if "no-store" in life or kept.status not in (200, 301, 302, 303, 400, 403, 404):
        del cache[key]
    etag = dict(kept.headers).get("etag")
    known = etag is not None and requested.headers.get("if-none-match") in (etag, "*")
    if known and kept.status == 200:
        return Got(304, kept.body, dict(kept.headers), hit)
    return Got(kept.status, kept.body, dict(kept.headers), hit)


async def _ask_origin(
    gateway: Gateway, derivatives: dict[str, Response], uri: str, headers: Mapping[str, str]
) -> Response:
    """Return the answer of the origin, whose nginx keeps derivatives by the gateway's names."""
    response = await _ask_gateway(gateway, uri, headers)
    if not is_sent_to_cache(response):
        return response
    name = dict(response.headers)["x-accel-redirect"]
    if name not in derivatives:
        derivatives[name] = await _ask_gateway(gateway, uri, {**headers, NAME_HEADER: name})
    return derivatives[name]


async def _ask_gateway(gateway: Gateway, uri: str, headers: Mapping[str, str]) -> Response:
    request = Request(method="GET", path=uri, headers=headers)
    ready = gateway.respond_now(request)
    response = await gateway.respond(request)
    if ready is not None:
        assert b"".join(ready.pieces) == response.body
    if response.rest is None:
        return response
    rest = b"".join([piece async for piece in response.rest])
    return Response(status=response.status, headers=response.headers, body=response.body + rest)
