"""When a collection of others is updated again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

MAX_RUN_LENGTH = timedelta(minutes=15)
"""Longest life of a Lambda."""
GOES_ON = "It is not through yet, and goes on."
WAITS = "Its rules are new: it begins within a quarter of an hour."


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How often a collection is updated."""

    rules: str
    """Path of its file of rules on this machine; in an environment, the collection's identifier."""
    hours: int
    private_too: bool = False
    """Allows a server on a private network."""


@dataclass(frozen=True, kw_only=True)
class UpdateRun:
    """The newest update of a collection that the schedule began."""

    begun: str
    """RFC 3339 UTC."""
    exit_code: int | None = None
    """Exit code of `vitrine collection update`; None while it runs, or if it was stopped."""
    said: str = ""
    """Last line of its errors; GOES_ON of one that has used its time, WAITS of one to come."""


def due(
    schedules: Mapping[str, Schedule], runs: Mapping[str, UpdateRun], moment: datetime
) -> list[Schedule]:
    """Return what has to be updated at a moment, while nothing is: what was never, or long ago.

    An update that was stopped is due again.
    """
    return [
        one
        for rules, one in schedules.items()
        if (run := runs.get(rules)) is None
        or run.exit_code is None
        or next_time(one, run) <= moment
    ]


def next_time(schedule: Schedule, run: UpdateRun) -> datetime:
    """Return when the collection is updated again."""
    return datetime.fromisoformat(run.begun) + timedelta(hours=schedule.hours)


def may_run(run: UpdateRun | None, moment: datetime) -> bool:
    """Return whether a Lambda may be amid this update, so that no other begins it."""
    if run is None or run.exit_code is not None or run.said:
        return False
    return moment < datetime.fromisoformat(run.begun) + MAX_RUN_LENGTH
