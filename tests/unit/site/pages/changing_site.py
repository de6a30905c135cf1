"""A site whose objects, images and theme change, and whose events are delivered when one likes."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import brotli

from tests.unit.catalogue.object_bench import BASE, ObjectBench, book, publish_announced_lists
from tests.unit.deliver.deliver_records import live
from tests.unit.site.pages.page_watch import Watch
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.outdated_pages import publish_changed_images, update_outdated
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.catalogue.records import Described, follow_renames, is_list, painted_images
from vitrine.errors import ObjectRefused, TransientError
from vitrine.events import ImageChanged, PagesOutdated
from vitrine.identify.journal import Journal
from vitrine.identify.public_image import visible_image
from vitrine.identify.register import Register
from vitrine.identify.stated_rules import copy_rule
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.site.gallery import GalleryServices, update_gallery, write_home
from vitrine.slices import Slice
from vitrine.store.layout import PUBLICATIONS
from vitrine.store.publications import Published, decode_page, decode_publication
from vitrine.store.site_layout import PUBLISHED, STORED_THEME, object_page_key, page_path

AT = "2026-11-25T10:00:00Z"
NAMES = ("a", "b", "x/y", "x")
IMAGES = ("x", "y", "x/y")
Event = tuple[str, dict[str, Any]]
_LINK = re.compile(r'href="(/(?:objects|collections)/[^"?#]+)')


class Crash(TransientError):
    """The process ends."""


class ChangingSite:
    """Objects and images, what is published of them, and the events that are under way."""

    def __init__(self) -> None:
        self.bench = ObjectBench()
        self.register = Register(
            self.bench.identifiers, Journal(self.bench.records), self.bench.events
        )
        self.titles = 0
        for image in IMAGES[:2]:
            self.publish_image(image, 800)

    def put_object(self, name: str, shown: list[str], crash: int) -> None:
        """Put it; crash at that write to the site's bucket, and do the same again."""
        self.titles += 1
        canvases = tuple(Canvas(image=image) for image in shown)
        item = book(name, title=f"Title {self.titles}", canvases=canvases)
        self._crash_at(crash, lambda: self.bench.objects.put(item, replace_withdrawn=True))

    def put_collection(self, name: str, members: str, image: str, size: int) -> None:
        self.titles += 1
        item = ObjectCollection(
            identifier=name,
            label={"en": (f"Title {self.titles}",)},
            members=tuple(
                Member(identifier=members, label={"en": (f"Member {number}",)}, image=image)
                for number in range(size)
            ),
        )
        with suppress(ObjectRefused):
            self.bench.objects.put(item, replace_withdrawn=True)

    def withdraw(self, name: str, crash: int) -> None:
        self._crash_at(crash, lambda: self.bench.objects.withdraw(name, "A claim."))

    def rename(self, old: str, new: str) -> None:
        with suppress(ObjectRefused):
            self.bench.objects.rename(old, new)

    def publish_image(self, image: str, width: int) -> None:
        def edit(current: Record | None) -> Record:
            version = f"{current.revision if current else 0:016}"
            published = live(image, width, 600, version=version)
            return copy_rule(published, current) if current else published

        self.register.change(image, edit)

    def withdraw_image(self, image: str) -> None:
        def edit(current: Record | None) -> Record | None:
            if not isinstance(current, Live):
                return None
            return copy_rule(Gone(identifier=image, reason="rights", changed_at=AT), current)

        self.register.change(image, edit)

    def restrict_image(self, image: str, access: str) -> None:
        self.register.change(
            image,
            lambda current: replace(current, access=access) if isinstance(current, Live) else None,
        )

    def rename_image(self, old: str, new: str) -> None:
        current, taken = self.bench.identifiers.get(old), self.bench.identifiers.get(new)
        if not isinstance(current, Live) or isinstance(taken, Live) or old == new:
            return
        self.register.change(new, lambda _: replace(current, identifier=new))
        redirect = Redirect(identifier=old, target=new, changed_at=AT)
        self.register.change(old, lambda _: redirect)
        for other in list(self.bench.identifiers.redirects_to(old)):
            moved = replace(other, target=new)
            if other.identifier != new:
                self.register.change(other.identifier, lambda _, moved=moved: moved)

    def change_theme(self, languages: list[str]) -> None:
        """Publish a theme and write all pages again, as a curator does."""
        self.bench.speak(*languages)
        write_home(self.bench.site, BASE)
        self.rebuild()

    def _crash_at(self, number: int, act: Callable[[], object]) -> None:
        put = self.bench.site.put
        written: list[str] = []

        def crash(key: str, *args: Any, **how: Any) -> Any:
            written.append(key)
            if len(written) == number:
                raise Crash(key)
            return put(key, *args, **how)

        self.bench.site.put = crash
        with suppress(ObjectRefused):
            try:
                act()
            except Crash:
                act()
        self.bench.site.put = put

    def rebuild(self) -> list[str]:
        """Compare all pages; return the keys of those that were written."""
        with Watch(self.bench) as written:
            rebuild_publications(self.bench.publisher, with_pages=True)
        return written

    def deliver_some(self, seed: int, twice: bool) -> None:
        """Events come late, out of order, and twice."""
        waiting = self.bench.events.events
        chosen = Random(seed).sample(waiting, len(waiting) // 2)
        self._deliver(chosen)
        for event in [] if twice else chosen:
            waiting.remove(event)

    def deliver_all(self) -> None:
        while chosen := list(self.bench.events.events):
            self._deliver(chosen)
            del self.bench.events.events[: len(chosen)]

    def _deliver(self, chosen: list[Event]) -> None:
        """Give events to the Lambdas that receive them."""
        images = [detail["identifier"] for name, detail in chosen if name == ImageChanged.name()]
        publish_changed_images(self.bench.publisher, images)
        publish_announced_lists(self.bench.publisher, chosen)
        for name, detail in chosen:
            if name == PagesOutdated.name():
                time = Slice(partial(next, iter([1]), 0))  # for one batch, then no more
                update_outdated(self.bench.publisher, PagesOutdated(**detail), time)
        update_gallery(self._gallery(), [detail["identifier"] for _, detail in chosen])

    def files(self) -> dict[str, bytes]:
        return _files(self.bench.site)

    def fresh_files(self) -> dict[str, bytes]:
        """Return what a new bucket would have."""
        site = MemoryObjectStore()
        with suppress(Exception):
            theme, _ = self.bench.site.get(STORED_THEME)
            site.put(STORED_THEME, theme, content_type="application/json")
        events = list(self.bench.events.events)
        rebuild_publications(replace(self.bench.publisher, site=site), with_pages=True)
        self.bench.events.events[:] = events
        return {key: body for key, body in _files(site).items() if key.startswith(PUBLISHED)}

    def visible_titles(self) -> set[str]:
        """Return the titles of all objects and collections that are to be seen."""
        found = set()
        for name in NAMES:
            match self.bench.publisher.journal.latest(name):
                case Described(item=PublishedObject() as item):
                    if {canvas.image for canvas in item.canvases} & self._live_names():
                        found.add(item.label["en"][0])
                case Described(item=item):
                    found.add(item.label["en"][0])
        return found

    def visible_images(self) -> set[str]:
        """Return the images that may be seen, as addresses have them."""
        return {
            name.replace("/", "%2F")
            for name in IMAGES
            if isinstance(image := self.bench.publisher.shown.get(name), Live)
            and visible_image(image)
        }

    def dead_links(self) -> set[str]:
        """Return the paths that pages lead to and that do not answer 200 in the end.

        Not those of members that lists describe wrongly: with another object's picture, or a
        collection as an object.
        """
        site = self.bench.site
        keys = {page_path(entry.key): entry.key for entry in site.list_keys(limit=100_000).entries}
        dead = set[str]()
        for path, key in keys.items():
            body, info = site.get(key)
            if info.metadata or not path.startswith(("/objects/", "/collections/")):
                continue
            for link in set(_LINK.findall(body.decode())):
                if not self._is_page(keys, link, 3):
                    dead.add(link)
        wrong = {page_path(object_page_key(name)) for name in self._misdescribed()}
        return {link for link in dead if "/".join(link.split("/")[:3]) not in wrong}

    def _is_page(self, keys: dict[str, str], path: str, redirects: int) -> bool:
        path, _, _ = path.partition("#")
        if path not in keys:
            return False
        _, info = self.bench.site.get(keys[path])
        target = info.metadata.get("location", "")
        if target and redirects:
            return self._is_page(keys, target, redirects - 1)
        return not info.metadata

    def _misdescribed(self) -> set[str]:
        journal, shown = self.bench.publisher.journal, self.bench.publisher.shown
        found = set[str]()
        for name in NAMES:
            match journal.latest(name):
                case Described(item=ObjectCollection(members=members)):
                    for one in members[:1]:
                        _, record = follow_renames(journal, one.identifier)
                        is_other = one.image not in painted_images(record)
                        if is_list(record) or (is_other and live_images(shown, {one.image})):
                            found.add(one.identifier)
        return found

    def readable(self, key: str, body: bytes) -> str:
        """Return all that a file says."""
        if not key.startswith(PUBLICATIONS):
            return body.decode()
        if key.count("/") > 2:
            documents = decode_page(body)
        else:
            publication = decode_publication(body)
            documents = dict(publication.documents) if isinstance(publication, Published) else {}
        return "".join(brotli.decompress(document).decode() for document in documents.values())

    def _live_names(self) -> set[str]:
        visible = {name.replace("%2F", "/") for name in self.visible_images()}
        table = self.bench.identifiers
        return visible | {one.identifier for name in visible for one in table.redirects_to(name)}

    def _gallery(self) -> GalleryServices:
        bench = self.bench
        return bench.gallery()


def _files(site: MemoryObjectStore) -> dict[str, bytes]:
    keys = [entry.key for entry in site.list_keys(limit=100_000).entries]
    return {key: site.get(key)[0] for key in keys if key != STORED_THEME}
