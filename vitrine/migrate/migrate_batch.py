"""The masters of one child of the Distributed Map, some of them in progress at a time.

The Lambda itself waits, which costs less than a state transition for each look. A child that was
killed, ran out of time or is redriven begins again: `migrate_master` then only returns the results
of masters that have ended, and finds those that are under way by name.
"""

import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from vitrine.errors import IngestUnfinished, NotMigrated, TransientError
from vitrine.ingest.services import IngestServices
from vitrine.migrate.messages import MigrateBatch, MigrateMaster
from vitrine.migrate.migrate_master import find_result, migrate_master
from vitrine.migrate.planned_row import UNSUCCESSFUL, RowResult, State

BATCH_SECONDS = 240
"""Seconds after which nothing is started or waited for; Retry of the state goes on from there."""
FIRST_LOOK_SECONDS = 3.0
LATER_LOOK = 0.2
"""Pause before each later look, as a share of the time that an ingest has taken so far."""
_URGENT = (IngestUnfinished, TransientError)
"""Errors after which the batch is tried again, in the order of precedence."""


@dataclass(frozen=True, kw_only=True)
class BatchClock:
    """The passing of time, in seconds."""

    read: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def migrate_batch(
    services: IngestServices, batch: MigrateBatch, clock: BatchClock = BatchClock()
) -> Counter[State]:
    """Migrate the masters of `batch`, and return how many have ended in which state.

    One that cannot be migrated stops none of the others. Afterwards raises IngestUnfinished if some
    have not ended yet, else TransientError: call again; else any other error of a master, else
    NotMigrated if more were unsuccessful than a batch may have.
    """
    until = clock.read() + BATCH_SECONDS

    def try_master(request: MigrateMaster) -> RowResult | Exception:
        try:
            return _follow_master(services, request, until, clock)
        except Exception as error:
            return error

    with ThreadPoolExecutor(batch.at_once) as pool:
        ended = list(pool.map(try_master, batch.masters))
    errors = [item for item in ended if isinstance(item, Exception)]
    if errors:
        raise min(errors, key=_rank_error)
    states = Counter(item.state for item in ended if isinstance(item, RowResult))
    unsuccessful = sum(states[state] for state in UNSUCCESSFUL)
    if unsuccessful * 100 > batch.tolerated_percent * len(ended):
        raise NotMigrated(json.dumps(states))
    return states


def _follow_master(
    services: IngestServices, request: MigrateMaster, until: float, clock: BatchClock
) -> RowResult:
    begun = clock.read()
    if begun < until:
        with suppress(IngestUnfinished):
            return migrate_master(services, request)
    pause = FIRST_LOOK_SECONDS
    # A slot is kept to the end, so that no more are in progress than there are slots.
    while (left := until - clock.read()) > 0:
        clock.sleep(min(pause, left))
        result = find_result(services, request)
        if result:
            return result
        pause = LATER_LOOK * (clock.read() - begun)
    raise IngestUnfinished(request.key)


def _rank_error(error: Exception) -> int:
    kinds = [*_URGENT, Exception]
    return next(rank for rank, kind in enumerate(kinds) if isinstance(error, kind))
