"""Reconcile: one run of the reconciler. Position of the last run -> position of this run.

The state machine calls it until everything is compared.
"""

from datetime import UTC, datetime
from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.reconciler import reconcile_services
from vitrine.ingest.repair.reconciler import Cursor, reconcile

LEAST_MILLISECONDS = 300_000
"""Enough for one more page, even if every master of it is started, and slowly."""


@lambda_step("reconcile")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Compare from the given position on; raises TransientError."""
    services = reconcile_services()
    done = reconcile(
        services,
        services.rules(datetime.now(UTC), rotate=True),
        Cursor.from_json(event.get("place", {})),
        more_time=lambda: context.get_remaining_time_in_millis() > LEAST_MILLISECONDS,
    )
    count("reconcile", done.counts)
    return done.as_json()
