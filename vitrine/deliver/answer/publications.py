"""What was published of objects and collections, read from the bucket for each request.

The edge keeps the answers and is notified when they change, so nothing is kept here.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import msgspec

from vitrine.deliver.http.faults import Faults
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import MasterRejected, ObjectMissing, ServiceFailed, Unavailable
from vitrine.identify.identifier import check_identifier
from vitrine.iiif.presentation.addresses import DocumentAddress
from vitrine.ports import ObjectStore
from vitrine.store.layout import page_key, publication_key, text_page_key
from vitrine.store.publications import Publication, Published, decode_page, decode_publication

THREADS = 4
"""Reads under way, of some 20 ms each. Belongs to one event loop."""

T = TypeVar("T")


class Publications:
    """Reads what is published under an identifier, once for all who ask at the same time."""

    def __init__(self, store: ObjectStore, faults: Faults | None = None) -> None:
        self._store = store
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="publications")
        self._flight: SingleFlight[Publication | None] = SingleFlight()
        self._pages: SingleFlight[dict[int, bytes] | None] = SingleFlight()
        self._faults = faults or Faults()

    async def find(self, identifier: str) -> Publication | None:
        """Return what is published; None for nothing. Raises Unavailable."""
        try:
            check_identifier(identifier)
        except MasterRejected:
            return None
        return await self._flight.run(identifier, partial(self._read_publication, identifier))

    async def find_page(
        self, identifier: str, published: Publication, address: DocumentAddress
    ) -> dict[int, bytes] | None:
        """Return the documents of the page of a collection, or of a canvas, that is named.

        None if there is no such page, and for the address of another document. Raises Unavailable.
        """
        if not isinstance(published, Published):
            return None
        if 1 <= address.page <= published.pages:
            key = page_key(identifier, address.page)
        elif name := _name_of(published, address):
            key = text_page_key(identifier, name)
        else:
            return None
        return await self._pages.run(key, partial(self._get_decoded, key, decode_page))

    async def _read_publication(self, identifier: str) -> Publication | None:
        return await self._get_decoded(publication_key(identifier), decode_publication)

    async def _get_decoded(self, key: str, decode: Callable[[bytes], T]) -> T | None:
        loop = asyncio.get_running_loop()
        try:
            body, _ = await loop.run_in_executor(self._threads, self._store.get, key)
            return decode(body)
        except ObjectMissing:
            return None
        except ServiceFailed as error:
            self._faults.report("publications-unreadable", str(error))
            raise Unavailable("the bucket of manifests does not answer") from error
        except msgspec.DecodeError as error:
            self._faults.report("publication-damaged", f"{key}: {error}")
            raise Unavailable("what was published cannot be read; it was logged") from error

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _name_of(published: Published, address: DocumentAddress) -> str:
    """Return the name of the text of a canvas, or of its annotations; "" for nothing."""
    number = address.text or address.remarks
    names = published.texts if address.text else published.annotations
    return names[number - 1] if 1 <= number <= len(names) else ""
