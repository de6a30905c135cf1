"""How much of the access masters lies in which tier of Intelligent-Tiering, by who looks at what.

An image that nobody reads for 30 days costs less, after 90 days less again. Who opens images picks
them by Zipf's law; index pages go through the whole collection, so that few of them keep all of it
in the first tier. Reads that an edge or a task's disk answers are counted too: the first tier's
share is an upper bound.
"""

from dataclasses import dataclass
from math import exp

from capacity.model.design import Traffic
from capacity.model.image_collection import Popularity
from loadtest.workload.mix import Mix, MixPart
from loadtest.workload.models.index_page import IndexPage
from vitrine.costs.kept_objects import ARCHIVED_DAYS, INFREQUENT_DAYS


@dataclass(frozen=True)
class Tiers:
    """Shares of the access masters; together 1."""

    frequent: float
    infrequent: float
    archive: float


def tiers_of(traffic: Traffic, *, index_pages: bool = True) -> Tiers:
    """Return the tiers of a collection that has been visited like this for months.

    `index_pages` False: as if those showed only images that are opened anyway.
    """
    opened, shown = _reads_per_day(traffic)
    shown = shown if index_pages else 0.0
    unread = {
        days: _unread_share(traffic, opened * days, shown * days / traffic.images)
        for days in (INFREQUENT_DAYS, ARCHIVED_DAYS)
    }
    return Tiers(
        frequent=1 - unread[INFREQUENT_DAYS],
        infrequent=unread[INFREQUENT_DAYS] - unread[ARCHIVED_DAYS],
        archive=unread[ARCHIVED_DAYS],
    )


def _reads_per_day(traffic: Traffic) -> tuple[float, float]:
    """Return images opened a day, picked by popularity, and thumbnails shown one after another."""
    options = traffic.options
    parts = options.parts if isinstance(options, Mix) else (MixPart(1.0, options),)
    weights = sum(part.weight for part in parts)
    opened = shown = 0.0
    for part in parts:
        visits = traffic.visits_per_day * part.weight / weights
        if isinstance(part.options, IndexPage):
            shown += visits * min(part.options.thumbnails, traffic.images)
        else:
            opened += visits
    return opened, shown


def _unread_share(traffic: Traffic, opened: float, shown: float) -> float:
    """Return the share that nobody reads while some are opened and each is `shown` so often."""
    if shown >= 1:
        return 0.0
    popularity = Popularity(traffic.images, traffic.popularity)
    never = sum(
        count * exp(-opened * chance / count) for count, chance in popularity.groups() if count
    )
    return (1 - shown) * never / traffic.images
