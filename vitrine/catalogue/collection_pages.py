"""The pages of a long collection: an S3 object each, written only where it changed.

Each is replaced only if it is still what was there before the record was read. So of two publishers
the later one has seen at least as much, page by page, as with what leads to them (`publisher.py`).
"""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from vitrine.catalogue.absent_members import AbsentMembers
from vitrine.catalogue.compose import Presentation, compose_page, compress
from vitrine.catalogue.live_images import live_images, missing_images
from vitrine.errors import ObjectMissing
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.iiif.presentation.paging import CollectionPage, pages_of
from vitrine.ports import ObjectStore
from vitrine.store.layout import page_key
from vitrine.store.publications import CONTENT_TYPE, encode_page

THREADS = 8
DIGEST = "digest"
"""Metadata of a page: of what it says, before it is compressed."""


@dataclass(frozen=True)
class KeptPage:
    """What is stored of a page; both empty for nothing."""

    etag: str = ""
    digest: str = ""


@dataclass(frozen=True)
class _Made:
    digest: str
    body: bytes
    """Empty if the page that is stored says the same."""
    missing: frozenset[str]


@dataclass(frozen=True)
class MadePages:
    """The pages of a collection as its record and its images have them now."""

    digest: str
    """Digest of all pages."""
    changed: dict[int, tuple[str, bytes]]
    """Digest and body by number: what has to be written."""
    missing: set[str]
    """Images that are not published."""


@dataclass(frozen=True)
class CollectionPages:
    """Reads, makes and writes the pages of collections."""

    site: ObjectStore
    identifiers: ShownIdentifiers
    presentation: Presentation
    absent: AbsentMembers

    def read(self, identifier: str, pages: int) -> list[KeptPage]:
        """Return what is stored of the first pages of a collection. Raises TransientError."""
        with ThreadPoolExecutor(THREADS, thread_name_prefix="pages") as threads:
            return list(threads.map(partial(self._read, identifier), range(1, pages + 1)))

    def make(self, collection: ObjectCollection, kept: list[KeptPage]) -> MadePages:
        """Return its pages; `kept` has what is stored of at least as many."""
        whole, changed, missing = hashlib.blake2b(digest_size=16), {}, set[str]()
        for page in pages_of(len(collection.members)):
            made = self._make(collection, page, kept[page.number - 1])
            whole.update(made.digest.encode())
            missing |= made.missing
            if made.body:
                changed[page.number] = made.digest, made.body
        return MadePages(whole.hexdigest(), changed, missing)

    def write(
        self, identifier: str, kept: list[KeptPage], made: dict[int, tuple[str, bytes]]
    ) -> None:
        """Write pages in the place of what is kept. Raises PreconditionFailed, TransientError."""

        def put(number: int) -> None:
            digest, body = made[number]
            self.site.put(
                page_key(identifier, number),
                body,
                content_type=CONTENT_TYPE,
                if_etag=kept[number - 1].etag,
                metadata={DIGEST: digest},
            )

        with ThreadPoolExecutor(THREADS, thread_name_prefix="pages") as threads:
            for _ in threads.map(put, sorted(made)):
                pass

    def _read(self, identifier: str, number: int) -> KeptPage:
        try:
            info = self.site.head(page_key(identifier, number))
        except ObjectMissing:
            return KeptPage()
        return KeptPage(info.etag, info.metadata.get(DIGEST, ""))

    def _make(self, collection: ObjectCollection, page: CollectionPage, kept: KeptPage) -> _Made:
        names = {one.image for one in collection.members[page.start : page.end]} - {""}
        images = live_images(self.identifiers, names)
        absent = self.absent.find(collection.members[page.start : page.end], images, is_page=True)
        documents = compose_page(collection, page, images, self.presentation, absent)
        digest = hashlib.blake2b(b"".join(documents.values()), digest_size=16).hexdigest()
        body = b"" if digest == kept.digest else encode_page(compress(documents))
        return _Made(digest, body, frozenset(missing_images(self.identifiers, names, images)))


def emptied(kept: list[KeptPage], pages: int) -> dict[int, tuple[str, bytes]]:
    """Return what replaces the pages behind the last of `pages`: nothing, under the same keys.

    No role of ours may delete anything.
    """
    return {
        number: ("", b"")
        for number, page in enumerate(kept, start=1)
        if number > pages and page.digest
    }
