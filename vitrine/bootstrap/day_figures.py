"""The figures of an environment's days, for its operators."""

from collections.abc import Iterator, Sequence

from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import local_directory
from vitrine.statistics.attribution import Owners
from vitrine.statistics.count import Count
from vitrine.statistics.day_files import DayFigures, figures_of, read_day
from vitrine.statistics.log_files import count_local_log


def deployed_day_figures(
    days: Sequence[str], environment: str = LOCAL
) -> Iterator[tuple[str, DayFigures | None]]:
    """Yield the figures of each day, None for one that was not counted.

    On one machine, the log of its edge is counted now. Raises NotRunning, TransientError,
    ServiceRefused for a damaged file, and OSError for a log that cannot be read.
    """
    publisher = deployed_publisher(environment)
    if environment != LOCAL:
        yield from ((day, read_day(publisher.records, day)) for day in days)
        return
    count, owners = Count(days), Owners(publisher.catalogue.table)
    count_local_log(local_directory() / "edge" / "logs" / "access.log", count)
    for day, found in count.days.items():
        yield day, figures_of(day, found, owners) if found.requests else None
