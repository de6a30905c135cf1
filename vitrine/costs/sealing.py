"""What giving old access masters checksums costs: requests, bytes that move, and double storage.

Nothing runs in a Lambda: all is done by the machine that the command runs on. No answer changes,
so that no event is sent and nothing is dropped from the edge.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.costs.ingest_work import MEBIBYTE, Charge
from vitrine.costs.prices import regions

DEFAULT_REGION = "us-east-1"
PART_BYTES = 16 * MEBIBYTE
"""Of a GET and of a PUT (vitrine/adapters/aws/object_store.py)."""
TIMES_READ = 2
"""At most: once where S3 keeps a checksum of the whole object."""
GETS, PUTS = 2, 4
"""For each image, besides the parts: two HEADs; journal, tag, beginning and end of an upload."""
READS, WRITES = 5, 3
"""DynamoDB units: the record before and after; the record with its two indexes."""
KEPT_MONTHS = 14 / 30.4
"""The old access master expires after a week, and its bytes stay for another one."""
_GIGABYTE = 1e9


@dataclass(frozen=True, kw_only=True)
class SealingWork:
    """What there is to do. `unsealed_bytes` of the access masters without checksums."""

    looked_at: int
    unsealed: int
    unsealed_bytes: int
    listings: int

    @property
    def read_bytes(self) -> int:
        """Bytes that leave S3, at most."""
        return TIMES_READ * self.unsealed_bytes


def known_region(region: str) -> str:
    """Return the region whose prices are taken: itself, if they are known."""
    return region if region in regions() else DEFAULT_REGION


def charges(work: SealingWork) -> Iterator[Charge]:
    """Yield the charges of sealing in the region of the buckets."""
    parts = math.ceil(work.unsealed_bytes / PART_BYTES) + work.unsealed
    gets = work.looked_at + work.unsealed * GETS + TIMES_READ * parts
    puts = work.listings + work.unsealed * PUTS + parts
    yield Charge("S3, thousand GET", gets / 1e3, "every access master; those unsealed, whole")
    yield Charge("S3, thousand PUT", puts / 1e3, "sealed copies, journal, tags, listings")
    yield Charge("DynamoDB, million reads", work.unsealed * READS / 1e6, "identifiers")
    yield Charge("DynamoDB, million writes", work.unsealed * WRITES / 1e6, "identifiers")
    stored = work.unsealed_bytes / _GIGABYTE * KEPT_MONTHS
    yield Charge("S3 Standard, GB-month", stored, "old access masters, until they are gone")


def transfers(work: SealingWork) -> Iterator[Charge]:
    """Yield what leaves the region costs if the command runs elsewhere: one of the two."""
    gigabytes = work.read_bytes / _GIGABYTE
    yield Charge("S3, GB to another region", gigabytes, "in another region of AWS")
    yield Charge("S3, GB to the internet", gigabytes, "outside of AWS")
