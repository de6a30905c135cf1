"""The driver on AWS: import sources from elsewhere, run a Distributed Map, then read the results.

It may be stopped at any time: the map continues, and the next run of the same command finds it by
its name.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from vitrine.errors import TransientError
from vitrine.migrate.map_items import write_items
from vitrine.migrate.map_results import read_failed_items
from vitrine.migrate.migrate_master import find_result
from vitrine.migrate.plan import CAUSE, RUN, MigrationPlan
from vitrine.migrate.planned_row import PlannedRow, RowResult
from vitrine.migrate.services import MapProgress, MapRuns, MigrationServices
from vitrine.migrate.source_import import try_import_source
from vitrine.migrate.times import MigrationTimes
from vitrine.migrate.tolerance import Tolerance
from vitrine.slices import split_batches
from vitrine.store.layout import migration_key

T = TypeVar("T")

IMPORT_THREADS = 8
READ_THREADS = 32
BATCH = 1_000
PAUSE_SECONDS = 10.0
ATTEMPTS = 6
ATTEMPT = "attempt"
"""Fact of the plan: the number of the migration's latest execution."""


@dataclass(frozen=True, kw_only=True)
class CloudDriver:
    """Migrates the waiting rows of `plan`; `at_once` 0: as many as the state machine allows."""

    services: MigrationServices
    map_runs: MapRuns
    plan: MigrationPlan
    at_once: int
    tolerance: Tolerance
    on_bytes: Callable[[int], None] = lambda count: None
    on_end: Callable[[RowResult], None] = lambda result: None
    on_progress: Callable[[MapProgress], None] = lambda progress: None
    sleep: Callable[[float], None] = time.sleep

    def run(self) -> bool:
        """Migrate; return True if every row has a result, False if too many were unsuccessful.

        Raises TransientError, and MigrationUnusable if `at_once` is more than the machine allows.
        """
        if not self.plan.counts()["waiting"]:
            return True
        if not self._is_under_way():
            self._import_sources()
            if not self.tolerance.tolerates(self.plan.counts()):
                return False
            self._start_map()
        progress = self._follow_map()
        self.plan.set_fact(CAUSE, progress.cause if progress.status == "failed" else "")
        self._read_results()
        self._read_failures()
        return self.plan.counts()["waiting"] == 0

    @property
    def _name(self) -> str:
        return f"{self.plan.fact(RUN)}-{self.plan.fact(ATTEMPT) or '0'}"

    @property
    def _results(self) -> str:
        return migration_key(self._name, "results")

    def _is_under_way(self) -> bool:
        return bool(self.plan.fact(ATTEMPT)) and self._read_progress().status == "running"

    def _import_sources(self) -> None:
        def import_row(row: PlannedRow) -> tuple[bool, RowResult | None]:
            return try_import_source(self.services, row, self.on_bytes, self._retry)

        elsewhere = (row for row in self.plan.all_waiting() if row.kind != "master")
        for rows in split_batches(elsewhere, BATCH):
            with ThreadPoolExecutor(IMPORT_THREADS) as pool:
                for row, (imported, problem) in zip(rows, pool.map(import_row, rows), strict=True):
                    if imported:
                        self.plan.record_import(row.line)
                    if problem:
                        self._record_result(row, problem)

    def _start_map(self) -> None:
        self.plan.set_fact(ATTEMPT, str(int(self.plan.fact(ATTEMPT) or 0) + 1))
        times = MigrationTimes.of(self.plan)
        key = migration_key(self._name, "items.jsonl")
        if not write_items(self.services.ingest.records, key, self.plan.all_waiting(), times):
            return
        request = {
            "items": key,
            "results": self._results,
            "tolerated_percent": self.tolerance.percent,
            "at_once": self.at_once,
            "begun_at": times.begun_at,
            "tried_at": times.tried_at,
        }
        self._retry(lambda: self.map_runs.start(self._name, request))

    def _follow_map(self) -> MapProgress:
        limited, unknown = not self.at_once, 0
        while True:
            progress = self._read_progress()
            self.on_progress(progress)
            # DescribeExecution may lag behind a start.
            unknown += progress.status == "unknown"
            if progress.status != "running" and unknown in (0, ATTEMPTS):
                return progress
            if not limited and progress.status == "running":
                limited = self._retry(lambda: self.map_runs.limit(self._name, self.at_once))
            self.sleep(PAUSE_SECONDS if limited else 1)

    def _read_progress(self) -> MapProgress:
        return self._retry(lambda: self.map_runs.progress(self._name))

    def _read_results(self) -> None:
        times = MigrationTimes.of(self.plan)

        def read_result(row: PlannedRow) -> RowResult | None:
            return self._retry(lambda: find_result(self.services.ingest, times.request(row)))

        with ThreadPoolExecutor(READ_THREADS) as pool:
            for rows in split_batches(self.plan.all_waiting(), BATCH):
                for row, result in zip(rows, pool.map(read_result, rows), strict=True):
                    if result:
                        self._record_result(row, result)

    def _read_failures(self) -> None:
        """Record the rows whose step itself failed: the tables have no outcome for them."""

        def read_failed() -> None:
            for key, problem in read_failed_items(self.services.ingest.records, self._results):
                row = self.plan.waiting_for(key)
                if row:
                    self._record_result(row, RowResult(state="failed", problem=problem))

        if self.plan.counts()["waiting"]:
            self._retry(read_failed)

    def _record_result(self, row: PlannedRow, result: RowResult) -> None:
        self.plan.record_results([(row.line, result)])
        self.on_end(result)

    def _retry(self, action: Callable[[], T]) -> T:
        for attempt in range(ATTEMPTS):
            try:
                return action()
            except TransientError:
                if attempt == ATTEMPTS - 1:
                    raise
                self.sleep(2**attempt)
        raise AssertionError
