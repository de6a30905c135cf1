"""The figures of several days together, and what there is to know about them."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vitrine.statistics.count import Figures
from vitrine.statistics.day_files import DayFigures

Row = tuple[str, str, str, Figures]
"""Day, kind, identifier and figures."""

COUNTED = {
    "views": "Pages of objects and collections that were opened, also framed by other sites.",
    "openings": "Images that a viewer opened, or of which parts were looked at. The first picture "
    "of our own pages is whole: it belongs to the view of its page.",
    "zooms": "Openings in which somebody came closer than the first look.",
    "downloads": "Downloads of whole images at full resolution.",
}
ESTIMATES = (
    "What one visitor requests of one thing counts once until he pauses for more than 30 seconds "
    "(COUNTER's rule for double clicks). A visitor is an address and a browser: people behind one "
    "address with the same browser are one. Neither is kept.",
    "Pages and parts of images that a browser still has are not requested again, and not counted.",
    "Robots are known by COUNTER's lists. Those that call themselves a browser count as people.",
    "Zooms in viewers of others are an estimate: parts at a finer resolution than those of the "
    "first five seconds.",
    "A country is that of the address, as CloudFront knows it. A machine of your own does not "
    "know it.",
    "An image that several objects show counts for each of them, and an object for each "
    "collection that it is in; the figures at the top count everything once.",
    "CloudFront delivers lines of its log up to a day late, and not every single one.",
)


@dataclass
class Summary:
    """The sum of days; `add` them in their order."""

    days: dict[str, DayFigures | None] = field(default_factory=dict)
    """Without objects, collections and countries; None for a day that was not counted."""
    together: Figures = field(default_factory=Figures)
    countries: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    objects: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    collections: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    others: Figures = field(default_factory=Figures)
    robot_requests: int = 0
    damaged: int = 0
    cuts: int = 0

    def add(self, day: str, figures: DayFigures | None) -> None:
        """Add the figures of a day, None if it was not counted."""
        self.days[day] = None
        if figures is None:
            return
        self.days[day] = DayFigures(
            day=day, made_at=figures.made_at, requests=figures.requests, together=figures.together
        )
        self.together.add(figures.together)
        self.others.add(figures.others)
        for name in ("countries", "objects", "collections"):
            for key, found in getattr(figures, name).items():
                getattr(self, name)[key].add(found)
        self.robot_requests += figures.robot_requests
        self.damaged += figures.damaged
        self.cuts += figures.cuts

    def as_json(self, titles: dict[str, str]) -> dict[str, Any]:
        """Return a JSON-ready document: figures, titles, what is counted and what is estimated."""
        return {
            "days": {day: values(one.together) if one else None for day, one in self.days.items()},
            "together": values(self.together),
            **{
                name: [
                    {"identifier": key, "title": titles.get(key, ""), **values(found)}
                    for key, found in ranked(getattr(self, name))
                ]
                for name in ("objects", "collections")
            },
            "countries": {key: values(found) for key, found in ranked(self.countries)},
            "others": values(self.others),
            "robot_requests": self.robot_requests,
            "damaged_lines": self.damaged,
            "cuts": self.cuts,
            "counted": COUNTED,
            "estimates": ESTIMATES,
        }


def ranked(found: dict[str, Figures]) -> list[tuple[str, Figures]]:
    """Return names and figures, those with the most first."""

    def rank(item: tuple[str, Figures]) -> tuple[int, int, str]:
        name, one = item
        return -(one.views + one.openings + one.downloads), -one.zooms, name

    return sorted(found.items(), key=rank)


def values(figures: Figures) -> dict[str, int]:
    """Return the figures by their names, in the order of COUNTED."""
    return {name: getattr(figures, name) for name in COUNTED}


def rows_of(figures: DayFigures) -> Iterator[Row]:
    """Yield the rows of a day for a table: the sum, then countries, collections and objects."""
    yield figures.day, "together", "", figures.together
    kinds = {
        "country": figures.countries,
        "collection": figures.collections,
        "object": figures.objects,
    }
    for kind, found in kinds.items():
        for name, one in sorted(found.items()):
            yield figures.day, kind, name, one
    if figures.others != Figures():
        yield figures.day, "others", "", figures.others
