"""What S3 charges for keeping masters and access masters, by their storage classes.

`tests/infrastructure/test_plan_prices.py` compares them with the templates.
"""

from dataclasses import dataclass

from vitrine.costs.prices import price

MASTERS_CLASS = "GLACIER_IR"
"""The storage class of masters, after their first day in S3 Standard."""
MASTERS_DAYS = 1
"""Their age when they move there: `glacier_after_days` of the environments. S3 allows it from the
first day; only its infrequent-access classes want 30 (S3, "Transitioning objects using Amazon S3
Lifecycle")."""
ACCESS_MASTERS_CLASS = "INTELLIGENT_TIERING"
"""The storage class in which access masters are written. A PUT costs the same as in S3 Standard;
moving them there later would be $0.01 for a thousand."""
MONTH_DAYS = 30
"""Days of a GB-month: S3 counts by the hours of the calendar month, which has up to 3 % more."""
INFREQUENT_DAYS, ARCHIVED_DAYS = 30, 90
"""Days without a read after which Intelligent-Tiering takes less for an object (S3, "How S3
Intelligent-Tiering works")."""
STANDARD, GLACIER = "S3 Standard, GB-month", "S3 Glacier Instant Retrieval, GB-month"
TO_GLACIER = "S3 Glacier Instant Retrieval, thousand transitions"
WATCHED = "S3 Intelligent-Tiering, thousand objects watched for a month"
FREQUENT, INFREQUENT, ARCHIVE = (
    f"S3 Intelligent-Tiering, GB-month, {tier}"
    for tier in ("frequent", "infrequent", "archive instant")
)
_GB = 1e9


@dataclass(frozen=True)
class FirstDays:
    """What new images cost in S3 once, apart from requests and from what keeping them costs later.

    In USD.
    """

    standard: float
    """Dollars for masters in S3 Standard, beyond those for Glacier Instant Retrieval on the same
    days."""
    transitions: float
    """Dollars to move masters to Glacier Instant Retrieval."""


def first_days(images: float, master_bytes: float, region: str) -> FirstDays:
    """Return what `images` with masters of `master_bytes` together cost in their first days."""
    return FirstDays(
        standard=master_bytes / _GB * standard_months() * standard_surcharge(region),
        transitions=images / 1e3 * price(TO_GLACIER, region).usd,
    )


def standard_months() -> float:
    """Return the months that a master is in S3 Standard."""
    return MASTERS_DAYS / MONTH_DAYS


def standard_surcharge(region: str) -> float:
    """Return the USD per GB-month by which S3 Standard exceeds Glacier Instant Retrieval."""
    return price(STANDARD, region).usd - price(GLACIER, region).usd
