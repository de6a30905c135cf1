"""What a publication replaces and what it is made of, read in this order.

So of two publishers the later one has seen at least as much.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple, Self

from vitrine.catalogue.records import ObjectRecord
from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.records import Record
from vitrine.store.layout import publication_key
from vitrine.store.publications import Publication, decode_publication, readable_body


class Replaced(NamedTuple):
    """The publication until the next write."""

    body: bytes
    """Empty for nothing, and for what is damaged."""
    etag: str
    """Empty for nothing."""
    publication: Publication | None
    read_at: float
    """Monotonic seconds, before it was read."""

    @classmethod
    def read(cls, site: ObjectStore, identifier: str) -> Self:
        """Return what is published of an object. Raises TransientError."""
        key, read_at = publication_key(identifier), monotonic()
        try:
            body, info = site.get(key)
        except ObjectMissing:
            return cls(b"", "", None, read_at)
        body = readable_body(key, body)
        return cls(body, info.etag, decode_publication(body) if body else None, read_at)


@dataclass(frozen=True)
class PublicationBasis:
    """What is replaced, and what was read since."""

    replaced: Replaced
    record: ObjectRecord
    images: Mapping[str, Record] = field(default_factory=dict)
    """Some of the record's images, as they are shown."""

    def is_sound(self) -> bool:
        """Return True if nobody published a newer record, also where it was read before that.

        Who writes a newer one from now on publishes it after that.
        """
        replaced = self.replaced.publication
        if replaced is None:
            return not self.replaced.etag
        return replaced.revision <= self.record.revision

    def age_seconds(self) -> float:
        """Return the seconds since the first of it was read."""
        return monotonic() - self.replaced.read_at
