"""S3's own notifications about masters, which reach the reconciler on a way of their own.

The bucket sends them to a queue directly: no bus, no rule and no starter lies between, so what one
of these lost is still reported here. They may come twice, late and in any order.
"""

import json
from dataclasses import dataclass
from urllib.parse import unquote_plus

CREATED, REMOVED = "ObjectCreated:", "ObjectRemoved:"


@dataclass(frozen=True, kw_only=True)
class Notification:
    """A master was written, or a version of it or all of it was deleted."""

    key: str
    version: str
    created: bool


def parse_notifications(body: str) -> list[Notification]:
    """Return the notifications in one message; [] for S3's test message and anything else.

    S3 URL-encodes keys here, blanks as `+` (S3, "Event message structure").
    """
    try:
        return [_parse_notification(record) for record in json.loads(body)["Records"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []


def _parse_notification(record: dict[str, dict[str, dict[str, str]]]) -> Notification:
    name, item = str(record["eventName"]), record["s3"]["object"]
    if not name.startswith((CREATED, REMOVED)):
        raise ValueError(name)
    return Notification(
        key=unquote_plus(item["key"], errors="strict"),
        version=item.get("versionId", ""),
        created=name.startswith(CREATED),
    )
