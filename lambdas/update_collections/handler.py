"""Update the collections whose time has come, by the clock: what changed elsewhere -> manifests."""

from datetime import UTC, datetime
from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.updates import update_services
from vitrine.slices import Slice
from vitrine.sources.updates.scheduled_update import update_due

MIN_MILLISECONDS = 420_000
"""Enough for one more answer of a server, for storing what was fetched, and a batch of objects."""


@lambda_step("update_collections")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Update for as long as there is time; raises TransientError."""
    counts = update_due(
        update_services(),
        datetime.now(UTC),
        Slice(context.get_remaining_time_in_millis, MIN_MILLISECONDS),
    )
    count("update_collections", counts)
    return dict(counts)
