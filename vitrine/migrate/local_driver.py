"""The driver on one machine: a number of rows at once, each polled until its ingest has ended.

On AWS a Distributed Map does this (`stacks/migrate.py`); both call the same `migrate_master`. The
emulator could run that map, but it ignores concurrency and tolerance that come with the input,
holds every item in memory and forgets the run when it is killed.
"""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

from vitrine.errors import IngestUnfinished, Rejection, TransientError
from vitrine.ingest.services import IngestServices
from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.migrate_master import migrate_master
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import PlannedRow, RowResult
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.source_import import try_import_source
from vitrine.migrate.times import MigrationTimes
from vitrine.migrate.tolerance import Tolerance

T = TypeVar("T")

FIRST_PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 5.0
UNREACHABLE_SECONDS = 120.0
"""Seconds for which a row is retried while the service does not answer; then the migration stops.
"""


UNFINISHED = Rejection(
    "unfinished",
    "The ingest did not end in time; `vitrine masters reconcile` starts again what was lost, and "
    "the same migration then finds it.",
)


@dataclass(frozen=True, kw_only=True)
class LocalDriver:
    """Migrates the waiting rows of `plan`. An ingest that takes over `longest_seconds` has failed.

    Only the thread that calls `run` uses the plan; `on_bytes` is called from any thread.
    """

    services: MigrationServices
    plan: MigrationPlan
    at_once: int
    tolerance: Tolerance
    follow: Callable[[IngestServices, MigrateMaster], RowResult] = migrate_master
    """Returns the result of a master whose ingest has ended, else raises IngestUnfinished."""
    longest_seconds: float = 7_200
    on_bytes: Callable[[int], None] = lambda count: None
    on_end: Callable[[RowResult], None] = lambda result: None
    stopped: Event = field(default_factory=Event)

    def run(self) -> bool:
        """Migrate; return True if every row has a result, False if too many were unsuccessful.

        Raises TransientError if the service does not answer; ingests that are under way continue
        in the service, and the next run finds their results.
        """
        with ThreadPoolExecutor(self.at_once) as pool:
            try:
                return self._run_rows(pool)
            finally:
                self.stopped.set()

    def _run_rows(self, pool: ThreadPoolExecutor) -> bool:
        times = MigrationTimes.of(self.plan)
        rows = self.plan.all_waiting()
        counts = self.plan.counts()
        under_way: dict[Future[tuple[bool, RowResult]], PlannedRow] = {}
        while True:
            while self.tolerance.tolerates(counts) and len(under_way) < self.at_once:
                row = next(rows, None)
                if row is None:
                    break
                under_way[pool.submit(self._migrate_row, row, times)] = row
            if not under_way:
                return counts["waiting"] == 0
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                row = under_way.pop(future)
                imported, result = future.result()
                self._record_result(row, imported, result)
                counts["waiting"] -= 1
                counts[result.state] += 1

    def _record_result(self, row: PlannedRow, imported: bool, result: RowResult) -> None:
        if imported:
            self.plan.record_import(row.line)
        self.plan.record_results([(row.line, result)])
        self.on_end(result)

    def _migrate_row(self, row: PlannedRow, times: MigrationTimes) -> tuple[bool, RowResult]:
        imported, problem = try_import_source(self.services, row, self.on_bytes, self._retry)
        return imported, problem or self._follow_ingest(row, times.request(row))

    def _follow_ingest(self, row: PlannedRow, request: MigrateMaster) -> RowResult:
        until = time.monotonic() + self.longest_seconds
        pause = FIRST_PAUSE_SECONDS
        while time.monotonic() < until:
            try:
                return self._retry(lambda: self.follow(self.services.ingest, request))
            except IngestUnfinished:
                self._pause(pause)
                pause = min(pause * 1.5, MAX_PAUSE_SECONDS)
        return RowResult(state="failed", identifier=row.identifier, problem=UNFINISHED)

    def _retry(self, action: Callable[[], T]) -> T:
        until = time.monotonic() + UNREACHABLE_SECONDS
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                return action()
            except TransientError:
                if time.monotonic() > until:
                    raise
            self._pause(pause)
            pause = min(pause * 2, MAX_PAUSE_SECONDS)

    def _pause(self, seconds: float) -> None:
        if self.stopped.wait(seconds):
            raise TransientError(
                "The migration was stopped; run the same command again to continue."
            )
