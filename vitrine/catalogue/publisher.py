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
from typing import NamedTuple

import msgspec

from vitrine.catalogue.absent_members import AbsentMembers
from vitrine.catalogue.collection_pages import CollectionPages, KeptPage, emptied
from vitrine.catalogue.compose import (
    NO_TEXTS,
    Presentation,
    PublishedTexts,
    compose,
    take_in_readings,
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
from vitrine.catalogue.publication_basis import PublicationBasis, Replaced
from vitrine.catalogue.records import Described, ObjectRecord, painted_images, used_images
from vitrine.catalogue.site_pages import SitePages, open_site_pages
from vitrine.catalogue.statements import Catalogue
from vitrine.catalogue.table_from_journal import table_from_journal
from vitrine.catalogue.undigitised import stand_in
from vitrine.errors import PreconditionFailed
from vitrine.events import ObjectChanged, PagesOutdated, TextsRequested
from vitrine.identify.shown_identifiers import ImageReading, ShownIdentifiers
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.iiif.presentation.paging import count_pages
from vitrine.ports import EventBus, IdentifierTable, ObjectStore, VersionedStore
from vitrine.records import Live
from vitrine.site.discovery.compare import compare
from vitrine.store.clock import now
from vitrine.store.collection_rules import HeldRules
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import image_subject, publication_key
from vitrine.store.omissions import IMAGE_PAGES, PUBLISHER, RULES, Omissions
from vitrine.store.publications import (
    CONTENT_TYPE,
    Publication,
    Published,
    encode_publication,
)
from vitrine.store.revisions import Revisions
from vitrine.text.ocr_results.pages import ALL_READ, Unread

LEADING = 16
"""Images of one object whose pages are looked at together."""
MAX_LEADING = 200
"""Images whose pages are written with the object that they lead to: some tenths of a second."""
MAX_SECONDS_UNCHECKED = 1
"""Age of what a publication was made of, beyond which it is compared again once written: what
opened and closed meanwhile left others nothing to write, so the condition of the write holds."""


@dataclass(frozen=True)
class Publishing:
    """What is published of an object now, and what of it is missing."""

    publication: Publication
    made: bool
    """False if it was up to date."""
    missing: tuple[str, ...]
    """Images that are not published: what shows them was left out."""
    unsearched: str = ""
    """Why nobody can search in its pages, although they have texts."""
    unread: Unread = ALL_READ
    """Its pages that OCR has yet to read."""


class _Draft(NamedTuple):
    """What is to be published of a record."""

    record: ObjectRecord
    """With the texts that OCR read, and without members that show nothing."""
    images: Mapping[str, Live]
    outcome: Publishing
    """Outcome if nothing differs."""
    kept: list[KeptPage]
    """ETags and digests of the stored pages of a long collection."""
    changed: dict[int, tuple[str, bytes]]
    """Digests and bodies of the pages that differ, by number."""

    @property
    def publication(self) -> Publication:
        """What its addresses are to answer."""
        return self.outcome.publication


@dataclass(frozen=True, kw_only=True)
class Publisher:
    """What publishing works with."""

    site: ObjectStore
    records: VersionedStore
    catalogue: Catalogue
    identifiers: IdentifierTable
    events: EventBus
    presentation: Presentation
    ocr_languages: tuple[str, ...] = ()
    """Languages in which the environment reads pages."""

    def publish(
        self, identifier: str, *, with_pages: bool = False, read: PublicationBasis | None = None
    ) -> Publishing | None:
        """Publish the newest record of an object; None if it has none.

        Nothing is written if nothing changed; `with_pages`, its pages are compared even then. What
        was just `read` is not read again, but for an image that was not as it had to be. Raises
        TransientError, and ObjectRefused for a document that would break the schema.
        """
        attempts = count()
        is_made = False

        def write() -> Publishing | None:
            nonlocal is_made
            is_retry = next(attempts) > 0
            is_known = bool(read and not is_retry and read.is_sound())
            basis = read if is_known else self._read(identifier)
            if basis is None:
                return None
            # What an earlier attempt wrote of the pages may be older than what others did.
            done = self._publish(basis, with_pages=with_pages or is_retry, is_retry=is_retry)
            is_made, is_slow = is_made or done.made, basis.age_seconds() > MAX_SECONDS_UNCHECKED
            if done.made and is_slow and self._is_outdated(identifier):
                raise PreconditionFailed(identifier)
            return replace(done, made=is_made)

        done = retry_if_changed(write, f'The object "{identifier}"')
        if done and done.unread.is_requested:
            event = TextsRequested(identifier=identifier)
            self.events.publish(event.name(), event.detail())
        self.omissions.note_processed(identifier)
        self.omissions.store()
        return done

    def _publish(self, basis: PublicationBasis, *, with_pages: bool, is_retry: bool) -> Publishing:
        """Publish it once. Raises PreconditionFailed if others published or changed it.

        Each step rests on those before it. Pages are written before the publication: if that is not
        written, the next attempt writes both. The change is announced after all that the edge is to
        forget, and before the last write, so that a crash between them announces too much, not too
        little.
        """
        before, identifier = basis.replaced, basis.record.identifier
        draft = self._draft(basis, is_thorough=with_pages)
        body = encode_publication(draft.publication)
        is_other = body != before.body or bool(draft.changed)
        if is_other:
            self._collection_pages.write(identifier, draft.kept, draft.changed)
        written = 0
        if is_other or with_pages:
            numbers = None if with_pages else draft.changed
            written = self._update_pages(draft, before.publication, numbers, is_retry=is_retry)
        if not is_other and written:
            # Nobody checks what they were written from: the next attempt does.
            raise PreconditionFailed(identifier)
        if not is_other:
            return draft.outcome
        self._announce(before.publication, draft)
        key = publication_key(identifier)
        self.site.put(key, body, content_type=CONTENT_TYPE, if_etag=before.etag)
        return replace(draft.outcome, made=True)

    def _is_outdated(self, identifier: str) -> bool:
        """Return True if something else is to be published than what is."""
        basis = self._read(identifier)
        draft = basis and self._draft(basis, is_thorough=False)
        body = encode_publication(draft.publication) if draft else b""
        return not basis or body != basis.replaced.body or bool(draft and draft.changed)

    def _draft(self, basis: PublicationBasis, *, is_thorough: bool) -> _Draft:
        """Return what is to be published of a record, by its images as they are now.

        The texts of its pages are published already, under names of their own.
        """
        record, was = basis.record, basis.replaced.publication
        shown = ImageReading(self.identifiers, self.rules, {**basis.images})
        long = _long_collection(record)
        kept = self._read_pages(record, was, long)
        names = used_images(record) if long is None else {long.thumbnail} - {""}
        images = live_images(shown, names)
        check_readable(shown, painted_images(record) - images.keys())
        if long is None:
            record = AbsentMembers(self.catalogue, shown).leave_out(record, images)
            record = stand_in(record, images, shown, self.presentation.base)
        record, unread = take_in_readings(self.records, record, images, self.ocr_languages)
        texts = self._publish_texts(record, images, was, is_thorough=is_thorough)
        painted = painted_images(record)
        withdrawn = None if painted & images.keys() else last_withdrawn(shown, painted)
        publication = compose(record, images, self.presentation, texts, withdrawn)
        missing = missing_images(shown, names, images)
        changed = emptied(kept, count_pages(len(long.members)) if long else 0)
        if long and isinstance(publication, Published):
            made = self._collection_pages.make(long, kept)
            changed |= made.changed
            missing |= made.missing
            publication = msgspec.structs.replace(
                publication, pages=count_pages(len(long.members)), pages_digest=made.digest
            )
        absent = tuple(sorted(missing))
        outcome = Publishing(publication, False, absent, unsearched=texts.fault, unread=unread)
        return _Draft(record, images, outcome, kept, changed)

    def _read_pages(
        self, record: ObjectRecord, was: Publication | None, long: ObjectCollection | None
    ) -> list[KeptPage]:
        """Return what is stored of a collection's pages.

        Raises PreconditionFailed if the record is not the newest any more: what is to be replaced
        has to be read before it.
        """
        kept = self._collection_pages.read(record.identifier, _most_pages(was, long))
        if kept and self.journal.entry(record.identifier, record.revision + 1):
            raise PreconditionFailed(record.identifier)
        return kept

    def published(self, identifier: str) -> Publishing | None:
        """Return what is published of an object now; None if nothing is. Writes nothing."""
        basis = self._read(identifier)
        if basis is None or basis.replaced.publication is None:
            return None
        record, shown = basis.record, ImageReading(self.identifiers, self.rules)
        names = used_images(record)
        images = live_images(shown, names)
        missing = tuple(sorted(missing_images(shown, names, images)))
        unread = take_in_readings(self.records, record, images, self.ocr_languages)[1]
        return Publishing(basis.replaced.publication, False, missing, unread=unread)

    def objects_with(self, image: str) -> Iterator[str]:
        """Yield the objects and collections that show an image, or once did.

        Some may know it by a previous identifier.
        """
        for name in (image, *(one.identifier for one in self.identifiers.redirects_to(image))):
            yield from sorted(self.catalogue.authors(image_subject(name)))

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
        self,
        record: ObjectRecord,
        images: Mapping[str, Live],
        was: Publication | None,
        *,
        is_thorough: bool,
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
                return texts.publish(item, images, was, is_thorough=is_thorough)
        return NO_TEXTS

    def _update_pages(
        self,
        draft: _Draft,
        was: Publication | None,
        changed: Collection[int] | None,
        *,
        is_retry: bool,
    ) -> int:
        """Write the pages that differ, of the record and of images that joined or left it.

        Returns how many files that were. Pages of many images, and those of a collection's members
        if it has another title, are announced as outdated (`outdated_pages.py`).
        """
        record = draft.record
        written = self.site_pages.update(record, draft.publication, draft.images, changed, was)
        since = last_known(was, record, is_retry=is_retry)
        names = joined_or_left(self.journal, record, since)
        if len(names) > MAX_LEADING:
            self._announce_pages("images", record, since)
            names = set()
        if is_renamed(self.journal, was, record, self.site_pages.titles):
            self._announce_pages("members", record, was.revision if was else 0)
        if isinstance(record, Described) and isinstance(record.item, ObjectCollection):
            # Of the same identifier, or an object that was: it leads to the collection.
            names.add(record.identifier)
        concerned = with_present_names(self.shown, names, draft.images)
        created = set[str]()
        if not is_retry:
            created = self.image_pages.create_leading(record, draft.images, concerned)
        rest = sorted(concerned - created)
        with ThreadPoolExecutor(LEADING, thread_name_prefix="leading") as threads:
            updated = threads.map(lambda one: self.update_image(one, record), rest)
            return written + len(created) + sum(updated)

    def _announce(self, was: Publication | None, draft: _Draft) -> None:
        """Announce what becomes of an object by the next write."""
        change, kind, target = compare(was, draft.publication)
        event = ObjectChanged(
            identifier=draft.record.identifier,
            revision=draft.publication.revision,
            published_at=now(),
            change=change,
            kind=kind or "",
            target=target,
        )
        self.events.publish(event.name(), event.detail())

    def _announce_pages(self, pages: str, record: ObjectRecord, since: int) -> None:
        """Announce that pages of the images of an object, or of members, are outdated."""
        event = PagesOutdated(
            identifier=record.identifier, pages=pages, revision=record.revision, since=since
        )
        self.events.publish(event.name(), event.detail())

    @cached_property
    def _collection_pages(self) -> CollectionPages:
        absent = AbsentMembers(self.catalogue, self.shown)
        return CollectionPages(self.site, self.shown, self.presentation, absent)

    @cached_property
    def omissions(self) -> Omissions:
        """The objects that are not published because of their own data."""
        return Omissions(self.site, PUBLISHER)

    @cached_property
    def image_omissions(self) -> Omissions:
        """The images whose pages are not written because of their own data."""
        return Omissions(self.site, IMAGE_PAGES)

    @property
    def journal(self) -> Revisions[ObjectRecord]:
        """The journal of objects."""
        return self.catalogue.journal

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
            catalogue=self.catalogue,
            identifiers=self.identifiers,
            events=self.events,
            rules=self.rules,
            omissions=Omissions(self.site, RULES),
        )

    @cached_property
    def site_pages(self) -> SitePages:
        """What writes the pages of what is published."""
        return open_site_pages(self.site, self.catalogue, self.shown, self.presentation)

    @cached_property
    def image_pages(self) -> ImagePages:
        """What writes the pages of images that are no object's."""
        return ImagePages(
            writer=self.site_pages.writer,
            catalogue=self.catalogue,
            identifiers=self.shown,
            rights=self.presentation.rights,
        )

    def _read(self, identifier: str) -> PublicationBasis | None:
        replaced, record = Replaced.read(self.site, identifier), self.journal.latest(identifier)
        return PublicationBasis(replaced, record) if record else None


def _long_collection(record: ObjectRecord) -> ObjectCollection | None:
    """Return the collection that a record describes if it is divided into pages."""
    match record:
        case Described(item=ObjectCollection() as item) if count_pages(len(item.members)):
            return item
    return None


def _most_pages(was: Publication | None, long: ObjectCollection | None) -> int:
    """Return how many pages there are to be or were."""
    pages = was.pages if isinstance(was, Published) else 0
    return max(pages, count_pages(len(long.members)) if long else 0)
