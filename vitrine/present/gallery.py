"""The list behind the gallery page: the newest published images."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.identify.record import Live
from vitrine.ports import IdentifierTable, ObjectStore
from vitrine.store.layout import GALLERY_KEY

ATTEMPTS = 8
_FIELDS = ("identifier", "width", "height", "published_at")


@dataclass(frozen=True, kw_only=True)
class GalleryServices:
    """What updating the gallery works with."""

    site: ObjectStore
    identifiers: IdentifierTable
    length: int


def gallery_entry(image: Live | Mapping[str, Any]) -> dict[str, Any]:
    """What the page needs of an image: identifier, width, height, published_at.

    Takes a record or the detail of an ImagePublished event. Raises KeyError.
    """
    values = vars(image) if isinstance(image, Live) else image
    return {name: values[name] for name in _FIELDS}


def merge(
    shown: Iterable[Mapping[str, Any]], published: Iterable[Mapping[str, Any]], length: int
) -> list[dict[str, Any]]:
    """`shown` with `published` in it: one entry per identifier, its newest; newest first.

    The order in which events arrive does not matter.
    """
    newest: dict[str, dict[str, Any]] = {}
    for entry in (*shown, *published):
        there = newest.get(entry["identifier"])
        if there is None or there["published_at"] <= entry["published_at"]:
            newest[entry["identifier"]] = dict(entry)
    ordered = sorted(newest.values(), key=lambda entry: entry["published_at"], reverse=True)
    return ordered[:length]


def update_gallery(services: GalleryServices, published: Iterable[Mapping[str, Any]]) -> int:
    """Merge `published` into the stored list; the number of images it now shows.

    Raises TransientError when others kept writing at the same time.
    """
    entries = list(published)
    for _ in range(ATTEMPTS):
        shown, etag = _stored(services)
        images = merge(shown, entries, services.length)
        body = json.dumps({"images": images}, ensure_ascii=False).encode()
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


def _stored(services: GalleryServices) -> tuple[list[dict[str, Any]], str]:
    """The list as it stands and its ETag; where there is none, what the table says and ""."""
    try:
        body, info = services.site.get(GALLERY_KEY)
    except ObjectMissing:
        return [gallery_entry(image) for image in services.identifiers.newest(services.length)], ""
    return json.loads(body)["images"], info.etag
