"""Answers of the search from a store over HTTP, for search_inside.py and search_across.py.

The store is the S3 of the emulator, in a process of its own on this machine. What asks it is the
function behind the Lambda's handler, with boto3. Milliseconds are of the wall clock. A delay is
slept before each request is sent, in the thread that sends it, as S3 within a region takes some
20 ms to its first byte: so requests one after the other cost as many delays, and those at the same
time one. A proxy that waits would do the same, and take the CPU from what is measured.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote, unquote

import brotli
import msgspec

from loadtest.rigs.free_port import free_ports
from tests.benchmarks.raw_rounds import ROUNDS
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.api.http import Request
from vitrine.api.search_inside import InsideServices, answer
from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.image_resource import ImageResource
from vitrine.iiif.presentation.model import Canvas, PublishedObject
from vitrine.local import emulator, process
from vitrine.ports import ObjectInfo, Part
from vitrine.present.across.search import Across
from vitrine.present.inside.stored import StoredIndexes
from vitrine.present.objects.compose import QUALITY
from vitrine.store.layout import PUBLICATIONS, identifier_of_publication
from vitrine.store.publications import Published, decode_publication, encode_publication

BASE, BUCKET, REGION = "https://museum.example", "site", "us-east-1"
DELAYS = (0.0, 0.02)
"""Seconds that each request waits."""
Kinds = Sequence[tuple[str, str, str]]
"""Kind, path and query of each request."""


class MeasuredStore(S3ObjectStore):
    """The bucket; it counts what is read."""

    def __init__(self, client: Any) -> None:
        super().__init__(client, BUCKET)
        self._lock = Lock()
        self.reads: list[int] = []
        """Bytes of each request."""

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        body, info = super().get(key)
        self._count(len(body))
        return body, info

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> Part:
        part = super().read(key, start, length, version=version, if_etag=if_etag)
        self._count(len(part.data))
        return part

    def _count(self, size: int) -> None:
        with self._lock:
            self.reads.append(size)


@contextmanager
def running_store(folder: Path) -> Iterator[list[MeasuredStore]]:
    """Run a store in a folder; yield access to its bucket with each delay."""
    [port] = free_ports(1)
    try:
        emulator.start(folder, port, REGION)
        clients = [emulator.access(REGION, port).client("s3") for _ in DELAYS]
        clients[0].create_bucket(Bucket=BUCKET)
        for client, delay in zip(clients, DELAYS, strict=True):
            if delay:
                client.meta.events.register(
                    "before-send.s3.GetObject", lambda delay=delay, **sent: time.sleep(delay)
                )
        yield [MeasuredStore(client) for client in clients]
    finally:
        process.stop_all(folder)


def make_publication(identifier: str, pages: int, index: str) -> bytes:
    """Return the publication of a book, with its manifests of both versions."""
    images = {
        name: ImageResource(name, 2_400, 3_600, (2_400, 3_600), (300, 450))
        for name in (f"{identifier}-{number:04}" for number in range(1, pages + 1))
    }
    canvases = tuple(Canvas(image=name, label={"none": (name[-4:],)}) for name in images)
    item = PublishedObject(
        identifier=identifier, label={"en": (f"Volume {identifier}",)}, canvases=canvases
    )
    made = {
        version: module.build_manifest(item, images, BASE, is_searched=True)
        for version, module in ((2, version2), (3, version3))
    }
    documents = {
        version: brotli.compress(msgspec.json.encode(document), quality=QUALITY)
        for version, document in made.items()
    }
    return encode_publication(
        Published(revision=1, kind="manifest", documents=documents, text_index=index)
    )


def copy_books(folder: Path, store: MeasuredStore, pages: int) -> None:
    """Copy a collection of search_across.py into the bucket, with manifests of so many pages."""
    for path in folder.iterdir():
        key, body = unquote(path.name), path.read_bytes()
        if key.startswith(PUBLICATIONS):
            publication = decode_publication(body)
            assert isinstance(publication, Published)
            identifier = identifier_of_publication(key)
            body = make_publication(identifier, pages, publication.text_index)
        store.put(key, body, content_type="application/octet-stream")


def measure_store(stores: Sequence[MeasuredStore], requests: Kinds, rounds: int) -> dict[str, Any]:
    """Return the figures of each delay, cold and warm; rounds of all of them follow each other.

    Cold is a process that has read nothing, with open connections; warm has what the requests
    before it read.
    """
    ways = [(store, is_warm) for store in stores for is_warm in (False, True)]
    taken: list[dict[str, list[list[tuple[float, int, int]]]]] = [defaultdict(list) for _ in ways]
    loads = []
    for _ in range(rounds):
        loads.append(round(os.getloadavg()[0], 1))
        for place, (store, is_warm) in enumerate(ways):
            for kind, figures in _ask_all(store, requests, is_warm=is_warm).items():
                taken[place][kind].append(figures)
    found: dict[str, Any] = {"load": loads}
    for place, delay in enumerate(DELAYS):
        both = {"cold": taken[2 * place], "warm": taken[2 * place + 1]}
        found[f"{1_000 * delay:.0f} ms more"] = {
            name: {kind: _summarize(several) for kind, several in figures.items()}
            for name, figures in both.items()
        }
    return found


def _ask_all(
    store: MeasuredStore, requests: Kinds, *, is_warm: bool
) -> dict[str, list[tuple[float, int, int]]]:
    figures: dict[str, list[tuple[float, int, int]]] = defaultdict(list)
    services = _start(store)
    for kind, path, query in requests:
        services = services if is_warm else _start(store)
        store.reads.clear()
        request = Request(method="GET", path=path, query=f"q={quote(query)}", caller="")
        began = time.perf_counter()
        response = answer(services, request)
        spent = 1_000 * (time.perf_counter() - began)
        assert response.status in (200, 400), response.body
        for one in {kind, "all"}:
            figures[one].append((spent, len(store.reads), sum(store.reads)))
    return figures


def _start(store: MeasuredStore) -> InsideServices:
    indexes = StoredIndexes(store)
    return InsideServices(store, indexes, Across(store, indexes), BASE)


def _summarize(rounds: Sequence[Sequence[tuple[float, int, int]]]) -> dict[str, Any]:
    """Return figures of all rounds together, and the milliseconds of each."""
    times, requests, sizes = zip(*(one for figures in rounds for one in figures), strict=True)
    return {
        "p50_ms": round(_percentile(times, 50), 1),
        "p99_ms": round(_percentile(times, 99), 1),
        ROUNDS: [
            {
                "p50_ms": round(_percentile([one[0] for one in figures], 50), 1),
                "p99_ms": round(_percentile([one[0] for one in figures], 99), 1),
            }
            for figures in rounds
        ],
        "requests": round(sum(requests) / len(requests), 2),
        "p99_requests": _percentile(requests, 99),
        "p50_bytes": _percentile(sizes, 50),
        "p99_bytes": _percentile(sizes, 99),
    }


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]
