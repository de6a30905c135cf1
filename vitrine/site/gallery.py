"""The first page: what is newest is listed, and the list is what the page is written from."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property

from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.ports import CatalogueTable, IdentifierTable, ObjectStore, VersionedStore
from vitrine.site.home_list import (
    Entry,
    HomeLists,
    HomeSources,
    Present,
    chosen_entry,
    image_entry,
    is_unused,
    look_up,
    merge,
    newest_of,
    visible_images,
)
from vitrine.site.pages.home_page import check_entry, write_home_pages
from vitrine.site.pages.page_files import JSON
from vitrine.site.pages.page_writer import put_changed
from vitrine.site.pages.stored_theme import load_theme
from vitrine.store.clock import now
from vitrine.store.collection_rules import HeldRules
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import GALLERY_KEY
from vitrine.store.omissions import FIRST_PAGE, Omissions

CACHE = "public, max-age=5"
"""Lifetime of the first page and of its list, so that nobody waits for what was published: to
invalidate them at each publication would cost more than the requests that reach the bucket for it.
"""
UPDATED_AT = "updated_at"
"""Member of a list that was made of what is published."""


@dataclass(frozen=True, kw_only=True)
class GalleryServices:
    """The services that updating the first page needs."""

    site: ObjectStore
    records: VersionedStore
    catalogue: CatalogueTable
    identifiers: IdentifierTable
    length: int
    """Images that are listed at most."""
    base: str
    """Scheme and host of the site's addresses."""

    @cached_property
    def shown(self) -> ShownIdentifiers:
        """The identifiers as their images are shown."""
        return ShownIdentifiers(self.identifiers, HeldRules(self.records))


def update_gallery(services: GalleryServices, identifiers: Iterable[str]) -> int:
    """Bring list and page up to date with what these identifiers are; return how many it shows.

    An event about an identifier is a hint that it changed: the table has its current record, and
    the bucket what is published of an object. They are read after the list, so that of two writers
    the later one has read the newer record. Raises TransientError if others kept writing at the
    same time.
    """
    changed = list(dict.fromkeys(identifiers))

    def write() -> int:
        shown, etag = _read_list(services)
        sources = HomeSources(
            site=services.site,
            catalogue=services.catalogue,
            identifiers=services.shown,
            omissions=Omissions(services.site, FIRST_PAGE),
            check=check_entry,
        )
        present = look_up(sources, changed)
        shown = _refill(services, shown, present)
        merged = merge(shown, present, services.length)
        # The time makes each list a different object, so that no late writer takes it for its own.
        listing = {UPDATED_AT: now(), **asdict(merged)}
        body = json.dumps(listing, ensure_ascii=False).encode()
        services.site.put(
            GALLERY_KEY,
            body,
            content_type=JSON,
            cache_control=CACHE,
            if_etag=etag,
        )
        return len(merged.images) + len(merged.objects) + len(merged.collections)

    shown = retry_if_changed(write, GALLERY_KEY)
    write_home(services.site, services.base)
    return shown


def begin_list(site: ObjectStore) -> int:
    """Write an empty list unless there is one already; return how many files that were.

    So its address answers 200 on a new site as well. Raises TransientError.
    """
    body = json.dumps(asdict(HomeLists())).encode()
    try:
        site.put(GALLERY_KEY, body, content_type=JSON, cache_control=CACHE, if_etag="")
    except PreconditionFailed:
        return 0
    return 1


def write_home(site: ObjectStore, base: str) -> int:
    """Write the first page in each language from the list; return how many pages there are.

    Raises TransientError.
    """

    def write() -> int:
        body, etag = _get(site)
        listing = json.loads(body) if body else {}
        shown = HomeLists(**{name: listing.get(name, []) for name in asdict(HomeLists())})
        theme = load_theme(site)
        chosen = chosen_entry(site, theme.picture) if theme.picture else None
        pages = write_home_pages(shown, theme, base, chosen)
        for page in pages:
            put_changed(site, page, CACHE)
        # Who wrote the page last has then seen the last list.
        if _get(site)[1] != etag:
            raise PreconditionFailed(GALLERY_KEY)
        return sum(not page.is_replacement for page in pages)

    return retry_if_changed(write, GALLERY_KEY)


def _refill(services: GalleryServices, shown: HomeLists, present: Present) -> HomeLists:
    """Return the lists with older images, which were not in a full list that loses some."""
    lost = present.withdrawn | present.used
    if len(shown.images) < services.length or not lost & {
        entry["identifier"] for entry in shown.images
    }:
        return shown
    return HomeLists(
        images=newest_of(shown.images, _newest_images(services), services.length + len(lost)),
        objects=shown.objects,
        collections=shown.collections,
    )


def _newest_images(services: GalleryServices) -> list[Entry]:
    return [
        image_entry(image)
        for image in visible_images(services.shown.newest(services.length))
        if is_unused(services.catalogue, services.shown, image)
    ]


def _read_list(services: GalleryServices) -> tuple[HomeLists, str]:
    """Return the stored lists and their ETag; before the first of them, images of the table."""
    body, etag = _get(services.site)
    listing = json.loads(body) if body else {}
    if UPDATED_AT not in listing:
        return HomeLists(images=_newest_images(services)), etag
    return HomeLists(**{name: listing.get(name, []) for name in asdict(HomeLists())}), etag


def _get(site: ObjectStore) -> tuple[bytes, str]:
    try:
        body, info = site.get(GALLERY_KEY)
    except ObjectMissing:
        return b"", ""
    return body, info.etag
