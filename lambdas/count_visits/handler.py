"""Visits, by the clock: the edge's log of the last days -> a file of figures for each."""

from datetime import UTC, datetime
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.statistics import statistics_services
from vitrine.slices import Slice
from vitrine.statistics.update import update_statistics

MIN_MILLISECONDS = 60_000
"""Enough for one more hour of the log, and to write what was counted."""


@lambda_step("count_visits")
def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """Count the days that are to be counted; return the requests of each that has some.

    Raises TransientError, and the next run goes on.
    """
    time = Slice(context.get_remaining_time_in_millis, MIN_MILLISECONDS)
    return update_statistics(statistics_services(), datetime.now(UTC).date(), time)
