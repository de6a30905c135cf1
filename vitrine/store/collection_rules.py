"""The table of collections' rules, one object of the bucket of records, and those who hold it."""

import logging
import time
from collections.abc import Callable, Mapping
from threading import Lock

import msgspec

from vitrine.access.collection_rules import (
    CollectionRule,
    CollectionRules,
    decode_collection_rules,
)
from vitrine.errors import ObjectMissing
from vitrine.joined_calls import JoinedCalls
from vitrine.ports import ObjectStore
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import COLLECTION_RULES

logger = logging.getLogger(__name__)


def read_collection_rules(
    records: ObjectStore, known: CollectionRules | None = None
) -> CollectionRules | None:
    """Return the stored table, or `known` if that is it; None without a table that can be read.

    Without one, nobody knows what collections' rules are: so these close (`effective_rule.py`).
    Raises TransientError.
    """
    try:
        if known and known.etag and records.head(COLLECTION_RULES).etag == known.etag:
            return known
        body, info = records.get(COLLECTION_RULES)
        return decode_collection_rules(body, info.etag)
    except ObjectMissing:
        return None
    except msgspec.DecodeError as error:
        logger.error(
            "%s cannot be read, so images in collections are closed: %s", COLLECTION_RULES, error
        )
        return None


Rules = Callable[[CollectionRules], Mapping[str, CollectionRule]]
"""Returns the collections of a table that change, as they are from then on."""


class HeldRules:
    """The table in memory, looked at again after some seconds. For any number of threads."""

    def __init__(
        self,
        records: ObjectStore,
        seconds: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        make: Callable[[], Mapping[str, CollectionRule]] = dict,
    ) -> None:
        """`make` returns what a table says that is not there, at first or after a loss."""
        self._records, self._seconds, self._clock, self._make = records, seconds, clock, make
        self._lock = Lock()
        self._reads = JoinedCalls[None, CollectionRules | None](lambda items: self._read())
        self._known: CollectionRules | None = None
        self._read_at = -1.0

    def __call__(self) -> CollectionRules | None:
        """Return the table; None without one that can be read. Raises TransientError."""
        return self._reads()

    def _read(self) -> CollectionRules | None:
        with self._lock:
            began = self._clock()
            if self._known and self._seconds and began - self._read_at < self._seconds:
                return self._known
            self._known, self._read_at = read_collection_rules(self._records, self._known), began
            return self._known

    def change(self, change: Rules) -> tuple[CollectionRules, CollectionRules]:
        """Write what `change` makes of the table, in one conditional write; return both versions.

        It may be called several times. Without a table one is made first. Raises TransientError,
        and msgspec.DecodeError for a table that cannot be read, in whose place `rebuild` puts one.
        """

        def write() -> tuple[CollectionRules, CollectionRules]:
            before = self._read_to_change()
            after = before.replace(change(before))
            if after is before and before.etag:
                return before, before
            # A precondition also fails if the response to our own write was lost: then nothing is
            # left to change.
            info = self._records.put(
                COLLECTION_RULES,
                after.encode(),
                content_type="application/json",
                if_etag=before.etag,
            )
            stored = CollectionRules(after.version, after.collections, info.etag)
            with self._lock:
                self._known, self._read_at = stored, self._clock()
            return before, stored

        return retry_if_changed(write, "The table of collections' rules")

    def _read_to_change(self) -> CollectionRules:
        with self._lock:
            known = self._known
        try:
            if known and known.etag and self._records.head(COLLECTION_RULES).etag == known.etag:
                return known
            body, info = self._records.get(COLLECTION_RULES)
        except ObjectMissing:
            return self._made("")
        return decode_collection_rules(body, info.etag)

    def rebuild(self) -> None:
        """Write what `make` returns in the place of the table, whatever that says.

        Raises PreconditionFailed if somebody changes it at this moment, and TransientError.
        """
        try:
            etag = self._records.head(COLLECTION_RULES).etag
        except ObjectMissing:
            etag = ""
        body = self._made(etag).encode()
        self._records.put(COLLECTION_RULES, body, content_type="application/json", if_etag=etag)

    def _made(self, etag: str) -> CollectionRules:
        # By the clock, so that no version comes again after a loss: the edge would take an
        # invalidation for one that it did.
        return CollectionRules(int(time.time()), self._make(), etag)
