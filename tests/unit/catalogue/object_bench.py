"""Objects over ports in memory, with three published images."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import brotli
import msgspec
import pytest

from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.outdated_pages import CHANGES_OF_LISTS, publish_lists
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.errors import TransientError
from vitrine.events import ObjectChanged
from vitrine.identify.redirects.bulk import Workers
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject
from vitrine.iiif.size import Limits
from vitrine.records import Gone, Record
from vitrine.site.gallery import GalleryServices
from vitrine.site.pages.stored_theme import replace_theme
from vitrine.site.pages.theme import DEFAULT, read_theme
from vitrine.store.layout import publication_key
from vitrine.store.publications import Publication, Published, decode_publication

BASE = "https://images.example.org"
IMAGES = ("one", "two", "three")


def book(identifier: str = "book", title: str = "A book", **changes: Any) -> PublishedObject:
    """An object of the three images."""
    fields = {"canvases": tuple(Canvas(image=image) for image in IMAGES), **changes}
    return PublishedObject(identifier=identifier, label={"en": (title,)}, **fields)


def shelf(identifier: str = "shelf") -> ObjectCollection:
    """A collection of the book."""
    member = Member(identifier="book", label={"en": ("A book",)}, image="one")
    return ObjectCollection(identifier=identifier, label={"en": ("A shelf",)}, members=(member,))


def _ticking() -> Callable[[], datetime]:
    """A clock that is a second later each time: what is noted later is listed as later."""
    seconds = itertools.count()
    return lambda: datetime(2026, 11, 25, tzinfo=UTC) + timedelta(seconds=next(seconds))


class ImpatientWorkers(Workers):
    """Try again at once."""

    def __init__(self) -> None:
        super().__init__(1, lambda seconds: None)


@contextmanager
def losing(events: MemoryEventBus, name: str) -> Iterator[None]:
    """Let all events of this name fail, and expect that what is done fails by that."""
    send = events.publish

    def fail(detail_type: str, detail: Mapping[str, Any]) -> None:
        if detail_type == name:
            raise TransientError(name)
        send(detail_type, detail)

    with patch.object(events, "publish", fail), pytest.raises(TransientError):
        yield


def publish_announced_lists(
    publisher: Publisher, events: Iterable[tuple[str, Mapping[str, Any]]]
) -> None:
    """Publish what lists the objects of these events, as the publisher's Lambda does."""
    changed = [detail for name, detail in events if name == ObjectChanged.name()]
    listed = {one["identifier"] for one in changed if one["change"] in CHANGES_OF_LISTS}
    publish_lists(publisher, listed)


class ObjectBench:
    """`objects` and what is under it."""

    def __init__(self, *images: str) -> None:
        self.records = self.make_records()
        self.site: Any = MemoryObjectStore()
        self.catalogue = MemoryCatalogueTable()
        self.identifiers = MemoryIdentifierTable(*(live(image, 800, 600) for image in images))
        self.events = MemoryEventBus()
        self.publisher = Publisher(
            site=self.site,
            records=self.records,
            catalogue=Catalogue(self.catalogue, objects_journal(self.records)),
            identifiers=self.identifiers,
            events=self.events,
            presentation=Presentation(base=BASE, limits=Limits(area=25_000_000), downloads=True),
        )
        self.objects = Objects(self.publisher)

    def gallery(self, length: int = 9) -> GalleryServices:
        """Return what the first page is written with."""
        return GalleryServices(
            site=self.site,
            records=self.records,
            catalogue=self.catalogue,
            identifiers=self.identifiers,
            length=length,
            base=BASE,
        )

    def make_records(self) -> MemoryObjectStore:
        """Return the bucket of records, empty."""
        return MemoryObjectStore(now=_ticking())

    def speak(self, *languages: str) -> None:
        """Give the site a theme with these languages; the first has the short addresses."""
        theme = msgspec.structs.replace(read_theme(DEFAULT), languages=languages)
        replace_theme(self.site, theme.replacing)
        self.begin_process()

    def begin_process(self) -> None:
        """Forget what a process has in memory: the theme, titles and entries of the journal."""
        catalogue = Catalogue(self.catalogue, objects_journal(self.records))
        self.publisher = replace(self.publisher, catalogue=catalogue)
        self.objects = Objects(self.publisher)

    def published(self, identifier: str) -> Publication:
        return decode_publication(self.site.get(publication_key(identifier))[0])

    def document(self, identifier: str, version: int = 3) -> Mapping[str, Any]:
        publication = self.published(identifier)
        assert isinstance(publication, Published)
        document: dict[str, Any] = json.loads(brotli.decompress(publication.documents[version]))
        return document

    def write(self, record: Record) -> None:
        """Put a record in the place of another one."""
        self.identifiers.write(record, self.identifiers.get(record.identifier))

    def withdraw_image(self, identifier: str) -> None:
        current = self.identifiers.get(identifier)
        assert current
        self.write(
            Gone(
                identifier=identifier,
                reason="rights",
                changed_at="2026-11-23T10:00:00Z",
                revision=current.revision + 1,
            )
        )
