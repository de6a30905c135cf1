"""What is published of a record, as pages for people."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import msgspec

from vitrine.catalogue.absent_members import AbsentMembers
from vitrine.catalogue.collection_titles import CollectionTitles
from vitrine.catalogue.compose import Presentation, visible_item
from vitrine.catalogue.image_pages import last_item
from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.records import Described, ObjectRecord
from vitrine.catalogue.statements import Catalogue
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import Member, ObjectCollection, PublishedObject
from vitrine.iiif.presentation.paging import MEMBERS as OF_DOCUMENT
from vitrine.iiif.presentation.paging import count_pages
from vitrine.ports import ObjectStore
from vitrine.records import Live
from vitrine.site.pages.collection_page import MEMBERS, count_html_pages
from vitrine.site.pages.page_writer import PageWriter, html_numbers
from vitrine.store.publications import Publication, Published
from vitrine.store.revisions import Revisions

AT_ONCE = OF_DOCUMENT // MEMBERS
"""Pages whose images are looked up together: memory does not grow with a collection."""


@dataclass(frozen=True, kw_only=True)
class SitePages:
    """Brings the pages of records up to date."""

    writer: PageWriter
    journal: Revisions[ObjectRecord]
    identifiers: ShownIdentifiers
    rights: str
    """URI of the rights of what names none."""
    absent: AbsentMembers
    titles: CollectionTitles
    """Names of collections on the pages of their objects."""

    def update(
        self,
        record: ObjectRecord,
        publication: Publication,
        images: Mapping[str, Live],
        changed: Collection[int] | None,
        was: Publication | None,
    ) -> int:
        """Write what differs; return how many files that were. Raises TransientError.

        `images` are those of the record, of a long collection its own; a short one comes without
        the members that show nothing. `changed` are the pages of its documents that changed, None
        for all. `was` is the publication that is replaced. What an image has under the same
        identifier as a collection is not looked at. The titles of its collections are read again
        after it was written, so the last to write it has seen the last change of them.
        """
        part_of = record.item.part_of if isinstance(record, Described) else ()
        titles = self.titles.get_all(part_of)
        total = written = self._update(record, publication, images, changed, was)
        while written and (newest := self.titles.get_all(part_of, again=True)) != titles:
            titles = newest
            written = self._update(record, publication, images, changed, was)
            total += written
        return total

    def _update(
        self,
        record: ObjectRecord,
        publication: Publication,
        images: Mapping[str, Live],
        changed: Collection[int] | None,
        was: Publication | None,
    ) -> int:
        is_thorough = changed is None
        match record.item if isinstance(record, Described) else self._last_item(record):
            case ObjectCollection() as item if isinstance(publication, Published):
                return self._update_collection(item, images, changed)
            case ObjectCollection(identifier=identifier):
                assert not isinstance(publication, Published)
                written = self.writer.write_absent(identifier, "collection", publication)
                return written + self.writer.write_emptied(identifier, 2, is_thorough=is_thorough)
            case PublishedObject() as item if isinstance(publication, Published):
                shown = visible_item(item, images, self.rights)
                assert isinstance(shown, PublishedObject), "it is published, so it shows an image"
                is_new = was is None and not is_thorough
                is_searched = bool(publication.text_index)
                written = self.writer.write_object(
                    shown, images.values(), is_searched=is_searched, is_new=is_new
                )
            case PublishedObject(identifier=identifier):
                assert not isinstance(publication, Published)
                written = self.writer.write_absent(identifier, "manifest", publication)
            case None:
                return 0
        since = was.revision if isinstance(was, Published) and was.kind == "manifest" else 0
        if record.revision - since <= 1 and not is_thorough:
            # It was no collection since then.
            return written
        return written + self.writer.write_other_kind(
            record.identifier, "collection", is_thorough=is_thorough
        )

    def render_object(self, item: PublishedObject, images: Mapping[str, Live]) -> bytes:
        """Return the page that `update` would write; `images` are those that the item names."""
        shown = visible_item(item, images, self.rights)
        if not isinstance(shown, PublishedObject):
            return self.writer.render_waiting(item.identifier)
        return self.writer.render_object(shown, images.values())

    def render_collection(self, collection: ObjectCollection) -> bytes:
        """Return the first page that `update` would write. Raises TransientError."""
        shown = msgspec.structs.replace(collection, rights=collection.rights or self.rights)
        members = _members_on(shown, [1])
        names = {shown.thumbnail, *(one.image for one in members)} - {""}
        images = live_images(self.identifiers, names)
        absent = self.absent.find(members, images, is_page=count_pages(len(shown.members)) > 0)
        return self.writer.render_collection(shown, images, absent)

    def _last_item(self, record: ObjectRecord) -> PublishedObject | ObjectCollection | None:
        return last_item(self.journal, record.identifier)

    def _update_collection(
        self,
        collection: ObjectCollection,
        images: Mapping[str, Live],
        changed: Collection[int] | None,
    ) -> int:
        shown = msgspec.structs.replace(collection, rights=collection.rights or self.rights)
        total, pages = len(collection.members), count_html_pages(len(collection.members))
        numbers = list(range(1, pages + 1))
        is_long = count_pages(total) > 0
        if is_long and changed is not None:
            numbers = html_numbers(changed, total, OF_DOCUMENT)
        written = 0
        for start in range(0, len(numbers), AT_ONCE):
            part, known, absent = numbers[start : start + AT_ONCE], images, frozenset[str]()
            if is_long:
                members = _members_on(collection, part)
                names = {one.image for one in members} - {""}
                known = {**images, **live_images(self.identifiers, names)}
                absent = self.absent.find(members, known, is_page=True)
            written += self.writer.write_collection(shown, known, part, absent)
        return written + self.writer.write_emptied(
            collection.identifier, pages + 1, is_thorough=changed is None
        )


def _members_on(collection: ObjectCollection, numbers: Collection[int]) -> list[Member]:
    return [
        one
        for number in numbers
        for one in collection.members[(number - 1) * MEMBERS : number * MEMBERS]
    ]


def open_site_pages(
    site: ObjectStore,
    catalogue: Catalogue,
    identifiers: ShownIdentifiers,
    presentation: Presentation,
) -> SitePages:
    """Return what writes the pages of an environment."""
    titles = CollectionTitles(catalogue.journal)
    writer = PageWriter(
        store=site,
        base=presentation.base,
        limits=presentation.limits,
        downloads=presentation.downloads,
        titles=titles.get,
    )
    return SitePages(
        writer=writer,
        journal=catalogue.journal,
        identifiers=identifiers,
        rights=presentation.rights,
        absent=AbsentMembers(catalogue, identifiers),
        titles=titles,
    )
