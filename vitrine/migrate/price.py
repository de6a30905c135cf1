"""The cost of a migration on AWS, estimated from list prices and measured work.

Prices are on demand, in USD, without tax and free tiers. The work of an ingest is that of
`vitrine.costs.ingest_work`; a migration adds its own calls (docs/howto/migrate-a-collection.md).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vitrine.costs.ingest_work import Charge, charges, image_work
from vitrine.costs.kept_objects import (
    FREQUENT,
    GLACIER,
    STANDARD,
    TO_GLACIER,
    WATCHED,
)
from vitrine.costs.prices import PRICES_AS_OF, price, regions
from vitrine.migrate.messages import MASTERS_AT_ONCE, MASTERS_PER_CHILD

GIGABYTE = 1e9
MEGA = 1_000_000
REGION = "us-east-1"
"""The region whose prices are used if none is given."""

BATCH_TRANSITIONS = 2
"""The child's start, and MigrateMaster, which waits for most ingests."""
MIGRATE_GIBIBYTE_SECONDS = 6 / MASTERS_AT_ONCE
"""Share of a Lambda of 1 GiB, which waits about 6 s for an ingest and for others meanwhile."""
ROW_GETS, ROW_READS = 3, 2
"""Requests about one row, whether its image is converted or not."""
LOOKS = 4
"""Looks at an image whose ingest is under way, each with the same requests."""
_NAMES = {"S3": "S3 requests", "CloudFront": "CloudFront invalidations, at most"}
"""Names of services in the report that differ from the word before the comma of their price."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """The work of a migration."""

    images: int
    """Number of images converted."""
    checked: int
    """Number of rows only checked: unchanged, or rejected."""
    imported: int
    master_bytes: int
    access_master_bytes: int
    pixels: int


@dataclass(frozen=True, kw_only=True)
class PriceEstimate:
    """Costs in USD, once and per month, by purpose."""

    once: Mapping[str, float]
    month: Mapping[str, float]
    region: str
    prices_as_of: str = PRICES_AS_OF


def estimate(work: Work, region: str = REGION) -> PriceEstimate:
    """Return the cost of `work` in `region`; an unknown region has the prices of us-east-1."""
    region = region if region in regions() else REGION
    once: defaultdict[str, float] = defaultdict(float)
    for charge in (*_ingests(work), *_migration(work)):
        service = charge.price.partition(",")[0]
        once[_NAMES.get(service, service)] += charge.usd(region)
    masters, pyramids = work.master_bytes / GIGABYTE, work.access_master_bytes / GIGABYTE
    frequent, watched = price(FREQUENT, region).usd, price(WATCHED, region).usd
    month = {
        "Access masters": pyramids * frequent + work.images / 1e3 * watched,
        "Masters, at first": masters * price(STANDARD, region).usd,
        "Masters, in Glacier Instant Retrieval": masters * price(GLACIER, region).usd,
    }
    return PriceEstimate(once=dict(once), month=month, region=region)


def _ingests(work: Work) -> Iterator[Charge]:
    """Yield the charges of all ingests, as if each image were the mean of them."""
    if not work.images:
        return
    mean = image_work(
        megapixels=work.pixels / MEGA / work.images,
        master_bytes=work.master_bytes / work.images,
        access_master_bytes=work.access_master_bytes / work.images,
    )
    for charge in charges(mean):
        yield Charge(charge.price, charge.quantity * work.images, charge.what)


def _migration(work: Work) -> Iterator[Charge]:
    """Yield what the migration itself adds."""
    rows = work.images + work.checked
    batches = rows / MASTERS_PER_CHILD
    looks = rows + work.images * LOOKS
    yield Charge("Lambda, GB-second", rows * MIGRATE_GIBIBYTE_SECONDS, "MigrateMaster")
    yield Charge("Lambda, million requests", batches / 1e6, "MigrateMaster")
    transitions = batches * BATCH_TRANSITIONS
    yield Charge("Step Functions, thousand transitions", transitions / 1e3, "the map's children")
    yield Charge("S3, thousand PUT", work.imported / 1e3, "copies into the masters bucket")
    yield Charge("S3, thousand GET", looks * ROW_GETS / 1e3, "every row")
    yield Charge("DynamoDB, million reads", looks * ROW_READS / 1e6, "every row")
    # As if all had been live before and changed slowly: while more than
    # `vitrine.edge.invalidation.MAX_TAGS` wait, an hour costs $7.20, however many they are.
    yield Charge("CloudFront, invalidated path", work.images, "images that replace others")
    yield Charge(TO_GLACIER, work.images / 1e3, "a lifecycle rule")
