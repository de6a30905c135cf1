"""Times as they are stored: RFC 3339, UTC, fixed width, so that text order is time order."""

from datetime import UTC, datetime


def rfc3339(moment: datetime) -> str:
    """Return a text like `2026-11-21T07:30:00.000Z`: milliseconds, as S3 writes them."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def now() -> str:
    """Return the current time as it is stored."""
    return rfc3339(datetime.now(UTC))
