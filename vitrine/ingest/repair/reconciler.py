"""The reconciler, which finds what events missed.

It walks over both buckets, page by page, and compares the objects with the records:

- a master without an outcome of its version, or whose execution does not run, is started;
- an image whose master was deleted is withdrawn;
- an access master that its identifier does not answer with is tagged, so that it expires;
- an image whose access master was deleted is converted again.

Each is done by the code that follows events, so nothing goes wrong when both do it. A run ends
when its time is over or too many uploads wait, and returns where the next one continues.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from vitrine.ingest.repair.reconcile_access_masters import AccessMasters
from vitrine.ingest.repair.reconcile_masters import MastersWalk
from vitrine.ingest.repair.reconcile_rules import COUNTED, Crowded, Rules
from vitrine.ingest.start.upload_hints import StarterServices
from vitrine.ports import KeyPage, MessageQueue
from vitrine.slices import WHOLE, Slice
from vitrine.store.clock import rfc3339


class Walk(StrEnum):
    """The parts of a walk, in this order."""

    MASTERS = "masters"
    ACCESS_MASTERS = "access_masters"
    DONE = "done"


@dataclass(frozen=True, kw_only=True)
class Cursor:
    """Position of a walk: after the key `after`."""

    walk: Walk = Walk.MASTERS
    after: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> "Cursor":
        """Parse `place` of `Reconciled.as_json`; {} is the beginning. Raises ValueError."""
        return cls(walk=Walk(data.get("walk", Walk.MASTERS)), after=data.get("after", ""))

    def behind(self, page: KeyPage) -> "Cursor":
        """Return the position after `page`."""
        if page.next:
            return replace(self, after=page.next)
        return Cursor(walk=Walk.ACCESS_MASTERS if self.walk is Walk.MASTERS else Walk.DONE)


@dataclass(frozen=True, kw_only=True)
class Reconciled:
    """How far a run came, and what it counted."""

    cursor: Cursor
    crowded: bool
    """It ended because too many uploads wait: the next run should wait as well."""
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def done(self) -> bool:
        """True if the walk is complete."""
        return self.cursor.walk is Walk.DONE

    def as_json(self) -> dict[str, Any]:
        """Return what the next run begins with, and the counts."""
        return {
            "place": asdict(self.cursor),
            "done": self.done,
            "crowded": self.crowded,
            "counts": dict(self.counts),
        }


@dataclass(frozen=True, kw_only=True)
class ReconcileServices:
    """The ports of the reconciler."""

    starter: StarterServices
    notifications: MessageQueue
    """Reports of S3 itself about masters."""
    execution_timeout_seconds: int
    """Longest time of an execution."""

    def rules(self, moment: datetime, *, rotate: bool = False, dry_run: bool = False) -> Rules:
        """Return the rules of a walk that begins at `moment`; see `Rules.at`."""
        return Rules.at(
            moment,
            execution_timeout_seconds=self.execution_timeout_seconds,
            withdrawal_grace_seconds=self.starter.ingest.withdrawal_grace_seconds,
            rotate=rotate,
            dry_run=dry_run,
        )

    def rules_after_a_restart(self, moment: datetime) -> Rules:
        """Return the rules after a restart: no execution from before `moment` is running any more.

        Withdrawals get a new name each time: the one they had may be taken.
        """
        before = rfc3339(moment)
        return replace(
            self.rules(moment), unfinished_before=before, withdrawn_before=before, attempt=before
        )


def reconcile(
    services: ReconcileServices,
    rules: Rules,
    cursor: Cursor,
    run: Slice = WHOLE,
) -> Reconciled:
    """Walk on from `cursor`, page by page, while there is time.

    Raises TransientError: nothing is lost, a run from the same cursor does the same.
    """
    counts = Counter(dict.fromkeys(COUNTED, 0))
    walks: dict[Walk, MastersWalk | AccessMasters] = {
        Walk.MASTERS: MastersWalk(services.starter, rules, counts),
        Walk.ACCESS_MASTERS: AccessMasters(services.starter.ingest, rules, counts),
    }
    try:
        while cursor.walk is not Walk.DONE and run.has_time():
            walk = walks[cursor.walk]
            page = walk.store.list_keys(cursor.after)
            walk.reconcile(page.entries)
            cursor = cursor.behind(page)
    except Crowded:
        return Reconciled(cursor=cursor, crowded=True, counts=counts)
    return Reconciled(cursor=cursor, crowded=False, counts=counts)


def walk_through(
    services: ReconcileServices, rules: Rules, wait: Callable[[], bool]
) -> Counter[str]:
    """Walk over everything, run after run, and return the counts.

    When too many uploads wait, `wait` is called; if it returns False, the walk ends there.
    """
    counts: Counter[str] = Counter()
    cursor = Cursor()
    while cursor.walk is not Walk.DONE:
        run = reconcile(services, rules, cursor)
        counts.update(run.counts)
        cursor = run.cursor
        if run.crowded and not wait():
            break
    return counts
