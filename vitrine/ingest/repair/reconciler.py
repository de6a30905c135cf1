"""The reconciler: the last net under the events.

It walks over both buckets, page by page, and compares what lies there with what is recorded:

- a master without an outcome of its version, or whose ingest never ended, is started;
- an image whose master was deleted is withdrawn;
- an access master that its identifier does not answer with is tagged, so that it expires;
- an image whose access master was deleted is converted anew.

Each is done by the code that follows events, so nothing goes wrong when both do it. A run ends
when its time is over or too much waits, and says where the next one goes on.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from vitrine.ingest.repair.reconcile_access_masters import AccessMasters
from vitrine.ingest.repair.reconcile_masters import Masters
from vitrine.ingest.repair.reconcile_rules import FOUND, Crowded, Rules
from vitrine.ingest.start.upload_hints import StarterServices
from vitrine.ports import Page
from vitrine.store.clock import rfc3339


class Walk(StrEnum):
    """What is walked over, in this order."""

    MASTERS = "masters"
    ACCESS_MASTERS = "access_masters"
    DONE = "done"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a walk stands: behind the key `after`."""

    walk: Walk = Walk.MASTERS
    after: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> "Place":
        """What `Reconciled.as_json` says; {} is the beginning. Raises ValueError."""
        return cls(walk=Walk(data.get("walk", Walk.MASTERS)), after=data.get("after", ""))

    def behind(self, page: Page) -> "Place":
        """Where it stands once it is done with `page`."""
        if page.next:
            return replace(self, after=page.next)
        return Place(walk=Walk.ACCESS_MASTERS if self.walk is Walk.MASTERS else Walk.DONE)


@dataclass(frozen=True, kw_only=True)
class Reconciled:
    """How far a run came, and what it found."""

    place: Place
    crowded: bool
    """It ended because too much waits to be ingested: the next run should wait, too."""
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def done(self) -> bool:
        """The walk is at its end."""
        return self.place.walk is Walk.DONE

    def as_json(self) -> dict[str, Any]:
        """What the next run begins with, and the counts."""
        return {
            "place": asdict(self.place),
            "done": self.done,
            "crowded": self.crowded,
            "counts": dict(self.counts),
        }


@dataclass(frozen=True, kw_only=True)
class ReconcileServices:
    """What the reconciler works with."""

    starter: StarterServices
    execution_timeout_seconds: int
    """After which an execution is not running any more."""

    def rules(self, moment: datetime, *, rotate: bool = False, dry_run: bool = False) -> Rules:
        """The rules of a walk that begins at `moment`; see `Rules.at`."""
        return Rules.at(
            moment,
            execution_timeout_seconds=self.execution_timeout_seconds,
            withdrawal_grace_seconds=self.starter.ingest.withdrawal_grace_seconds,
            rotate=rotate,
            dry_run=dry_run,
        )

    def rules_after_a_restart(self, moment: datetime) -> Rules:
        """The rules where nothing runs any more that was begun before `moment`.

        Withdrawals are tried by a name of their own each time: the one they had may be taken.
        """
        before = rfc3339(moment)
        return replace(
            self.rules(moment), unfinished_before=before, withdrawn_before=before, attempt=before
        )


def reconcile(
    services: ReconcileServices,
    rules: Rules,
    place: Place,
    more_time: Callable[[], bool] = lambda: True,
) -> Reconciled:
    """Walk on from `place` while `more_time`, which is asked before each page.

    Raises TransientError: nothing is lost, a run from the same place finds the same.
    """
    counts = Counter(dict.fromkeys(FOUND, 0))
    walks: dict[Walk, Masters | AccessMasters] = {
        Walk.MASTERS: Masters(services.starter, rules, counts),
        Walk.ACCESS_MASTERS: AccessMasters(services.starter.ingest, rules, counts),
    }
    try:
        while place.walk is not Walk.DONE and more_time():
            walk = walks[place.walk]
            page = walk.store.list_keys(place.after)
            walk.reconcile(page.entries)
            place = place.behind(page)
    except Crowded:
        return Reconciled(place=place, crowded=True, counts=counts)
    return Reconciled(place=place, crowded=False, counts=counts)


def walk_through(
    services: ReconcileServices, rules: Rules, wait: Callable[[], bool]
) -> Counter[str]:
    """Run after run, until all is done; what was found.

    When too much waits, `wait` is asked to; it may answer False, and the walk ends there.
    """
    counts: Counter[str] = Counter()
    place = Place()
    while place.walk is not Walk.DONE:
        run = reconcile(services, rules, place)
        counts.update(run.counts)
        place = run.place
        if run.crowded and not wait():
            break
    return counts
