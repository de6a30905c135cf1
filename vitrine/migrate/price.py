"""The cost of a migration on AWS, estimated from list prices and measured work.

Prices are on demand, in USD, without tax and free tiers; the work per image is what the templates
say (states, memory) and what was measured (`docs/howto/migrate-a-collection.md`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

GIBIBYTE = 1024**3
GIGABYTE = 1e9
MEGA = 1_000_000
PRICES_AS_OF = "2026-11-20"


@dataclass(frozen=True, kw_only=True)
class PriceBook:
    """Prices of one region."""

    lambda_gibibyte_second: float = 0.0000166667
    lambda_request: float = 0.20 / MEGA
    transition: float = 0.025 / 1_000
    put: float = 0.005 / 1_000
    get: float = 0.0004 / 1_000
    write_unit: float = 0.625 / MEGA
    read_unit: float = 0.125 / MEGA
    event: float = 1.00 / MEGA
    storage_gigabyte_month: float = 0.023
    archive_gigabyte_month: float = 0.004


PRICES: Mapping[str, PriceBook] = {
    "us-east-1": PriceBook(),
    "eu-west-1": PriceBook(write_unit=0.705 / MEGA, read_unit=0.1415 / MEGA),
}
REGION = "us-east-1"
"""The region whose prices are used if none is given."""

INGEST_TRANSITIONS = 7
"""The start and the states a published master meets: ReadHeader, RouteBySize, ConvertMaster,
VerifyAccessMaster, PublishImage, Published."""
MIGRATE_TRANSITIONS = 3
"""The child's start, MigrateMaster, and one more try of it: most ingests end in the first pause."""
LAMBDA_REQUESTS = 6
"""The four steps, and MigrateMaster twice."""
SMALL_GIBIBYTE_SECONDS = 1.0 * 0.5 + 1.73 * 1.0 + 0.5 * 0.5 + 2 * 0.5 * 0.3
"""ReadHeader, VerifyAccessMaster, PublishImage, MigrateMaster twice: GiB times seconds."""
CONVERTER_GIBIBYTES = 1.73
CONVERTER_START_SECONDS = 1.0
CONVERTER_PIXELS_PER_SECOND = 55 * MEGA
"""Speed of one virtual CPU, decoding included."""
CONVERTER_BYTES_PER_SECOND = 78e6
"""625 Mbit/s of a Lambda's network."""
PART_BYTES = 6 * 1024 * 1024
"""Size of the parts in which an access master is written, each by one PUT."""
SMALL_PUTS = 4
"""The beginning and end of the access master's upload, the metadata, the journal's entry."""
GETS = 20
WRITE_UNITS = 10
"""Two outcomes and one identifier, of up to 2 KB, each once more in its listing."""
READ_UNITS = 12
EVENTS = 2


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
class Estimate:
    """Costs in USD, once and per month, by purpose."""

    once: Mapping[str, float]
    month: Mapping[str, float]
    region: str
    prices_as_of: str = PRICES_AS_OF


def estimate(work: Work, region: str = REGION) -> Estimate:
    """Return the cost of `work` in `region`; an unknown region has the prices of us-east-1."""
    region = region if region in PRICES else REGION
    prices = PRICES[region]
    rows = work.images + work.checked
    parts = work.access_master_bytes / PART_BYTES + work.images
    puts = parts + work.images * SMALL_PUTS + work.imported
    requests = work.images * LAMBDA_REQUESTS + work.checked
    transitions = work.images * (INGEST_TRANSITIONS + MIGRATE_TRANSITIONS) + work.checked * 2
    once = {
        "Lambda": _gibibyte_seconds(work) * prices.lambda_gibibyte_second
        + requests * prices.lambda_request,
        "Step Functions": transitions * prices.transition,
        "S3 requests": puts * prices.put + (work.images * GETS + rows * 3) * prices.get,
        "DynamoDB": work.images * WRITE_UNITS * prices.write_unit
        + (work.images * READ_UNITS + rows * 2) * prices.read_unit,
        "EventBridge": work.images * EVENTS * prices.event,
    }
    masters, pyramids = work.master_bytes / GIGABYTE, work.access_master_bytes / GIGABYTE
    month = {
        "Access masters": pyramids * prices.storage_gigabyte_month,
        "Masters, at first": masters * prices.storage_gigabyte_month,
        "Masters, in Glacier Instant Retrieval": masters * prices.archive_gigabyte_month,
    }
    return Estimate(once=once, month=month, region=region)


def _gibibyte_seconds(work: Work) -> float:
    moved = work.master_bytes + work.access_master_bytes
    seconds = (
        work.images * CONVERTER_START_SECONDS
        + work.pixels / CONVERTER_PIXELS_PER_SECOND
        + moved / CONVERTER_BYTES_PER_SECOND
    )
    return seconds * CONVERTER_GIBIBYTES + work.images * SMALL_GIBIBYTE_SECONDS
