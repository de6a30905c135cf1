"""What the first page shows: the newest collections, objects, and images that no object shows."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.identify.public_image import visible_image
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.ports import CatalogueTable, ObjectStore
from vitrine.records import Live
from vitrine.store.layout import image_subject, publication_key
from vitrine.store.omissions import Omissions
from vitrine.store.publications import Published, decode_publication
from vitrine.store.published_document import (
    PublishedDocument,
    UnusablePublication,
    read_document,
)
from vitrine.text.plain_texts import describe_briefly

OBJECTS, COLLECTIONS = 60, 60
"""Entries that are kept; more than are shown, since some of them go."""
THREADS = 8
_FIELDS = ("identifier", "width", "height", "published_at")
Entry = dict[str, Any]


@dataclass
class HomeLists:
    """The lists, newest first."""

    images: list[Entry] = field(default_factory=list)
    objects: list[Entry] = field(default_factory=list)
    collections: list[Entry] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Present:
    """What identifiers are now."""

    names: frozenset[str]
    """All that were looked up."""
    images: list[Entry]
    """Images that no object shows."""
    objects: list[Entry]
    collections: list[Entry]
    used: frozenset[str]
    """Images that these objects show."""
    withdrawn: frozenset[str]
    """Identifiers that are no image, no more, or not for everybody."""


@dataclass(frozen=True, kw_only=True)
class HomeSources:
    """Where that is looked up."""

    site: ObjectStore
    catalogue: CatalogueTable
    identifiers: ShownIdentifiers
    omissions: Omissions
    check: Callable[[Entry], None]
    """Raises what showing an entry of an object would raise."""


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What one identifier is now."""

    image: Live | None = None
    """If everybody may see it, in the size that is shown."""
    is_unused: bool = False
    """True if no object shows that image."""
    document: PublishedDocument | None = None
    entry: Entry | None = None
    """Entry of the document."""


def look_up(sources: HomeSources, identifiers: Iterable[str]) -> Present:
    """Return what these identifiers are now, as images and as objects."""
    names = list(dict.fromkeys(identifiers))
    with ThreadPoolExecutor(THREADS, thread_name_prefix="home") as threads:
        found = list(threads.map(lambda name: _try_looking_up(sources, name), names))
    sources.omissions.store()
    images = [one.image for one in found if one.image]
    documents = [(one.document, one.entry) for one in found if one.document and one.entry]
    return Present(
        names=frozenset(names),
        images=[image_entry(one.image) for one in found if one.image and one.is_unused],
        objects=[entry for document, entry in documents if document.type == "Manifest"],
        collections=[
            entry
            for document, entry in documents
            if document.type == "Collection" and not document.part_of
        ],
        used=frozenset(name for document, _ in documents for name in _painted(document)),
        withdrawn=frozenset(names) - {image.identifier for image in images},
    )


def _try_looking_up(sources: HomeSources, name: str) -> _Found:
    return sources.omissions.attempt(name, lambda: _look_up(sources, name), _Found())


def _look_up(sources: HomeSources, name: str) -> _Found:
    record = sources.identifiers.get(name)
    image = visible_image(record) if isinstance(record, Live) else None
    document, updated = _read_document(sources.site, name)
    entry = _object_entry(name, document, updated) if document else None
    if entry:
        sources.check(entry)
    return _Found(
        image=image,
        is_unused=bool(image and is_unused(sources.catalogue, sources.identifiers, image)),
        document=document,
        entry=entry,
    )


def merge(shown: HomeLists, present: Present, images: int) -> HomeLists:
    """Return the current lists; of images, the newest ones."""

    def old(entries: list[Entry], names: frozenset[str]) -> list[Entry]:
        return [entry for entry in entries if entry["identifier"] not in names]

    gone = present.names | present.used
    return HomeLists(
        images=newest_of(old(shown.images, gone), present.images, images),
        objects=newest_of(old(shown.objects, present.names), present.objects, OBJECTS),
        collections=newest_of(
            old(shown.collections, present.names), present.collections, COLLECTIONS
        ),
    )


def newest_of(shown: Iterable[Entry], others: Iterable[Entry], most: int) -> list[Entry]:
    """Return the newest entry of each identifier in either list, newest first."""
    newest: dict[str, Entry] = {}
    for entry in (*shown, *others):
        known = newest.get(entry["identifier"])
        if known is None or known["published_at"] <= entry["published_at"]:
            newest[entry["identifier"]] = entry
    ordered = sorted(newest.values(), key=lambda entry: entry["published_at"], reverse=True)
    return ordered[:most]


def visible_images(images: Iterable[Live]) -> Iterator[Live]:
    """Yield the images among these that everybody may see, in the size that is shown."""
    return (visible for image in images if (visible := visible_image(image)))


def image_entry(image: Live) -> Entry:
    """Return what the page needs of an image: identifier, width, height, published_at."""
    return {name: getattr(image, name) for name in _FIELDS}


def is_unused(catalogue: CatalogueTable, identifiers: ShownIdentifiers, image: Live) -> bool:
    """Return True if no object shows an image, or ever did, by a previous identifier neither."""
    redirects = identifiers.redirects_to(image.identifier)
    names = (image.identifier, *(redirect.identifier for redirect in redirects))
    return all(next(catalogue.about(image_subject(name)), None) is None for name in names)


def _read_document(site: ObjectStore, identifier: str) -> tuple[PublishedDocument | None, str]:
    """Return what is published under an identifier, and since when; None for nothing.

    Raises UnusablePublication and msgspec.DecodeError.
    """
    try:
        body, info = site.get(publication_key(identifier))
    except ObjectMissing:
        return None, ""
    publication = decode_publication(body)
    if isinstance(publication, Published):
        return read_document(publication), info.modified
    return None, ""


def chosen_entry(site: ObjectStore, identifier: str) -> Entry | None:
    """Return the entry of an object that the theme names; None if it is not shown, or damaged."""
    try:
        document, updated = _read_document(site, identifier)
    except (UnusablePublication, msgspec.DecodeError):
        return None
    return _object_entry(identifier, document, updated) if document else None


def _object_entry(identifier: str, document: PublishedDocument, updated: str) -> Entry:
    entry: Entry = {"identifier": identifier, "label": document.label, "published_at": updated}
    if line := describe_briefly((one.value for one in document.metadata), document.summary):
        entry["line"] = line
    if shown := document.find_thumbnail():
        entry["thumbnail"] = {"id": shown.id, "width": shown.width, "height": shown.height}
    if first := _first_picture(document):
        entry["picture"] = first
    return entry


def _first_picture(document: PublishedDocument) -> Entry | None:
    """Return image service, width and height of an object's first canvas."""
    if document.type != "Manifest" or not document.items:
        return None
    canvas = document.items[0]
    service = next((one.id for shown in canvas.thumbnail for one in shown.service[:1]), "")
    size = {"width": canvas.width, "height": canvas.height}
    return {"id": service, **size} if service and canvas.width and canvas.height else None


def _painted(document: PublishedDocument) -> Iterable[str]:
    """Yield the images that an object shows."""
    if document.type != "Manifest":
        return
    for canvas in document.items:
        for thumbnail in canvas.thumbnail:
            for service in thumbnail.service[:1]:
                yield unquote(service.id.rpartition("/")[2])
