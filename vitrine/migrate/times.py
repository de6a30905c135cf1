"""When a migration began and when it was started last, by the clock of those who do the work."""

from dataclasses import dataclass
from typing import Self

from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.plan import Plan
from vitrine.migrate.planned import Planned
from vitrine.store.clock import now

BEGUN, TRIED = "begun_at", "tried_at"


@dataclass(frozen=True, kw_only=True)
class MigrationTimes:
    """RFC 3339 UTC."""

    begun_at: str
    tried_at: str

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """As the plan states them."""
        return cls(begun_at=plan.fact(BEGUN), tried_at=plan.fact(TRIED))

    def request(self, row: Planned) -> MigrateMaster:
        """What is asked for `row`."""
        return MigrateMaster(
            key=row.key,
            identifier=row.identifier if row.given else "",
            metadata=row.metadata,
            begun_at=self.begun_at,
            tried_at=self.tried_at,
        )


def start_clock(plan: Plan) -> None:
    """State that the migration is started now, for the first time or once more."""
    moment = now()
    if not plan.fact(BEGUN):
        plan.state_fact(BEGUN, moment)
    plan.state_fact(TRIED, moment)
