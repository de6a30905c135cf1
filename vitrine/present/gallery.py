"""The data of the gallery page: a list of the newest published images."""

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
    """The services that updating the gallery needs."""

    site: ObjectStore
    identifiers: IdentifierTable
    length: int


def gallery_entry(image: Live) -> dict[str, Any]:
    """Return what the page needs of an image: identifier, width, height, published_at."""
    return {name: getattr(image, name) for name in _FIELDS}


def merge_entries(
    shown: Iterable[Mapping[str, Any]], published: Iterable[Mapping[str, Any]], length: int
) -> list[dict[str, Any]]:
    """Merge two lists into one with the newest entry of each identifier; newest first."""
    newest: dict[str, dict[str, Any]] = {}
    for entry in (*shown, *published):
        known = newest.get(entry["identifier"])
        if known is None or known["published_at"] <= entry["published_at"]:
            newest[entry["identifier"]] = dict(entry)
    ordered = sorted(newest.values(), key=lambda entry: entry["published_at"], reverse=True)
    return ordered[:length]


def update_gallery(services: GalleryServices, identifiers: Iterable[str]) -> int:
    """Bring the stored list up to date with the current records; return its length.

    An event about an identifier is a hint that it changed: the table has its current record. The
    table is read after the list, so that of two writers the later one has read the newer record.
    Raises TransientError if others kept writing at the same time.
    """
    changed = list(dict.fromkeys(identifiers))
    for _ in range(ATTEMPTS):
        shown, etag = _read_list(services)
        live, gone = _read_changed(services, changed)
        if gone and len(shown) >= services.length:
            # Older images move up, which were not in the list before.
            newest = services.identifiers.newest(services.length)
            shown += [gallery_entry(image) for image in newest]
        kept = [entry for entry in shown if entry["identifier"] not in gone]
        images = merge_entries(kept, live, services.length)
        # The time makes each list a different object, so that no late writer takes it for its own.
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
    raise TransientError(f"{GALLERY_KEY} is being written by others at the same time; try again")


def _read_changed(
    services: GalleryServices, changed: list[str]
) -> tuple[list[dict[str, Any]], set[str]]:
    """Return the entries of the identifiers that are live, and the other identifiers."""
    records = {identifier: services.identifiers.get(identifier) for identifier in changed}
    live = [gallery_entry(record) for record in records.values() if isinstance(record, Live)]
    return live, set(changed) - {entry["identifier"] for entry in live}


def _read_list(services: GalleryServices) -> tuple[list[dict[str, Any]], str]:
    """Return the stored list and its ETag; without one, a list from the table, and ""."""
    try:
        body, info = services.site.get(GALLERY_KEY)
    except ObjectMissing:
        return [gallery_entry(image) for image in services.identifiers.newest(services.length)], ""
    return json.loads(body)["images"], info.etag
