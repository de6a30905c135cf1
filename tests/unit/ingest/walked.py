"""One walk of the reconciler over masters that a test follows."""

from datetime import UTC, datetime

from followed_masters import FollowedMasters

from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.ingest.hints import StarterServices
from vitrine.ingest.pace import Pace
from vitrine.ingest.reconcile import ReconcileServices, walk_through


def walk(bed: FollowedMasters) -> dict[str, int]:
    """Long after all that happened; what it found, less what it found nothing of."""
    starter = StarterServices(
        ingest=bed.services,
        uploads=MemoryQueue(),
        pace=Pace(bed.services.pipeline, at_once=0, starters=1),
    )
    services = ReconcileServices(starter=starter, execution_timeout_seconds=0)
    rules = services.rules(datetime(2200, 1, 1, tzinfo=UTC))
    return {name: count for name, count in walk_through(services, rules, bool).items() if count}
