"""Reconcile: one run of the reconciler. Position of the last run -> position of this run.

The state machine calls it until everything is compared. A schedule of a few minutes calls it with
`patrol` between these walks.
"""

import logging
from datetime import UTC, datetime
from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.bootstrap.reconciler import reconcile_services
from vitrine.identify.canary import guard_table
from vitrine.ingest.repair.patrol import patrol
from vitrine.ingest.repair.reconciler import Cursor, reconcile
from vitrine.slices import Slice

TABLE_LOST = (
    "The table of identifiers has lost its canary though its journal has entries: it may be empty "
    "or incomplete, and unknown identifiers answer 503. Run `vitrine identifiers rebuild`."
)
MIN_MILLISECONDS = 300_000
"""Enough for one more page of masters or notifications, even if each is started, and slowly."""


logger = logging.getLogger(__name__)


@lambda_step("reconcile")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Compare from the given position on; raises TransientError."""
    services = reconcile_services()
    ingest = services.starter.ingest
    if not guard_table(ingest.identifiers, ingest.records):
        logger.error(TABLE_LOST)
        count("reconcile", {"identifiers_table_lost": 1})

    run = Slice(context.get_remaining_time_in_millis, MIN_MILLISECONDS)
    if event.get("patrol"):
        counts = patrol(services, services.rules(datetime.now(UTC)), run)
        # In a small collection each patrol looks at all masters: a metric in every hour, of no use.
        count("reconcile", {name: value for name, value in counts.items() if name != "masters"})
        return {"counts": dict(counts)}
    done = reconcile(
        services,
        services.rules(datetime.now(UTC), rotate=True),
        Cursor.from_json(event.get("place", {})),
        run,
    )
    count("reconcile", done.counts)
    return done.as_json()
