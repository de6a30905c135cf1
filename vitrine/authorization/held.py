"""The table of rights, the secret and the keys: objects of the bucket of records, kept briefly."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from vitrine.access.keys import Keys
from vitrine.access.rights import Access, read_access
from vitrine.errors import AccessRefused, ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.store.layout import ACCESS_SECRET, ACCESS_TABLE
from vitrine.store.ticket_keys import CachedTicketKeys

KEPT_SECONDS = 60.0
"""Seconds until a change of the table takes effect."""
KEYS_KEPT_SECONDS = 5.0
"""Seconds for which a dropped key still signs. People are let in too rarely to keep it longer."""
Value = TypeVar("Value")


class CachedObject(Generic[Value]):
    """The value of one object."""

    def __init__(
        self,
        records: ObjectStore,
        key: str,
        read: Callable[[bytes], Value],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._records, self._key, self._read, self._clock = records, key, read, clock
        self._value: tuple[float, Value] | None = None

    def __call__(self) -> Value:
        """Return it. Raises AccessRefused for an object that is absent or not usable, and
        TransientError."""
        now = self._clock()
        if self._value is None or now - self._value[0] > KEPT_SECONDS:
            try:
                body, _ = self._records.get(self._key)
            except ObjectMissing:
                body = b""
            self._value = (now, self._read(bytes(body)))
        return self._value[1]


def held_access(records: ObjectStore) -> Callable[[], Access]:
    """Return what reads the table of rights."""
    return CachedObject(records, ACCESS_TABLE, read_access)


def held_keys(records: ObjectStore) -> Callable[[], Keys]:
    """Return what reads the keys of tickets, and raises AccessRefused where they are absent."""
    stored = CachedTicketKeys(records, KEYS_KEPT_SECONDS)

    def read() -> Keys:
        keys = (stored.recall() or stored.read()).keys
        if not keys.secrets:
            raise AccessRefused("there are no keys to sign tickets with")
        return keys

    return read


def held_secret(records: ObjectStore) -> Callable[[], str]:
    """Return what reads our secret at the provider; it is empty for a public client."""
    return CachedObject(records, ACCESS_SECRET, lambda body: body.decode().strip())
