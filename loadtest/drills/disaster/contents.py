"""Everything that a service holds and answers, item by item, to be compared after a loss."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import brotli

from vitrine.bootstrap.deployment import Deployment
from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore, VersionedStore
from vitrine.records import Live
from vitrine.store.layout import publication_key
from vitrine.store.publications import Published, decode_publication

THREADS = 4
TILE = "0,0,{0},{1}/{0},{1}/0/default.jpg"
_CONVERSION = (
    *("published_at", "holds_from", "before", "revision"),
    *("master_version", "master_modified"),
)
"""Fields of a live record that name the time and the copy of its conversion, not what is shown."""


@dataclass(frozen=True)
class Contents:
    """Each is by name; what is not there is not in it."""

    identifiers: Mapping[str, Any]
    access_masters: Mapping[str, str]
    """SHA-256 of each object that a live image has."""
    publications: Mapping[str, str]
    """SHA-256 of what is published of each object."""
    answers: Mapping[str, tuple[int, str]]
    """Status and SHA-256 of what the origin answers: image information, a tile, a manifest."""


def take_stock(
    service: Deployment,
    access_masters: VersionedStore,
    names: Iterable[str],
    objects: Iterable[str],
) -> Contents:
    """Read all of it. What cannot be read is left out, or is an answer as it came.

    The service's own address is left out of what it says, for another may take its place.
    """
    names, objects = list(names), list(objects)
    base = service.edge_url.encode()
    records = service.identifiers.get_many(names, consistent=True)
    live = {name: record for name, record in records.items() if isinstance(record, Live)}
    return Contents(
        identifiers={name: _shown_fields(record) for name, record in records.items()},
        access_masters=_digest_objects(
            access_masters, {name: image.access_master_key for name, image in live.items()}, bytes
        ),
        publications=_digest_objects(
            service.site,
            {name: publication_key(name) for name in objects},
            lambda body: _join_documents(body).replace(base, b""),
        ),
        answers=_request_answers(service, names, live, objects),
    )


def compare_contents(before: Contents, after: Contents) -> dict[str, list[str]]:
    """Return the names that are missing, other, or new, by the kind of item."""
    return {
        kind: sorted(
            name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
        )
        for kind in ("identifiers", "access_masters", "publications", "answers")
        for expected, found in [(getattr(before, kind), getattr(after, kind))]
    }


def _shown_fields(record: Any) -> dict[str, Any]:
    fields = asdict(record)
    if isinstance(record, Live):
        return {name: value for name, value in fields.items() if name not in _CONVERSION}
    return fields


def _digest_objects(
    store: ObjectStore, keys: Mapping[str, str], said: Callable[[bytes], bytes]
) -> dict[str, str]:
    """Return the SHA-256 of what each object says, but for those that are missing."""

    def digest(item: tuple[str, str]) -> tuple[str, str]:
        name, key = item
        try:
            return name, _hash_text(said(store.get(key)[0]))
        except ObjectMissing:
            return name, ""

    with ThreadPoolExecutor(THREADS) as threads:
        return {name: found for name, found in threads.map(digest, keys.items()) if found}


def _join_documents(body: bytes) -> bytes:
    publication = decode_publication(body)
    if not isinstance(publication, Published):
        return body
    return b"".join(brotli.decompress(one) for one in publication.documents.values())


def _request_answers(
    service: Deployment, names: list[str], live: Mapping[str, Live], objects: list[str]
) -> dict[str, tuple[int, str]]:
    def paths() -> Iterator[str]:
        for name in names:
            base = f"/iiif/3/{quote(name, safe='')}"
            yield f"{base}/info.json"
            if image := live.get(name):
                yield f"{base}/{TILE.format(min(256, image.width), min(256, image.height))}"
        for name in objects:
            yield f"/presentation/3/{quote(name, safe='')}/manifest.json"

    def ask(path: str) -> tuple[int, str]:
        try:
            with urlopen(Request(service.origin_url + path), timeout=30) as answer:
                body: bytes = answer.read()
                return answer.status, _hash_text(body.replace(service.edge_url.encode(), b""))
        except HTTPError as error:
            with error:
                return error.code, ""

    requested = list(paths())
    with ThreadPoolExecutor(THREADS) as threads:
        return dict(zip(requested, threads.map(ask, requested), strict=True))


def _hash_text(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
