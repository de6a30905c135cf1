"""When a migration began and when it was last started, by the driver's clock."""

from dataclasses import dataclass
from typing import Self

from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import PlannedRow
from vitrine.store.clock import now

BEGUN, TRIED = "begun_at", "tried_at"


@dataclass(frozen=True, kw_only=True)
class MigrationTimes:
    """Times in RFC 3339 UTC."""

    begun_at: str
    tried_at: str

    @classmethod
    def of(cls, plan: MigrationPlan) -> Self:
        """Return the times in the facts of `plan`."""
        return cls(begun_at=plan.fact(BEGUN), tried_at=plan.fact(TRIED))

    def request(self, row: PlannedRow) -> MigrateMaster:
        """Return the request for `row`."""
        return MigrateMaster(
            key=row.key,
            identifier=row.identifier if row.given else "",
            metadata=row.metadata,
            begun_at=self.begun_at,
            tried_at=self.tried_at,
        )


def start_clock(plan: MigrationPlan) -> None:
    """Set the facts that the migration is started now, for the first time or again."""
    moment = now()
    if not plan.fact(BEGUN):
        plan.set_fact(BEGUN, moment)
    plan.set_fact(TRIED, moment)
