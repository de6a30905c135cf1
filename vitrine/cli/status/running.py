"""Masters that are recorded as running, and whether an execution works on them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from vitrine.bootstrap.deployment import Deployment
from vitrine.records import Outcome
from vitrine.store.clock import rfc3339

MAX_NAMED = 1_000
"""Running executions beyond which Step Functions is not asked for the others."""
FRESH = timedelta(minutes=1)
"""Between a record and its execution, or its end and the next look, pass some seconds."""


def running_masters(service: Deployment, running: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return each running master with since when, and `stalled` if no execution works on it.

    `running` are the outcomes with this state.
    """
    fresh_since = rfc3339(datetime.now(UTC) - FRESH)
    old = [outcome for outcome in running if outcome.changed_at < fresh_since]
    names = service.pipeline.running_names() if old else set()
    suspects = [outcome for outcome in old if outcome.execution not in names]
    if len(names) >= MAX_NAMED:
        suspects = []
    stalled = _still_running(service, suspects)
    return [
        {
            "master_key": outcome.master_key,
            "identifier": outcome.identifier,
            "since": outcome.changed_at,
            "stalled": outcome.master_key in stalled,
        }
        for outcome in running
    ]


def _still_running(service: Deployment, suspects: Sequence[Outcome]) -> set[str]:
    """Return the keys of those whose execution did not end while we looked."""
    current = service.outcomes.get_many([outcome.master_key for outcome in suspects])
    return {item.master_key for item in suspects if current.get(item.master_key) == item}
