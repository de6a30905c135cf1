"""The invalidator: ImageChanged events from the queue become invalidations of the edge."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import parse_records
from vitrine.bootstrap.invalidation import invalidate_services
from vitrine.edge.invalidation import invalidate_changes, read_change


@lambda_step("invalidate_edge")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Invalidate a batch with one request; if the edge takes no more, all of it is retried."""
    changes, failed = parse_records(event, read_change)
    if changes:
        invalidate_changes(invalidate_services(), changes)
    return failed
