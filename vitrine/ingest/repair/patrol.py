"""The patrol: what the reconciler does every few minutes, between its walks over everything.

It starts masters again whose execution was lost, wherever they are. In a collection that one
listing shows, it compares all masters with their outcomes, so an upload that no event reported is
found within minutes too; a larger one waits for the next walk.
"""

from collections import Counter
from contextlib import suppress

from vitrine.ingest.repair.lost_executions import find_lost
from vitrine.ingest.repair.reconcile_masters import Masters
from vitrine.ingest.repair.reconcile_rules import COUNTED, Crowded, Rules
from vitrine.ingest.repair.reconciler import ReconcileServices

LOOKED_AT = 1_000
"""Most running outcomes of one patrol, the newest."""


def patrol(services: ReconcileServices, rules: Rules) -> Counter[str]:
    """Start again what was lost, and return the counts. Raises TransientError.

    While uploads wait in their queue, masters without an outcome are left to it.
    """
    counts = Counter(dict.fromkeys(COUNTED, 0))
    starter = services.starter
    masters = Masters(starter, rules, counts)
    running = starter.ingest.outcomes.by_state("running", LOOKED_AT)
    with suppress(Crowded):
        masters.restart(find_lost(running, starter.ingest.pipeline, rules.lost_before))
        if starter.uploads.length() == 0:
            page = masters.store.list_keys()
            if not page.next:
                masters.reconcile(page.entries)
    return counts
