"""The invalidator: ImageChanged events from the queue become invalidations of the edge."""

from contextlib import suppress
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import find_last_receipt, parse_records
from vitrine.bootstrap.invalidation import invalidate_services
from vitrine.bootstrap.own_queue import own_queue
from vitrine.edge.invalidation import invalidate_changes, read_change
from vitrine.errors import TransientError


@lambda_step("invalidate_edge")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Invalidate a batch; if the edge takes no more, all of it is retried."""
    changes, failed = parse_records(event, read_change)
    if changes:
        invalidate_changes(
            invalidate_services(),
            changes,
            waiting=_count_waiting(event),
            received_at=find_last_receipt(event),
        )
    return failed


def _count_waiting(event: dict[str, Any]) -> int:
    """Return the length of the queue; 0 if SQS does not say: a withdrawal waits for no count."""
    with suppress(TransientError):
        return own_queue(event).length()
    return 0
