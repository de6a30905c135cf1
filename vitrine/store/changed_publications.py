"""What is published now, side by side with the rows of what was published at the last look."""

from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import ListedObject, VersionedStore
from vitrine.store.layout import PUBLICATIONS, identifier_of_publication, publication_key
from vitrine.store.publications import Publication, Published, decode_publication
from vitrine.store.published_document import UnusablePublication
from vitrine.store.revisions import list_entries

Row = TypeVar("Row")
TextIndexes = dict[tuple[str, str], str]
"""Names of the text indexes of publications that were read, by their identifiers and versions."""


def list_publications(site: VersionedStore) -> Iterator[ListedObject]:
    """Yield an entry for each object and collection, in the order of the keys."""
    entries = list_entries(site, PUBLICATIONS)
    return (entry for entry in entries if identifier_of_publication(entry.key))


def read_publication(site: VersionedStore, entry: ListedObject) -> tuple[Publication, str] | None:
    """Return what is published now, and its version; None if it is deleted.

    Raises UnusablePublication and TransientError.
    """
    try:
        body, info = site.get(entry.key)
    except ObjectMissing:
        return None
    try:
        return decode_publication(body), info.version
    except msgspec.DecodeError as error:
        raise UnusablePublication(str(error)) from error


def text_index_of(publication: Publication) -> str:
    """Return the name of the text index that a publication has; "" for none."""
    return publication.text_index if isinstance(publication, Published) else ""


def pair_rows(
    entries: Iterator[ListedObject], rows: Iterator[Row], identifier: Callable[[Row], str]
) -> Iterator[tuple[ListedObject | None, Row | None]]:
    """Yield entries with their rows; both are in the order of the keys.

    What is deleted has its row alone.
    """
    row = next(rows, None)
    for entry in entries:
        key = entry.key.encode()
        while row is not None and publication_key(identifier(row)).encode() < key:
            yield None, row
            row = next(rows, None)
        if row is not None and publication_key(identifier(row)) == entry.key:
            yield (None if entry.deleted else entry), row
            row = next(rows, None)
        elif not entry.deleted:
            yield entry, None
    while row is not None:
        yield None, row
        row = next(rows, None)
