"""The keys of tickets and the revoked share links: one object of the bucket of records.

The edge has a copy in its key-value store (`vitrine.ports.EdgeKeys`). Here is what counts: a copy
is written after it, until it is one of what is stored then, and `vitrine access sync` writes it
again.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from vitrine.access.keys import Keys
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import EdgeKeys, ObjectStore
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import TICKET_KEYS

SOONEST_SECONDS = 5.0
"""After which keys are read again for a ticket whose key is not known."""


@dataclass(frozen=True)
class TicketKeys:
    """The keys, and the share links that hold no more."""

    keys: Keys = field(default_factory=lambda: Keys({}))
    revoked: Mapping[str, int] = field(default_factory=dict)
    """Ids of links, and when they would have ended, in seconds since 1970."""

    def rotate(self) -> "TicketKeys":
        """Return it with a new key that signs."""
        return replace(self, keys=self.keys.rotate())

    def revoke(self, link: str, expires_at: int, now: float) -> "TicketKeys":
        """Return it without this link, and without what has ended by itself."""
        kept = {name: ends for name, ends in self.revoked.items() if ends > now}
        return replace(self, revoked=kept | {link: expires_at})

    def edge_values(self) -> dict[str, str]:
        """Return what the edge has of it, by the keys of its store."""
        secrets = {f"key-{name}": secret for name, secret in self.keys.secrets.items()}
        return secrets | {f"revoked-{link}": str(ends) for link, ends in self.revoked.items()}


def read_ticket_keys(records: ObjectStore) -> TicketKeys:
    """Return what is stored; without anything, no ticket is valid. Raises TransientError."""
    return _read(records)[0]


def change_ticket_keys(
    records: ObjectStore, change: Callable[[TicketKeys], TicketKeys]
) -> TicketKeys:
    """Replace what is stored by what `change` makes of it. Raises TransientError."""

    def write() -> TicketKeys:
        before, etag = _read(records)
        after = change(before)
        if after == before:
            return before
        body = json.dumps({"keys": after.keys.to_json(), "revoked": dict(after.revoked)})
        try:
            records.put(TICKET_KEYS, body.encode(), content_type="application/json", if_etag=etag)
        except PreconditionFailed:
            # It is ours if the response to a first attempt was lost: to rotate again would end
            # the key that signed until now.
            if read_ticket_keys(records) != after:
                raise
        return after

    return retry_if_changed(write, TICKET_KEYS)


def copy_ticket_keys(records: ObjectStore, edge: EdgeKeys) -> TicketKeys:
    """Give the edge what is stored, and return it.

    Somebody else may change it, and write their copy first: a late copy of what was stored before
    would let a revoked link hold again. So what is stored is read again after each copy.

    Raises TransientError.
    """

    def write() -> TicketKeys:
        stored = read_ticket_keys(records)
        edge.replace(stored.edge_values())
        if read_ticket_keys(records) != stored:
            raise PreconditionFailed(TICKET_KEYS)
        return stored

    return retry_if_changed(write, "What the edge keeps of the keys of tickets")


def make_ticket_keys(records: ObjectStore, edge: EdgeKeys) -> TicketKeys:
    """Return the keys, after making the first one; the edge has them as well.

    Raises TransientError.
    """
    change_ticket_keys(
        records, lambda current: current if current.keys.secrets else current.rotate()
    )
    return copy_ticket_keys(records, edge)


class CachedTicketKeys:
    """The stored keys, read at most every `seconds`, and sooner for a ticket of a key that they
    have not. Not for several threads at a time."""

    def __init__(
        self,
        records: ObjectStore,
        seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._records = records
        self._seconds = seconds
        self._clock = clock
        self._read_at = 0.0
        self._known: TicketKeys | None = None

    def recall(self, key: str = "") -> TicketKeys | None:
        """Return what was read, as long as it may be relied on; None: it has to be read.

        `key` is the id of a ticket's key: one that is not known may be a minute old, and forged
        ones cause no more than one read in `SOONEST_SECONDS`.
        """
        age = self._clock() - self._read_at
        if self._known is None or age >= self._seconds:
            return None
        is_strange = bool(key) and key not in self._known.keys.secrets
        return None if is_strange and age >= SOONEST_SECONDS else self._known

    def read(self) -> TicketKeys:
        """Read them, and return them. Raises TransientError."""
        known = read_ticket_keys(self._records)
        self._known, self._read_at = known, self._clock()
        return known


def _read(records: ObjectStore) -> tuple[TicketKeys, str]:
    try:
        body, info = records.get(TICKET_KEYS)
    except ObjectMissing:
        return TicketKeys(), ""
    data = json.loads(body)
    return TicketKeys(Keys.from_json(data["keys"]), data["revoked"]), info.etag
