"""Imports of redirects into a register in memory."""

from collections.abc import Iterable
from dataclasses import replace

from tests.unit.identify.redirects.interleaved import World
from vitrine.errors import TransientError
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import (
    ImportOptions,
    ImportResult,
    plan_import,
    write_import,
)
from vitrine.identify.redirects.csv_file import RedirectRow
from vitrine.identify.redirects.import_plan import ImportPlan, open_import_plan
from vitrine.records import Gone, Record

GONE = Gone(identifier="gone", revision=1, reason="Lost.", changed_at="2026")


def rows_of(pairs: Iterable[tuple[str, str]]) -> list[RedirectRow]:
    """Return the rows of a file with these old and new identifiers."""
    return [RedirectRow(line, old, new) for line, (old, new) in enumerate(pairs, start=2)]


def owned_rows(owner: str, *pairs: tuple[str, str]) -> list[RedirectRow]:
    """Return rows on behalf of a collection."""
    return [replace(row, owner=owner) for row in rows_of(pairs)]


class Import:
    """A world, and imports into its register."""

    def __init__(self, *records: Record, **options: bool) -> None:
        self.world = World(*records)
        self.options = ImportOptions(**options)
        self.redirects = self.world.redirects()

    def plan(self, plan: ImportPlan, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
        return self.plan_rows(plan, rows_of(pairs))

    def plan_rows(self, plan: ImportPlan, rows: list[RedirectRow]) -> dict[str, int]:
        with Workers(4) as workers:
            plan_import(self.redirects, plan, rows, self.options, workers)
        return plan.faults_by_code()

    def faults(self, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
        with open_import_plan() as plan:
            return self.plan(plan, pairs)

    def run(self, pairs: Iterable[tuple[str, str]], threads: int = 1) -> ImportResult:
        with open_import_plan() as plan, Workers(threads, wait=lambda seconds: None) as workers:
            self.plan(plan, pairs)
            return write_import(self.redirects, plan, self.options, workers)

    def targets(self) -> dict[str, str]:
        return {item.identifier: item.target for item in self.world.table.redirects()}


class Impatient:
    """Raises instead of waiting until a call succeeds."""

    def __call__(self, seconds: float) -> None:
        raise TransientError("enough")
