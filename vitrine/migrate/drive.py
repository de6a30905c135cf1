"""The driver of one machine: so many rows at once, each asked for until its ingest has ended.

On AWS a Distributed Map does this (`stacks/migrate.py`); both ask the same `migrate_master`. The
emulator could run that map, but heeds neither its concurrency nor its tolerance when they come
with the input, holds every item in memory and forgets the run when it is killed.
"""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

from vitrine.errors import IngestUnfinished, Rejection, TransientError
from vitrine.migrate.bring import bring_or_tell
from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.migrate_master import migrate_master
from vitrine.migrate.plan import Plan
from vitrine.migrate.planned import Planned, Result
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.times import MigrationTimes
from vitrine.migrate.tolerance import Tolerance

T = TypeVar("T")

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
UNREACHABLE_SECONDS = 120.0
"""How long a row is tried while the service does not answer; then the whole migration stops."""


UNFINISHED = Rejection(
    "unfinished",
    "The ingest did not end in time; `vitrine masters reconcile` starts again what was lost, and "
    "the same migration then finds it.",
)


@dataclass(frozen=True, kw_only=True)
class Driver:
    """Migrates what waits in `plan`. `longest_seconds`: an ingest that takes longer is failed.

    Only the thread that calls `run` touches the plan; `on_bytes` is called from any.
    """

    services: MigrationServices
    plan: Plan
    at_once: int
    tolerance: Tolerance
    longest_seconds: float = 7_200
    on_bytes: Callable[[int], None] = lambda count: None
    on_end: Callable[[Result], None] = lambda result: None
    stopped: Event = field(default_factory=Event)

    def run(self) -> bool:
        """Did all rows come to their end? False when too many were not successful.

        Raises TransientError when the service does not answer; what is under way goes on in the
        service, and is found again by the next run.
        """
        with ThreadPoolExecutor(self.at_once) as pool:
            try:
                return self._run(pool)
            finally:
                self.stopped.set()

    def _run(self, pool: ThreadPoolExecutor) -> bool:
        times = MigrationTimes.of(self.plan)
        rows = self.plan.all_waiting()
        counts = self.plan.counts()
        going: dict[Future[tuple[bool, Result]], Planned] = {}
        while True:
            while self.tolerance.bears(counts) and len(going) < self.at_once:
                row = next(rows, None)
                if row is None:
                    break
                going[pool.submit(self._migrate, row, times)] = row
            if not going:
                return counts["waiting"] == 0
            done, _ = wait(going, return_when=FIRST_COMPLETED)
            for future in done:
                row = going.pop(future)
                brought, result = future.result()
                self._note(row, brought, result)
                counts["waiting"] -= 1
                counts[result.state] += 1

    def _note(self, row: Planned, brought: bool, result: Result) -> None:
        if brought:
            self.plan.note_import(row.line)
        self.plan.end_many([(row.line, result)])
        self.on_end(result)

    def _migrate(self, row: Planned, times: MigrationTimes) -> tuple[bool, Result]:
        brought, problem = bring_or_tell(self.services, row, self.on_bytes, self._patiently)
        return brought, problem or self._follow(row, times.request(row))

    def _follow(self, row: Planned, request: MigrateMaster) -> Result:
        until = time.monotonic() + self.longest_seconds
        pause = FIRST_PAUSE_SECONDS
        while time.monotonic() < until:
            try:
                return self._patiently(lambda: migrate_master(self.services.ingest, request))
            except IngestUnfinished:
                self._pause(pause)
                pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)
        return Result(state="failed", identifier=row.identifier, problem=UNFINISHED)

    def _patiently(self, action: Callable[[], T]) -> T:
        until = time.monotonic() + UNREACHABLE_SECONDS
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                return action()
            except TransientError:
                if time.monotonic() > until:
                    raise
            self._pause(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _pause(self, seconds: float) -> None:
        if self.stopped.wait(seconds):
            raise TransientError("the migration was stopped")
