"""A site whose images are restricted and opened again, and all that anybody gets to read of it.

Each image, canvas and object has words and sizes of its own, by which one recognises it anywhere.
"""

import gzip
from collections.abc import Iterator, Mapping

import brotli

from tests.unit.catalogue.object_bench import BASE, ObjectBench, publish_announced_lists
from tests.unit.deliver.deliver_records import live
from tests.unit.edge.restricted_world import KEYS, Asked, run_functions
from vitrine.catalogue.outdated_pages import (
    outdated_by_rules,
    publish_changed_images,
    try_updating_outdated,
)
from vitrine.events import ImageChanged, ObjectChanged, RulesChanged
from vitrine.export.documents import (
    is_open,
    published_documents,
    static_image_page,
    static_object_page,
)
from vitrine.export.services import ExportServices
from vitrine.identify.access_changes import set_access
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.iiif.presentation.model import (
    Canvas,
    Member,
    ObjectCollection,
    Place,
    PublishedObject,
    Range,
    Statement,
)
from vitrine.records import Live
from vitrine.search.content.query import parse_query
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.full_text.search import FullTextSearch
from vitrine.search.full_text.update import update_full_text
from vitrine.search.titles.update import update_search
from vitrine.site.discovery.activities import Change
from vitrine.site.discovery.stream import Stream
from vitrine.site.dumps.update import update_dumps
from vitrine.site.gallery import update_gallery, write_home
from vitrine.slices import WHOLE
from vitrine.store.layout import (
    PUBLICATIONS,
    identifier_of_publication,
    text_key,
    text_page_key,
)
from vitrine.store.publications import Published, decode_page, decode_publication
from vitrine.store.site_layout import page_path
from vitrine.store.ticket_keys import TicketKeys
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, TextBox, Word
from vitrine.text.transcription.stored_text import CONTENT_TYPE, encode_text, text_name

SIZES = {"alpha": (1301, 977), "beta": (1409, 983), "gamma": (1511, 991), "delta": (1607, 997)}
LONELY = {"lonely": (1709, 1009)}
"""An image that no object shows."""
SHOWS = {"letter": ("alpha", "beta"), "card": ("gamma",), "book": ("alpha", "gamma", "delta")}
PLACES = {
    "letter": Place(latitude=52.01, longitude=4.375, label={"en": ("placeletter",)}),
    "card": Place(latitude=35.01, longitude=135.625),
    "book": Place(latitude=-33.9, longitude=18.125, label={"en": ("placebook",)}),
}
"""Places of the objects, in cells of the map that are theirs alone; one has no name."""
LISTS = ("shelf", "stack")
AT = "2026-11-25T10:00:00Z"


def _chapters(name: str) -> Iterator[Range]:
    """Yield a chapter for each canvas of an object, with a section that has a bare heading."""
    for place, image in enumerate(SHOWS[name]):
        chapter, section, heading = (
            {"en": (f"{kind}{image}{name}",)} for kind in ("chapter", "section", "heading")
        )
        inner = Range(label=section, canvases=(place,), ranges=(Range(label=heading),))
        yield Range(label=chapter, ranges=(inner,))


def refused_by_edge(keys: list[str]) -> set[str]:
    """Return the keys of the site's bucket at whose addresses the edge's function refuses."""
    events = [Asked(page_path(key)).event() for key in keys]
    verdicts = run_functions(events, TicketKeys(KEYS))
    return {
        key for key, verdict in zip(keys, verdicts, strict=True) if verdict.get("statusCode") == 404
    }


class RestrictedSite(ObjectBench):
    """Objects in two collections, with texts, and everything that is made of them."""

    def __init__(self) -> None:
        super().__init__()
        self.register = Register(self.identifiers, Journal(self.records), self.events)
        for name, (width, height) in (SIZES | LONELY).items():
            made = live(name, width, height)
            self.register.change(name, lambda _, made=made: made)
        for name in SHOWS:
            self.objects.put(self._make_object(name))
        for name in LISTS:
            members = tuple(
                Member(identifier=one, label={"en": (f"title{one}",)}, image=images[0])
                for one, images in SHOWS.items()
            )
            item = ObjectCollection(identifier=name, label={"en": (name,)}, members=members)
            self.objects.put(item)
        self.update()

    def restrict(self, rules: Mapping[str, str]) -> None:
        """Set the rules of images, and let everything follow."""
        for image, rule in rules.items():
            self.register.change(image, set_access(image, rule, AT))
        self.update()

    def update(self) -> None:
        """Do all that events and clocks cause."""
        while events := list(self.events.events):
            self.events.events.clear()
            images = [one["identifier"] for name, one in events if name == ImageChanged.name()]
            publish_changed_images(self.publisher, sorted({*images}))
            publish_announced_lists(self.publisher, events)
            for name, detail in events:
                if name == RulesChanged.name():
                    outdated = outdated_by_rules(detail["identifier"])
                    try_updating_outdated(self.publisher, outdated, WHOLE)
            gallery = self.gallery()
            update_gallery(gallery, [one["identifier"] for _, one in events if "identifier" in one])
            changed = [one for name, one in events if name == ObjectChanged.name()]
            Stream(self.site, BASE).append(
                [
                    Change(
                        change=one["change"],
                        kind=one["kind"],
                        identifier=one["identifier"],
                        target=one["target"],
                        changed_at=one["published_at"],
                    )
                    for one in changed
                ]
            )
        write_home(self.site, BASE)
        update_search(self.site, BASE)
        update_dumps(self.site, BASE)
        update_full_text(self.site)

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield what each file of the site says that has an address, and of an export."""
        keys = [entry.key for entry in self.site.list_keys(limit=100_000).entries]
        refused = refused_by_edge(keys)
        for key in keys:
            body, _ = self.site.get(key)
            if key.startswith(PUBLICATIONS):
                yield from self._documents(key, body)
            elif key not in refused:
                plain = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
                yield key, plain.decode(errors="replace")
        for path, body in self._exported():
            yield f"export {path}", body.decode()

    def find(self, word: str) -> set[str]:
        """Return the objects that the search in all pages finds."""
        across = FullTextSearch(self.site, StoredIndexes(self.site))

        def admit(identifier: str, name: str) -> bool:
            publication = self.published(identifier)
            return isinstance(publication, Published) and publication.text_index == name

        return {one.identifier for one in across.find(parse_query(word), 0, admit).items}

    def _make_object(self, name: str) -> PublishedObject:
        def texts(word: str) -> dict[str, tuple[str, ...]]:
            return {"en": (f"{word}{name}",)}

        return PublishedObject(
            identifier=name,
            label=texts("title"),
            summary=texts("summary"),
            metadata=(Statement(label=texts("line"), value=texts("facet"), facet=True),),
            canvases=tuple(
                Canvas(
                    image=image,
                    label=texts(f"label{image}"),
                    alt_text=texts(f"alt{image}"),
                    description=texts(f"described{image}"),
                    text=self._store_text(f"text{image}{name}", CanvasSize(*SIZES[image])),
                )
                for image in SHOWS[name]
            ),
            nav_place=PLACES[name],
            ranges=(Range(label=texts("part"), ranges=tuple(_chapters(name))),),
        )

    def _store_text(self, word: str, size: CanvasSize) -> str:
        name = text_name(word, 0, size)
        text = PageText((Line((Word(word, (TextBox(10, 20, 8, 6),)),), "en"),))
        self.records.put(text_key(name), encode_text(text, size), content_type=CONTENT_TYPE)
        return name

    def _documents(self, key: str, body: bytes) -> Iterator[tuple[str, str]]:
        """Yield what is answered of a publication, or of a page of it that it names."""
        documents: Mapping[int, bytes] = {}
        if key.count("/") == 2:
            publication = decode_publication(body)
            if isinstance(publication, Published):
                documents = publication.documents
                identifier = identifier_of_publication(key)
                for name in filter(None, publication.texts):
                    page, _ = self.site.get(text_page_key(identifier, name))
                    for document in decode_page(page).values():
                        yield f"text of {identifier}", brotli.decompress(document).decode()
        elif key.rpartition("/")[2].isdigit():
            documents = decode_page(body)
        for document in documents.values():
            yield key, brotli.decompress(document).decode()

    def _exported(self) -> Iterator[tuple[str, bytes]]:
        services = ExportServices(
            masters=self.site,
            access_masters=self.site,
            records=self.records,
            site=self.site,
            identifiers=self.identifiers,
            catalogue=self.publisher.catalogue,
            presentation=self.publisher.presentation,
            render=lambda path: b"",
        )
        for name in (*SHOWS, *LISTS):
            record = self.publisher.journal.latest(name)
            assert record
            yield from published_documents(services, name).items()
            yield from static_object_page(services, record, "https://copy.example.org").items()
        for name in SIZES:
            image = self.publisher.shown.get(name)
            if isinstance(image, Live) and is_open(image):
                yield from static_image_page(services, image, "https://copy.example.org").items()
