"""What was published of objects and collections, read from the bucket for each request.

The edge keeps the answers and is notified when they change, so nothing is kept here.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import msgspec

from vitrine.deliver.http.troubles import Troubles
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import MasterRejected, ObjectMissing, ServiceFailed, Unavailable
from vitrine.identify.identifier import check_identifier
from vitrine.ports import ObjectStore
from vitrine.store.layout import publication_key
from vitrine.store.publications import Publication, decode_publication

THREADS = 4
"""Reads under way, of some 20 ms each. Belongs to one event loop."""


class Publications:
    """Reads what is published under an identifier, once for all who ask at the same time."""

    def __init__(self, store: ObjectStore, troubles: Troubles | None = None) -> None:
        self._store = store
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="publications")
        self._flight: SingleFlight[Publication | None] = SingleFlight()
        self._troubles = troubles or Troubles()

    async def find(self, identifier: str) -> Publication | None:
        """Return what is published; None for nothing. Raises Unavailable."""
        try:
            check_identifier(identifier)
        except MasterRejected:
            return None
        return await self._flight.run(identifier, partial(self._read, identifier))

    async def _read(self, identifier: str) -> Publication | None:
        loop, key = asyncio.get_running_loop(), publication_key(identifier)
        try:
            body, _ = await loop.run_in_executor(self._threads, self._store.get, key)
            return decode_publication(body)
        except ObjectMissing:
            return None
        except ServiceFailed as error:
            self._troubles.report("publications-unreadable", str(error))
            raise Unavailable("the bucket of manifests does not answer") from error
        except msgspec.DecodeError as error:
            self._troubles.report("publication-damaged", f"{key}: {error}")
            raise Unavailable("what was published cannot be read; it was logged") from error

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)
