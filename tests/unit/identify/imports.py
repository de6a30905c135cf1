"""Imports of redirects into a register in memory."""

from collections.abc import Iterable

from tests.unit.identify.interleaved import World
from vitrine.errors import TransientError
from vitrine.identify.bulk import Workers
from vitrine.identify.redirect_file import Row
from vitrine.identify.redirect_import import Wishes, Written, make_plan, write_plan
from vitrine.identify.redirect_plan import Plan, open_plan
from vitrine.records import Gone, Record

GONE = Gone(identifier="gone", revision=1, reason="Lost.", changed_at="2026")


def wished(pairs: Iterable[tuple[str, str]]) -> list[Row]:
    """Rows of a file."""
    return [Row(line, old, new) for line, (old, new) in enumerate(pairs, start=2)]


class Import:
    """A world, and imports into it."""

    def __init__(self, *records: Record, **wishes: bool) -> None:
        self.world = World(*records)
        self.wishes = Wishes(**wishes)
        self.redirects = self.world.redirects()

    def plan(self, plan: Plan, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
        with Workers(4) as workers:
            make_plan(self.redirects, plan, wished(pairs), self.wishes, workers)
        return plan.faults_by_code()

    def faults(self, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
        with open_plan() as plan:
            return self.plan(plan, pairs)

    def run(self, pairs: Iterable[tuple[str, str]], threads: int = 1) -> Written:
        with open_plan() as plan, Workers(threads, wait=lambda seconds: None) as workers:
            self.plan(plan, pairs)
            return write_plan(self.redirects, plan, self.wishes, workers)

    def targets(self) -> dict[str, str]:
        return {item.identifier: item.target for item in self.world.table.redirects()}


class Impatient:
    """Does not wait until somebody else is done."""

    def __call__(self, seconds: float) -> None:
        raise TransientError("enough")
