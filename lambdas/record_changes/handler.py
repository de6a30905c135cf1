"""The stream of changes: each ObjectChanged that harvesters have to know of joins its end."""

import json
from datetime import datetime
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import parse_records
from vitrine.bootstrap.site import site_and_base
from vitrine.site.discovery.activities import Change, describe_change
from vitrine.site.discovery.stream import Stream


@lambda_step("record_changes")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Append the changes of a batch at once; an error of the bucket has all of it retried."""
    changes, failed = parse_records(event, _read_change)
    if changes:
        Stream(*site_and_base()).append(sorted(changes, key=lambda change: change.changed_at))
    return failed


def _read_change(body: str) -> Change:
    """Return the change in a message. Raises an error for one that a stream cannot tell of."""
    detail = json.loads(body)["detail"]
    datetime.fromisoformat(detail["published_at"])
    change = Change(
        change=detail["change"],
        kind=detail["kind"],
        identifier=detail["identifier"],
        target=detail["target"],
        changed_at=detail["published_at"],
    )
    describe_change(change, "")
    return change
