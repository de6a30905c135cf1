"""Long collections, divided into pages: each is a document of its own.

Version 2.1 has pages (https://iiif.io/api/presentation/2.1/#paging). Version 3.0 has none: there
the pages are collections in the collection (https://github.com/IIIF/api/issues/1343).
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import msgspec

from vitrine.iiif.presentation.model import ObjectCollection, Texts

MEMBERS = 1_000
"""Members of a page, and of a collection without pages."""


@dataclass(frozen=True)
class CollectionPage:
    """The place of a page in its collection."""

    number: int
    """From 1."""
    pages: int
    total: int
    """Members of the whole collection."""

    @property
    def start(self) -> int:
        """The place of its first member, from 0."""
        return (self.number - 1) * MEMBERS

    @property
    def end(self) -> int:
        """The place behind its last member."""
        return min(self.number * MEMBERS, self.total)

    def label(self, collection: Texts) -> Texts:
        """Return the page's title: that of its collection, and which members it has."""
        return {
            language: (f"{values[0]}, {self.start + 1}-{self.end}",)
            for language, values in collection.items()
            if values
        }


def part_of(
    collection: ObjectCollection, page: CollectionPage, without: Collection[str] = ()
) -> ObjectCollection:
    """Return the collection with the members of this page only, and `without` some of them.

    Those leave a gap: the members after them stay on their pages, which thus need not be written.
    """
    members = collection.members[page.start : page.end]
    shown = tuple(one for one in members if one.identifier not in without)
    return msgspec.structs.replace(collection, members=shown)


def count_pages(members: int) -> int:
    """Return how many pages a collection has; 0 if it is in one piece."""
    return 0 if members <= MEMBERS else -(-members // MEMBERS)


def pages_of(members: int) -> Iterator[CollectionPage]:
    """Yield the pages of a collection; none if it is in one piece."""
    pages = count_pages(members)
    for number in range(1, pages + 1):
        yield CollectionPage(number, pages, members)
