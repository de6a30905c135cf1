"""The list behind the gallery page: the newest published images."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.ports import IdentifierTable, ObjectStore
from vitrine.records import Live
from vitrine.store.clock import now
from vitrine.store.layout import GALLERY_KEY

ATTEMPTS = 8
_FIELDS = ("identifier", "width", "height", "published_at")


@dataclass(frozen=True, kw_only=True)
class GalleryServices:
    """What updating the gallery works with."""

    site: ObjectStore
    identifiers: IdentifierTable
    length: int


def gallery_entry(image: Live) -> dict[str, Any]:
    """What the page needs of an image: identifier, width, height, published_at."""
    return {name: getattr(image, name) for name in _FIELDS}


def merge(
    shown: Iterable[Mapping[str, Any]], published: Iterable[Mapping[str, Any]], length: int
) -> list[dict[str, Any]]:
    """`shown` with `published` in it: one entry per identifier, its newest; newest first."""
    newest: dict[str, dict[str, Any]] = {}
    for entry in (*shown, *published):
        there = newest.get(entry["identifier"])
        if there is None or there["published_at"] <= entry["published_at"]:
            newest[entry["identifier"]] = dict(entry)
    ordered = sorted(newest.values(), key=lambda entry: entry["published_at"], reverse=True)
    return ordered[:length]


def update_gallery(services: GalleryServices, identifiers: Iterable[str]) -> int:
    """Let the stored list show what is live of `identifiers`, and not what is not; its length.

    An event about an identifier is a hint that it changed: the table says what it is now. It is
    read after the list, so that of two writers the later one has read the newer record.
    Raises TransientError when others kept writing at the same time.
    """
    changed = list(dict.fromkeys(identifiers))
    for _ in range(ATTEMPTS):
        shown, etag = _stored(services)
        live, gone = _now(services, changed)
        if gone and len(shown) >= services.length:
            # What had no place before moves up.
            newest = services.identifiers.newest(services.length)
            shown += [gallery_entry(image) for image in newest]
        kept = [entry for entry in shown if entry["identifier"] not in gone]
        images = merge(kept, live, services.length)
        # The moment makes each list another object, so that no late writer takes it for its own.
        listing = {"updated_at": now(), "images": images}
        body = json.dumps(listing, ensure_ascii=False).encode()
        try:
            services.site.put(
                GALLERY_KEY,
                body,
                content_type="application/json; charset=utf-8",
                cache_control="public, max-age=5",
                if_etag=etag,
            )
        except PreconditionFailed:
            continue
        return len(images)
    raise TransientError(f"{GALLERY_KEY} is being written by others")


def _now(services: GalleryServices, changed: list[str]) -> tuple[list[dict[str, Any]], set[str]]:
    """Of these identifiers, the entries of those that are live, and the others."""
    records = {identifier: services.identifiers.get(identifier) for identifier in changed}
    live = [gallery_entry(record) for record in records.values() if isinstance(record, Live)]
    return live, set(changed) - {entry["identifier"] for entry in live}


def _stored(services: GalleryServices) -> tuple[list[dict[str, Any]], str]:
    """The list as it stands and its ETag; where there is none, what the table says and ""."""
    try:
        body, info = services.site.get(GALLERY_KEY)
    except ObjectMissing:
        return [gallery_entry(image) for image in services.identifiers.newest(services.length)], ""
    return json.loads(body)["images"], info.etag
