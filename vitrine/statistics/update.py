"""The daily run: what the log says of the last days, as a file for each."""

from dataclasses import dataclass
from datetime import date, timedelta

from vitrine.errors import ObjectMissing, TransientError
from vitrine.ports import CatalogueTable, ObjectStore, VersionedStore
from vitrine.slices import WHOLE, Slice
from vitrine.statistics.attribution import Owners
from vitrine.statistics.count import Count
from vitrine.statistics.day_files import figures_of, write_day
from vitrine.statistics.log_files import count_stored_day
from vitrine.store.layout import statistics_key

AGAIN_DAYS = 2
"""The last days are counted each time: lines may arrive up to a day late."""
BACK_DAYS = 7
"""Number of days of which those without a file are counted: a run may have failed."""


@dataclass(frozen=True, kw_only=True)
class StatisticsServices:
    """The services that counting takes."""

    logs: VersionedStore
    log_prefix: str
    """Prefix of the distribution's log, with a slash at its end."""
    records: ObjectStore
    catalogue: CatalogueTable


def update_statistics(
    services: StatisticsServices, today: date, time: Slice = WHOLE
) -> dict[str, int]:
    """Count the days before `today`, the newest first; return the requests of each that has some.

    Raises TransientError, also when the time is over: the next run goes on.
    """
    found: dict[str, int] = {}

    def check_time() -> None:
        if not time.has_time():
            raise TransientError(f"the log was counted for {len(found)} days before time was over")

    owners = Owners(services.catalogue)
    for back in range(1, BACK_DAYS + 1):
        day = today - timedelta(days=back)
        name = day.isoformat()
        if back > AGAIN_DAYS and _is_counted(services.records, name):
            continue
        count = Count([name])
        count_stored_day(services.logs, services.log_prefix, day, count, check_time)
        if count.days[name].requests:
            write_day(services.records, figures_of(name, count.days[name], owners))
            found[name] = count.days[name].requests
    return found


def _is_counted(records: ObjectStore, day: str) -> bool:
    try:
        records.head(statistics_key(day))
    except ObjectMissing:
        return False
    return True
