"""Pages are put where the edge has them: those that changed, and no others.

The first page of an object or image is the first of its files to be written: where it is not, there
are no others.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject, Texts
from vitrine.iiif.size import Limits
from vitrine.ports import ObjectStore
from vitrine.records import Live
from vitrine.site.pages.absent_page import (
    as_replacements,
    write_absent_pages,
    write_dropped_languages,
    write_emptied_pages,
    write_leading_page,
    write_leading_pages,
    write_other_kind,
)
from vitrine.site.pages.collection_page import (
    MEMBERS,
    count_html_pages,
    write_collection_pages,
)
from vitrine.site.pages.frame import Site
from vitrine.site.pages.object_page import write_object_pages
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.stored_theme import StoredTheme
from vitrine.store.publications import Kind, Moved, Waiting, Withdrawn
from vitrine.store.site_layout import collection_page_key, object_page_key

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
    titles: Callable[[str], Texts]
    """Returns what a collection is called."""

    def write_object(
        self,
        item: PublishedObject,
        images: Iterable[Live],
        *,
        is_searched: bool = False,
        is_new: bool = False,
    ) -> int:
        """Bring the pages of an object up to date; return how many files were written.

        `images` are those that it names, by their present identifiers; it `is_searched` if the
        texts of its pages are in an index. Of one that `is_new`, no page is expected. Raises
        TransientError.
        """
        by_name, site = {image.identifier: image for image in images}, self._site
        files = write_object_pages(item, by_name, site, is_searched=is_searched)
        if is_new and self._create(files[0]):
            return 1 + sum(_map(lambda file: put_file(self.store, file, CACHE), files[1:]))
        return self._put(files + write_dropped_languages(item.identifier, "manifest", site))

    def write_collection(
        self,
        collection: ObjectCollection,
        images: Mapping[str, Live],
        numbers: Collection[int],
        absent: Collection[str],
    ) -> int:
        """Bring pages of a collection up to date, without the members that are `absent`.

        `images` by the names that it has. As above.
        """
        site = self._site
        files = write_collection_pages(collection, images, site, numbers, absent)
        for number in numbers:
            files += write_dropped_languages(collection.identifier, "collection", site, number)
        return self._put(files)

    def render_object(self, item: PublishedObject, images: Iterable[Live]) -> bytes:
        """Return the page of an object in the site's first language; `images` as above.

        If its pages have texts, they are to be in an index.
        """
        by_name = {image.identifier: image for image in images}
        return write_object_pages(item, by_name, self._site, is_searched=True)[0].body

    def render_collection(
        self, collection: ObjectCollection, images: Mapping[str, Live], absent: Collection[str]
    ) -> bytes:
        """Return the first page of a collection in the site's first language. As above."""
        return write_collection_pages(collection, images, self._site, [1], absent)[0].body

    def render_waiting(self, identifier: str) -> bytes:
        """Return the page of an object of which no image is published."""
        return write_absent_pages(identifier, "manifest", Waiting(revision=0), self._site)[0].body

    def write_emptied(self, identifier: str, first: int, *, is_thorough: bool) -> int:
        """Have the pages from `first` on, which a collection once had, lead to its first. As above.

        `first` is the last to be written, in the site's first language: where it leads there, so
        do those behind it. Only a thorough call looks at them even then.
        """
        last, site = first, self._site
        page = self._read(collection_page_key(identifier, first))
        if page == write_emptied_pages(identifier, first, site)[0].body and not is_thorough:
            return 0
        while page:
            last += 1
            page = self._read(collection_page_key(identifier, last))
        files = [
            file
            for number in range(first, last)
            for file in write_emptied_pages(identifier, number, site)
        ]
        return self._put(files[1:]) + self._put(files[:1])

    def write_leading(self, image: str, object_: str, *, is_shown: bool) -> int:
        """Have the pages of an image lead to an object that shows it, or once did. As above."""
        return self._put(write_leading_pages(image, object_, self._site, is_shown=is_shown))

    def create_leading(self, image: str, object_: str) -> bool:
        """Have the page of an image lead to an object that shows it; False if it had a page.

        Raises TransientError.
        """
        return self._create(write_leading_page(image, object_, self._site))

    def write_absent(
        self,
        identifier: str,
        kind: Kind,
        publication: Moved | Withdrawn | Waiting,
        *,
        is_replacement: bool = False,
    ) -> int:
        """Replace the pages of what is not to be seen; `is_replacement`, only those there are."""
        files = write_absent_pages(identifier, kind, publication, self._site)
        return self._put(as_replacements(files) if is_replacement else files)

    def write_other_kind(self, identifier: str, kind: Kind, *, is_thorough: bool = False) -> int:
        """Have the pages of what was of this kind, and is of the other, lead there. As above."""
        first = collection_page_key if kind == "collection" else object_page_key
        if not self._read(first(identifier)):
            return 0
        written = self._put(write_other_kind(identifier, kind, self._site))
        if kind == "collection":
            written += self.write_emptied(identifier, 2, is_thorough=is_thorough)
        return written

    @cached_property
    def _theme(self) -> StoredTheme:
        return StoredTheme(self.store)

    @property
    def _site(self) -> Site:
        return Site(
            base=self.base,
            limits=self.limits,
            downloads=self.downloads,
            theme=self._theme.get(),
            titles=self.titles,
        )

    def _put(self, files: Sequence[PageFile]) -> int:
        written = sum(map(self._put_changed, files[:1]))
        return written + sum(_map(self._put_changed, files[1:]))

    def _put_changed(self, file: PageFile) -> bool:
        return put_changed(self.store, file, CACHE)

    def _create(self, file: PageFile) -> bool:
        """Return whether a file was not there, and is now."""
        try:
            return put_file(self.store, file, CACHE, if_etag="")
        except PreconditionFailed:
            return False

    def _read(self, key: str) -> bytes:
        return _read(self.store, key)


def put_changed(store: ObjectStore, file: PageFile, cache_control: str) -> bool:
    """Return whether a file was not there as it is, and is now. Raises TransientError."""
    try:
        body, info = store.get(file.key)
    except ObjectMissing:
        body, info = b"", None
    is_same = body == file.body and info is not None and dict(info.metadata) == file.metadata
    if is_same or (file.is_replacement and not body):
        return False
    return put_file(store, file, cache_control)


def put_file(
    store: ObjectStore, file: PageFile, cache_control: str, if_etag: str | None = None
) -> bool:
    """Put a file, whatever is there; with `if_etag`, see ObjectStore. Return True."""
    store.put(
        file.key,
        file.body,
        content_type=file.content_type,
        cache_control=cache_control,
        metadata=file.metadata,
        if_etag=if_etag,
    )
    return True


def _map(put: Callable[[PageFile], bool], files: Sequence[PageFile]) -> Iterable[bool]:
    if len(files) < 2:
        return map(put, files)
    with ThreadPoolExecutor(min(THREADS, len(files)), thread_name_prefix="files") as threads:
        return [*threads.map(put, files)]


def _read(store: ObjectStore, key: str) -> bytes:
    try:
        return store.get(key)[0]
    except ObjectMissing:
        return b""


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
