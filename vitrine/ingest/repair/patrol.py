"""The patrol: what the reconciler does every few minutes, between its walks over everything.

It starts masters again whose execution was lost, and follows what S3 reported to a queue of its
own, so an upload or a deletion whose event was lost is found within minutes in a collection of any
size (ADR 0025). Where one listing shows all masters it compares them with their outcomes as well,
which finds what S3 reported to nobody; in a larger collection the next walk does.
"""

from collections import Counter
from contextlib import suppress

from vitrine.ingest.repair.lost_executions import find_lost
from vitrine.ingest.repair.notifications import parse_notifications
from vitrine.ingest.repair.reconcile_masters import MastersWalk
from vitrine.ingest.repair.reconcile_rules import COUNTED, Crowded, Rules
from vitrine.ingest.repair.reconciler import ReconcileServices
from vitrine.slices import WHOLE, Slice

LOOKED_AT = 1_000
"""Most running outcomes of one patrol, the newest."""
TAKEN_AT_ONCE = 1_000
"""Most notifications whose outcomes are read together."""


def patrol(services: ReconcileServices, rules: Rules, run: Slice = WHOLE) -> Counter[str]:
    """Start again what was lost, and return the counts. Raises TransientError.

    While uploads wait in their queue, listed masters without an outcome are left to it. What S3
    reported is followed while there is time and one more execution may start; the rest waits.
    """
    counts = Counter(dict.fromkeys(COUNTED, 0))
    starter = services.starter
    masters = MastersWalk(starter, rules, counts)
    running = starter.ingest.outcomes.by_state("running", LOOKED_AT)
    with suppress(Crowded):
        masters.restart(find_lost(running, starter.ingest.pipeline, rules.lost_before))
        while run.has_time() and starter.throttle.may_start():
            taken = services.notifications.take(TAKEN_AT_ONCE)
            if not taken:
                break
            masters.follow([one for item in taken for one in parse_notifications(item.body)])
            services.notifications.delete(taken)
        if starter.uploads.length() == 0:
            page = masters.store.list_keys()
            if not page.next:
                masters.reconcile(page.entries)
    return counts
