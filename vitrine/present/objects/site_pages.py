"""What is published of a record, as pages for people."""

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.model import (
    ObjectCollection,
    PublishedObject,
    object_of_image,
)
from vitrine.iiif.presentation.paging import MEMBERS as OF_DOCUMENT
from vitrine.iiif.presentation.paging import count_pages
from vitrine.ports import IdentifierTable
from vitrine.present.objects.compose import visible_item
from vitrine.present.objects.live_images import live_images
from vitrine.present.objects.records import Described, Item, ObjectRecord
from vitrine.present.pages.collection_page import MEMBERS, count_html_pages
from vitrine.present.pages.page_writer import PageWriter, html_numbers
from vitrine.records import Gone, Live, Redirect
from vitrine.store.layout import collection_page_key, object_page_key, page_path, publication_key
from vitrine.store.publications import Kind, Moved, Publication, Published, Withdrawn
from vitrine.store.revisions import Revisions

THREADS = 8
LEADS = b'http-equiv="refresh"'
"""What a page has that leads elsewhere."""
AT_ONCE = OF_DOCUMENT // MEMBERS
"""Pages whose images are looked up together: memory does not grow with a collection."""


@dataclass(frozen=True, kw_only=True)
class SitePages:
    """Brings the pages of records up to date."""

    writer: PageWriter
    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable
    rights: str
    """URI of the rights of what names none."""

    def update(
        self,
        record: ObjectRecord,
        publication: Publication,
        images: Mapping[str, Live],
        changed: Collection[int] | None,
    ) -> int:
        """Write what differs; return how many files that were. Raises TransientError.

        `images` are those of the record, of a long collection its own; `changed` are the pages of
        its documents that changed, None for all.
        """
        item = record.item if isinstance(record, Described) else self._last_item(record.identifier)
        if item is None:
            return 0
        if not isinstance(publication, Published):
            kind: Kind = "manifest" if isinstance(item, PublishedObject) else "collection"
            written = self.writer.write_absent(item.identifier, kind, publication)
            if isinstance(item, ObjectCollection):
                written += self._empty(item.identifier, 2)
            return written
        if isinstance(item, ObjectCollection):
            return self._update_collection(item, images, changed)
        shown = visible_item(item, images, self.rights)
        assert isinstance(shown, PublishedObject), "it is published, so it shows an image"
        written = self.writer.write_object(shown, images.values())
        with ThreadPoolExecutor(THREADS, thread_name_prefix="leading") as threads:
            canvases = enumerate(shown.canvases, start=1)
            return written + sum(
                threads.map(lambda one: self._lead_from(one[1].image, one[0], shown), canvases)
            )

    def _lead_from(self, image: str, number: int, item: PublishedObject) -> int:
        """Have an image without a page of its own lead to the view of an object that shows it."""
        if not image or image == item.identifier:
            return 0
        page = self._read(object_page_key(image))
        # The first object that showed it keeps it; an object of the same name has its own page.
        if LEADS in page or (page and self._read(publication_key(image))):
            return 0
        view = f"#view-{number}" if len(item.canvases) > 1 else ""
        return self.writer.write_leading(image, page_path(object_page_key(item.identifier)) + view)

    def update_image(self, image: str) -> int:
        """Write the page of an image that no object shows, or what stands in its place.

        Returns how many files differed. Raises TransientError.
        """
        match self.identifiers.get_many({image}, consistent=True).get(image):
            case Live() as live:
                item = object_of_image(image, self.rights)
                return self.writer.write_object(item, [live])
            case Gone(reason=reason, changed_at=since, revision=revision):
                state: Moved | Withdrawn = Withdrawn(revision=revision, reason=reason, since=since)
            case Redirect(target=target, revision=revision):
                state = Moved(revision=revision, target=target)
            case _:
                return 0
        if not self._is_there(object_page_key(image)):
            return 0
        return self.writer.write_absent(image, "manifest", state)

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
            part = numbers[start : start + AT_ONCE]
            known = {**images, **self._look_up(collection, part)} if is_long else images
            written += self.writer.write_collection(shown, known, part)
        return written + self._empty(collection.identifier, pages + 1)

    def _look_up(self, collection: ObjectCollection, numbers: Collection[int]) -> dict[str, Live]:
        names = {
            one.image
            for number in numbers
            for one in collection.members[(number - 1) * MEMBERS : number * MEMBERS]
        }
        return live_images(self.identifiers, names - {""})

    def _empty(self, identifier: str, first: int) -> int:
        """Have the pages from `first` on, which the collection once had, lead to its first."""
        last = first
        while self._is_there(collection_page_key(identifier, last)):
            last += 1
        return self.writer.write_emptied(identifier, range(first, last))

    def _is_there(self, key: str) -> bool:
        try:
            self.writer.store.head(key)
        except ObjectMissing:
            return False
        return True

    def _read(self, key: str) -> bytes:
        try:
            return self.writer.store.get(key)[0]
        except ObjectMissing:
            return b""

    def _last_item(self, identifier: str) -> Item | None:
        """Return what an identifier showed last; None if it never showed anything."""
        newest = self.journal.newest_first(identifier)
        return next((one.item for one in newest if isinstance(one, Described)), None)
