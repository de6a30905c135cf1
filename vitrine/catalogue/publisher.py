"""Publishing: what an object's addresses answer is brought up to date with its record and images.

One object in the bucket of the site holds all of it, but for the pages of long collections, which
have one each. A write replaces only what was read before the record and the images were, so of two
publishers the later one has seen at least as much.
"""

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import msgspec

from vitrine.catalogue.announcements import (
    announce_object,
    announce_pages,
)
from vitrine.catalogue.closed_objects import ClosedObjects
from vitrine.catalogue.collection_pages import CollectionPages, emptied
from vitrine.catalogue.compose import (
    NO_TEXTS,
    Presentation,
    PublishedTexts,
    compose,
    visible_item,
)
from vitrine.catalogue.image_pages import ImagePages
from vitrine.catalogue.live_images import (
    check_readable,
    last_withdrawn,
    live_images,
    missing_images,
    with_present_names,
)
from vitrine.catalogue.memberships import Memberships
from vitrine.catalogue.object_texts import ObjectTexts
from vitrine.catalogue.pages_of_others import is_renamed, joined_or_left, last_known
from vitrine.catalogue.publishing import Publishing
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    painted_images,
    used_images,
)
from vitrine.catalogue.site_pages import SitePages, open_site_pages
from vitrine.catalogue.table_from_journal import table_from_journal
from vitrine.catalogue.taken_readings import take_in_readings
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.events import TextsRequested
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.iiif.presentation.paging import count_pages
from vitrine.ports import EventBus, IdentifierTable, ObjectStore, VersionedStore
from vitrine.records import Live
from vitrine.store.collection_rules import HeldRules
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import listings_folder, publication_key, user_of, uses_folder
from vitrine.store.omissions import IMAGE_PAGES, PUBLISHER, RULES, Omissions
from vitrine.store.publications import (
    CONTENT_TYPE,
    Publication,
    Published,
    Waiting,
    decode_publication,
    encode_publication,
    readable_body,
)
from vitrine.store.revisions import Revisions, list_folder
from vitrine.text.ocr_results.pages import ALL_READ

LEADING = 16
"""Images of one object whose pages are looked at together."""
MAX_LEADING = 200
"""Images whose pages are written with the object that they lead to: some tenths of a second."""


@dataclass(frozen=True, kw_only=True)
class Publisher:
    """What publishing works with."""

    site: ObjectStore
    records: VersionedStore
    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable
    events: EventBus
    presentation: Presentation
    ocr_languages: tuple[str, ...] = ()
    """Languages in which the environment reads pages."""

    def publish(self, identifier: str, *, with_pages: bool = False) -> Publishing | None:
        """Publish the newest record of an object; None if it has none.

        Nothing is written if nothing changed; `with_pages`, its pages are compared even then.
        Raises TransientError, and ObjectRefused for a document that would break the schema.
        """
        attempts = count()

        def write() -> Publishing | None:
            # What an earlier attempt wrote of the pages may be older than what others did.
            return self._publish(identifier, with_pages=with_pages, is_retry=next(attempts) > 0)

        done = retry_if_changed(write, f'The object "{identifier}"')
        if done and done.unread.is_requested:
            event = TextsRequested(identifier=identifier)
            self.events.publish(event.name(), event.detail())
        self.omissions.note_processed(identifier)
        self.omissions.store()
        return done

    def _publish(self, identifier: str, *, with_pages: bool, is_retry: bool) -> Publishing | None:
        """Publish it once. Raises PreconditionFailed if others published or changed it."""
        key, with_pages = publication_key(identifier), with_pages or is_retry
        before, etag = self._read(key)
        record = self.journal.latest(identifier)
        if record is None:
            return None
        pages, long = self._pages(), _long_collection(record)
        kept = pages.read(identifier, _most_pages(before, long))
        # What is to be replaced was read before the record was.
        if kept and self.journal.entry(identifier, record.revision + 1):
            raise PreconditionFailed(key)
        names = used_images(record) if long is None else {long.thumbnail} - {""}
        images = live_images(self.shown, names)
        check_readable(self.shown, painted_images(record) - images.keys())
        if long is None:
            record = ClosedObjects(self.journal, self.shown).leave_out(record, images)
        record, unread = take_in_readings(self.records, record, images, self.ocr_languages)
        texts = self._publish_texts(record, images, before, is_thorough=with_pages)
        painted = painted_images(record)
        withdrawn = None if painted & images.keys() else last_withdrawn(self.shown, painted)
        publication = compose(record, images, self.presentation, texts, withdrawn)
        missing = missing_images(self.shown, names, images)
        changed = emptied(kept, count_pages(len(long.members)) if long else 0)
        if long and isinstance(publication, Published):
            made = pages.make(long, kept)
            changed |= made.changed
            missing |= made.missing
            publication = msgspec.structs.replace(
                publication, pages=count_pages(len(long.members)), pages_digest=made.digest
            )
        body, absent = encode_publication(publication), tuple(sorted(missing))
        done = Publishing(publication, False, absent, unsearched=texts.fault, unread=unread)
        if body == before and not changed:
            if with_pages and self._update_pages(
                before, record, publication, images, None, is_retry=is_retry
            ):
                # Nobody checks what they were written from: the next attempt does.
                raise PreconditionFailed(key)
            return done
        pages.write(identifier, kept, changed)
        # Before the publication: if that is not written, the next attempt writes both.
        of_pages = None if with_pages else changed
        self._update_pages(before, record, publication, images, of_pages, is_retry=is_retry)
        # After all that it has the edge forget. Before the last write: a crash between them then
        # announces too much, not too little. The edge is invalidated some time after the event.
        announce_object(self.events, identifier, before, publication)
        self.site.put(key, body, content_type=CONTENT_TYPE, if_etag=etag)
        state = type(decode_publication(before)) if before else Waiting
        return replace(done, made=True, is_new_state=state is not type(publication))

    def published(self, identifier: str) -> Publishing | None:
        """Return what is published of an object now; None if nothing is. Writes nothing."""
        body, _ = self._read(publication_key(identifier))
        if not body:
            return None
        record = self.journal.latest(identifier)
        names = used_images(record)
        images = live_images(self.shown, names)
        missing = tuple(sorted(missing_images(self.shown, names, images)))
        unread = ALL_READ
        if record:
            _, unread = take_in_readings(self.records, record, images, self.ocr_languages)
        return Publishing(decode_publication(body), made=False, missing=missing, unread=unread)

    def objects_with(self, image: str) -> Iterator[str]:
        """Yield the objects and collections that show an image, or once did.

        Some may know it by a previous identifier.
        """
        for name in (image, *(one.identifier for one in self.identifiers.redirects_to(image))):
            yield from map(user_of, list_folder(self.records, uses_folder(name)))

    def collections_with(self, identifier: str) -> set[str]:
        """Return the collections that list an object, or once did; and its previous identifiers."""
        found: set[str] = set()
        names = [identifier]
        while names:
            folder = listings_folder(names.pop())
            fresh = set(map(user_of, list_folder(self.records, folder))) - found
            found |= fresh
            names += fresh
        return found

    def update_image(self, image: str, known: ObjectRecord | None = None) -> int:
        """Write the page of an image; return how many files differed. Raises TransientError.

        `known` is the newest record of an object, if that was just read.
        """
        written, state = self.image_pages.update(image, known)
        self.image_omissions.note_processed(image)
        self.image_omissions.store()
        if written and state.is_object:
            # It became an object meanwhile, whose pages these may have replaced.
            self.publish(image, with_pages=True)
        return written

    def try_publishing(self, identifier: str, *, with_pages: bool = False) -> Publishing | None:
        """Publish an object among others; None if it has no record, or is left out.

        An object whose own data stop it is recorded as left out. Raises TransientError.
        """
        done = self.omissions.attempt(
            identifier, lambda: self.publish(identifier, with_pages=with_pages), None
        )
        self.omissions.store()
        return done

    def try_updating_image(self, image: str) -> int:
        """Write the page of an image among others; return how many files differed.

        One whose own data, or those of its objects, stop it is recorded. Raises TransientError.
        """
        written = self.image_omissions.attempt(image, lambda: self.update_image(image), 0)
        self.image_omissions.store()
        return written

    def _publish_texts(
        self, record: ObjectRecord, images: Mapping[str, Live], before: bytes, *, is_thorough: bool
    ) -> PublishedTexts:
        """Publish the texts of an object's pages, before what names them."""
        item = record.item if isinstance(record, Described) else None
        if isinstance(item, PublishedObject) and any(
            canvas.text or canvas.annotations for canvas in item.canvases
        ):
            item = visible_item(item, images, self.presentation.rights)
            if isinstance(item, PublishedObject):
                base = self.presentation.base
                texts = ObjectTexts(site=self.site, records=self.records, base=base)
                was = decode_publication(before) if before else None
                return texts.publish(item, images, was, is_thorough=is_thorough)
        return NO_TEXTS

    def _update_pages(
        self,
        before: bytes,
        record: ObjectRecord,
        publication: Publication,
        images: Mapping[str, Live],
        changed: Collection[int] | None,
        *,
        is_retry: bool,
    ) -> int:
        """Write the pages that differ, of the record and of images that joined or left it.

        Returns how many files that were. Pages of many images, and those of a collection's members
        if it has another title, are announced as outdated (`outdated_pages.py`).
        """
        written = self.site_pages.update(record, publication, images, changed)
        was = decode_publication(before) if before else None
        since = last_known(was, record, is_retry=is_retry)
        names = joined_or_left(self.journal, record, since)
        if len(names) > MAX_LEADING:
            announce_pages(self.events, "images", record, since)
            names = set()
        if is_renamed(self.journal, was, record, self.site_pages.titles):
            announce_pages(self.events, "members", record, was.revision if was else 0)
        if isinstance(record, Described) and isinstance(record.item, ObjectCollection):
            # Of the same identifier, or an object that was: it leads to the collection.
            names.add(record.identifier)
        concerned = sorted(with_present_names(self.shown, names))
        with ThreadPoolExecutor(LEADING, thread_name_prefix="leading") as threads:
            return written + sum(threads.map(lambda one: self.update_image(one, record), concerned))

    def _pages(self) -> CollectionPages:
        closed = ClosedObjects(self.journal, self.shown)
        return CollectionPages(self.site, self.shown, self.presentation, closed)

    @cached_property
    def omissions(self) -> Omissions:
        """The objects that are not published because of their own data."""
        return Omissions(self.site, PUBLISHER)

    @cached_property
    def image_omissions(self) -> Omissions:
        """The images whose pages are not written because of their own data."""
        return Omissions(self.site, IMAGE_PAGES)

    @cached_property
    def rules(self) -> HeldRules:
        """The table of collections' rules, as it is."""
        return HeldRules(self.records, make=lambda: table_from_journal(self.journal))

    @cached_property
    def shown(self) -> ShownIdentifiers:
        """The identifiers as their images are shown."""
        return ShownIdentifiers(self.identifiers, self.rules)

    @cached_property
    def memberships(self) -> Memberships:
        """What notes in images' records which collections show them."""
        return Memberships(
            records=self.records,
            journal=self.journal,
            identifiers=self.identifiers,
            events=self.events,
            rules=self.rules,
            omissions=Omissions(self.site, RULES),
        )

    @cached_property
    def site_pages(self) -> SitePages:
        """What writes the pages of what is published."""
        return open_site_pages(self.site, self.journal, self.shown, self.presentation)

    @cached_property
    def image_pages(self) -> ImagePages:
        """What writes the pages of images that are no object's."""
        return ImagePages(
            writer=self.site_pages.writer,
            records=self.records,
            journal=self.journal,
            identifiers=self.shown,
            rights=self.presentation.rights,
        )

    def _read(self, key: str) -> tuple[bytes, str]:
        """Return what is published, and its ETag; both empty for nothing, the first for damage."""
        try:
            body, info = self.site.get(key)
        except ObjectMissing:
            return b"", ""
        return readable_body(key, body), info.etag


def _long_collection(record: ObjectRecord) -> ObjectCollection | None:
    """Return the collection that a record describes if it is divided into pages."""
    match record:
        case Described(item=ObjectCollection() as item) if count_pages(len(item.members)):
            return item
    return None


def _most_pages(before: bytes, long: ObjectCollection | None) -> int:
    """Return how many pages there are to be or were."""
    was = decode_publication(before) if before else None
    pages = was.pages if isinstance(was, Published) else 0
    return max(pages, count_pages(len(long.members)) if long else 0)
