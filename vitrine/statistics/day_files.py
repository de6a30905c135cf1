"""The file of a day's figures, in the bucket of records."""

import msgspec

from vitrine.errors import ObjectMissing, ServiceRefused
from vitrine.ports import ObjectStore
from vitrine.statistics.attribution import ByIdentifier, Owners, attribute
from vitrine.statistics.count import DayCount, Figures
from vitrine.store.clock import now
from vitrine.store.layout import statistics_key


class DayFigures(msgspec.Struct, kw_only=True):
    """The figures of a day, as its file has them."""

    day: str
    """YYYY-MM-DD, UTC."""
    made_at: str
    """RFC 3339 UTC."""
    requests: int = 0
    """Requests that were answered well, of people and robots, for whatever."""
    robot_requests: int = 0
    """Requests of robots for what is counted; they are in no other figure."""
    damaged: int = 0
    """Lines that could not be read, and files of which only the beginning could."""
    cuts: int = 0
    """Times that sittings were ended since too many people came at once: as many may have been
    counted twice as there are sittings in memory."""
    together: Figures = msgspec.field(default_factory=Figures)
    countries: ByIdentifier = msgspec.field(default_factory=dict)
    objects: ByIdentifier = msgspec.field(default_factory=dict)
    collections: ByIdentifier = msgspec.field(default_factory=dict)
    """With all that is in them."""
    others: Figures = msgspec.field(default_factory=Figures)
    """Figures of objects and images beyond the number that has some of its own."""


def figures_of(day: str, found: DayCount, owners: Owners) -> DayFigures:
    """Return the figures of a day that was counted. Raises TransientError."""
    objects, collections = attribute(found, owners)
    return DayFigures(
        day=day,
        made_at=now(),
        requests=found.requests,
        robot_requests=found.robot_requests,
        damaged=found.damaged,
        cuts=found.cuts,
        together=found.together,
        countries=dict(found.countries),
        objects=objects,
        collections=collections,
        others=found.others,
    )


def write_day(records: ObjectStore, figures: DayFigures) -> None:
    """Write the file of a day, in place of an earlier one. Raises TransientError."""
    body = msgspec.json.encode(figures)
    records.put(statistics_key(figures.day), body, content_type="application/json")


def read_day(records: ObjectStore, day: str) -> DayFigures | None:
    """Return the figures of a day, None if it was not counted.

    Raises ServiceRefused for a damaged file.
    """
    key = statistics_key(day)
    try:
        body, _ = records.get(key)
    except ObjectMissing:
        return None
    try:
        return msgspec.json.decode(body, type=DayFigures)
    except msgspec.DecodeError as error:
        raise ServiceRefused(
            f"{key} cannot be read: {error}. Delete it: it is counted again."
        ) from None
