"""Reconcile: one run of the reconciler. The place where the last one stopped -> where it stopped.

The state machine calls it until it is done.
"""

from datetime import UTC, datetime
from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.reconciler import reconcile_services
from vitrine.ingest.repair.reconciler import Place, reconcile

LEAST_MILLISECONDS = 300_000
"""Enough for one more page, every master of which is started, and slowly."""


@lambda_step("reconcile")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Raises TransientError."""
    services = reconcile_services()
    done = reconcile(
        services,
        services.rules(datetime.now(UTC), rotate=True),
        Place.from_json(event.get("place", {})),
        more_time=lambda: context.get_remaining_time_in_millis() > LEAST_MILLISECONDS,
    )
    count("reconcile", done.counts)
    return done.as_json()
