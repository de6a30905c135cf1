"""The driver of AWS: bring what lies elsewhere, let a Distributed Map do the rest, then look.

It may be stopped at any time: the map goes on, and the next run of the same command finds it by
its name.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from vitrine.errors import TransientError
from vitrine.migrate.bring import bring_or_tell
from vitrine.migrate.map_items import write_items
from vitrine.migrate.map_results import failed_items
from vitrine.migrate.migrate_master import ended
from vitrine.migrate.plan import CAUSE, RUN, Plan
from vitrine.migrate.planned import Planned, Result
from vitrine.migrate.services import MapProgress, MapRuns, MigrationServices
from vitrine.migrate.times import MigrationTimes
from vitrine.migrate.tolerance import Tolerance
from vitrine.store.layout import migration_key

T = TypeVar("T")

BRINGERS = 8
LOOKERS = 32
LOOKED_AT_ONCE = 1_000
PAUSE_SECONDS = 10.0
ATTEMPTS = 6
ATTEMPT = "attempt"
"""Fact of the plan: the number of the migration's last execution."""


@dataclass(frozen=True, kw_only=True)
class CloudDriver:
    """Migrates what waits in `plan` by `map_runs`; `at_once` 0: as many as the machine allows."""

    services: MigrationServices
    map_runs: MapRuns
    plan: Plan
    at_once: int
    tolerance: Tolerance
    on_bytes: Callable[[int], None] = lambda count: None
    on_end: Callable[[Result], None] = lambda result: None
    on_progress: Callable[[MapProgress], None] = lambda progress: None
    sleep: Callable[[float], None] = time.sleep

    def run(self) -> bool:
        """Did all rows come to their end? False when too many were not successful.

        Raises TransientError, MigrationUnusable when `at_once` is more than the machine allows.
        """
        if not self.plan.counts()["waiting"]:
            return True
        if not self._under_way():
            self._bring()
            if not self.tolerance.bears(self.plan.counts()):
                return False
            self._start()
        progress = self._follow()
        self.plan.state_fact(CAUSE, progress.cause if progress.status == "failed" else "")
        self._look()
        self._read_failures()
        return self.plan.counts()["waiting"] == 0

    @property
    def _name(self) -> str:
        return f"{self.plan.fact(RUN)}-{self.plan.fact(ATTEMPT) or '0'}"

    @property
    def _results(self) -> str:
        return migration_key(self._name, "results")

    def _under_way(self) -> bool:
        return bool(self.plan.fact(ATTEMPT)) and self._progress().status == "running"

    def _bring(self) -> None:
        def one(row: Planned) -> tuple[bool, Result | None]:
            return bring_or_tell(self.services, row, self.on_bytes, self._patiently)

        elsewhere = (row for row in self.plan.all_waiting() if row.kind != "master")
        for rows in _batches(elsewhere):
            with ThreadPoolExecutor(BRINGERS) as pool:
                for row, (brought, problem) in zip(rows, pool.map(one, rows), strict=True):
                    if brought:
                        self.plan.note_import(row.line)
                    if problem:
                        self._end(row, problem)

    def _start(self) -> None:
        self.plan.state_fact(ATTEMPT, str(int(self.plan.fact(ATTEMPT) or 0) + 1))
        times = MigrationTimes.of(self.plan)
        key = migration_key(self._name, "items.jsonl")
        if not write_items(self.services.ingest.records, key, self.plan.all_waiting(), times):
            return
        request = {
            "items": key,
            "results": self._results,
            "tolerated_percent": self.tolerance.percent,
            "begun_at": times.begun_at,
            "tried_at": times.tried_at,
        }
        self._patiently(lambda: self.map_runs.start(self._name, request))

    def _follow(self) -> MapProgress:
        limited, unknown = not self.at_once, 0
        while True:
            progress = self._progress()
            self.on_progress(progress)
            # DescribeExecution may lag behind a start.
            unknown += progress.status == "unknown"
            if progress.status != "running" and unknown in (0, ATTEMPTS):
                return progress
            if not limited and progress.status == "running":
                limited = self._patiently(lambda: self.map_runs.limit(self._name, self.at_once))
            self.sleep(PAUSE_SECONDS if limited else 1)

    def _progress(self) -> MapProgress:
        return self._patiently(lambda: self.map_runs.progress(self._name))

    def _look(self) -> None:
        times = MigrationTimes.of(self.plan)

        def one(row: Planned) -> Result | None:
            return self._patiently(lambda: ended(self.services.ingest, times.request(row)))

        with ThreadPoolExecutor(LOOKERS) as pool:
            for rows in _batches(self.plan.all_waiting()):
                for row, result in zip(rows, pool.map(one, rows), strict=True):
                    if result:
                        self._end(row, result)

    def _read_failures(self) -> None:
        """What the tables know nothing of: the step itself failed, and its row waits still."""

        def read() -> None:
            for key, problem in failed_items(self.services.ingest.records, self._results):
                row = self.plan.waiting_for(key)
                if row:
                    self._end(row, Result(state="failed", problem=problem))

        if self.plan.counts()["waiting"]:
            self._patiently(read)

    def _end(self, row: Planned, result: Result) -> None:
        self.plan.end_many([(row.line, result)])
        self.on_end(result)

    def _patiently(self, action: Callable[[], T]) -> T:
        for attempt in range(ATTEMPTS):
            try:
                return action()
            except TransientError:
                if attempt == ATTEMPTS - 1:
                    raise
                self.sleep(2**attempt)
        raise AssertionError


def _batches(rows: Iterator[Planned]) -> Iterator[list[Planned]]:
    while batch := list(islice(rows, LOOKED_AT_ONCE)):
        yield batch
