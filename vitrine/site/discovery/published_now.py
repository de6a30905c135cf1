"""Everything that is published now, for a stream that begins again."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.site.discovery.activities import UPDATED, Change
from vitrine.store.layout import publication_key
from vitrine.store.publications import Published, decode_publication
from vitrine.store.published_document import log_damage

THREADS = 16


def published_now(site: ObjectStore, identifiers: Iterable[str]) -> Iterator[Change]:
    """Yield the objects and collections among these that have documents, in their order.

    One that is damaged is logged, and left out. Raises TransientError.
    """

    def read(identifier: str) -> Change | None:
        try:
            body, info = site.get(publication_key(identifier))
        except ObjectMissing:
            return None
        try:
            publication = decode_publication(body)
        except msgspec.DecodeError as error:
            log_damage(publication_key(identifier), error)
            return None
        if not isinstance(publication, Published):
            return None
        return Change(
            change=UPDATED,
            kind=publication.kind,
            identifier=identifier,
            changed_at=info.modified,
        )

    with ThreadPoolExecutor(THREADS, thread_name_prefix="published") as threads:
        yield from (change for change in threads.map(read, identifiers) if change)
