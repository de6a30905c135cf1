"""Pages are put where the edge has them: those that changed, and no others."""

from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.iiif.size import Limits
from vitrine.ports import ObjectStore
from vitrine.present.pages.absent_page import (
    write_absent_pages,
    write_emptied_page,
    write_leading_page,
)
from vitrine.present.pages.collection_page import (
    MEMBERS,
    count_html_pages,
    write_collection_pages,
)
from vitrine.present.pages.frame import Site
from vitrine.present.pages.object_page import write_object_pages
from vitrine.present.pages.page_files import PageFile
from vitrine.present.pages.stored_theme import StoredTheme
from vitrine.records import Live
from vitrine.store.publications import Kind, Moved, Waiting, Withdrawn

THREADS = 8
CACHE = "public, max-age=60"
"""No invalidation names a page: what changed is seen after a minute."""


@dataclass(frozen=True, kw_only=True)
class PageWriter:
    """Writes the pages of objects and collections."""

    store: ObjectStore
    base: str
    limits: Limits
    downloads: bool

    def write_object(self, item: PublishedObject, images: Iterable[Live]) -> int:
        """Bring the pages of an object up to date; return how many files were written.

        `images` are those that it names, by their present identifiers. Raises TransientError.
        """
        by_name = {image.identifier: image for image in images}
        return self._put(write_object_pages(item, by_name, self._site))

    def write_collection(
        self,
        collection: ObjectCollection,
        images: Mapping[str, Live],
        numbers: Collection[int],
    ) -> int:
        """Bring pages of a collection up to date; `images` by the names that it has. As above."""
        return self._put(write_collection_pages(collection, images, self._site, numbers))

    def write_emptied(self, identifier: str, numbers: Iterable[int]) -> int:
        """Have pages that a collection has no more lead to its first."""
        site = self._site
        return self._put(
            [file for number in numbers for file in write_emptied_page(identifier, number, site)]
        )

    def write_leading(self, image: str, path: str) -> int:
        """Have the page of an image lead to the object that shows it. As above."""
        return self._put([write_leading_page(image, path, self._site)])

    def write_absent(
        self, identifier: str, kind: Kind, publication: Moved | Withdrawn | Waiting
    ) -> int:
        """Replace the pages of what is not to be seen. As above."""
        return self._put(write_absent_pages(identifier, kind, publication, self._site))

    @cached_property
    def _theme(self) -> StoredTheme:
        return StoredTheme(self.store)

    @property
    def _site(self) -> Site:
        return Site(
            base=self.base, limits=self.limits, downloads=self.downloads, theme=self._theme.get()
        )

    def _put(self, files: Collection[PageFile]) -> int:
        if not files:
            return 0
        with ThreadPoolExecutor(min(THREADS, len(files)), thread_name_prefix="files") as threads:
            return sum(threads.map(self._put_changed, files))

    def _put_changed(self, file: PageFile) -> bool:
        """Return whether the file was not there as it is."""
        try:
            body, _ = self.store.get(file.key)
        except ObjectMissing:
            body = b""
        if body == file.body:
            return False
        self.store.put(file.key, file.body, content_type=file.content_type, cache_control=CACHE)
        return True


def html_numbers(document_pages: Iterable[int], members: int, of_document: int) -> list[int]:
    """Return the pages for people that show what these pages of documents have.

    The page before each is one of them: it may lead to a next one that was not there.
    """
    each = of_document // MEMBERS
    last = count_html_pages(members)
    numbers = {
        number
        for page in document_pages
        for number in range(max(1, (page - 1) * each), page * each + 1)
        if number <= last
    }
    return sorted(numbers | {1})
