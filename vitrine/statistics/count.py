"""The count: lines of a log in, figures of days out."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date

import msgspec

from vitrine.statistics.log_lines import DamagedLine, LineReader
from vitrine.statistics.robots import is_robot
from vitrine.statistics.sittings import DOUBLE_CLICK_SECONDS, Sitting, Sittings
from vitrine.statistics.uses import DOWNLOADED, VIEWED, find_use

MAX_SITTINGS = 200_000
"""Sittings in memory at a time, some 100 MB of them. Beyond, those that may still go on are counted
as if they had ended."""
MAX_ITEMS = 100_000
"""Objects, collections and images of a day that have figures of their own."""
UNKNOWN = "unknown"
"""In place of a country."""
_DAY_SECONDS = 86_400


class Figures(msgspec.Struct, omit_defaults=True):
    """What was counted of something."""

    views: int = 0
    openings: int = 0
    zooms: int = 0
    downloads: int = 0

    def add(self, other: "Figures") -> None:
        """Add others."""
        self.views += other.views
        self.openings += other.openings
        self.zooms += other.zooms
        self.downloads += other.downloads

    def count(self, sitting: Sitting) -> None:
        """Add what somebody did."""
        if sitting.use.how == VIEWED:
            self.views += 1
        elif sitting.use.how == DOWNLOADED:
            self.downloads += 1
        else:
            self.openings += 1
            self.zooms += sitting.is_zoom()


@dataclass
class DayCount:
    """The figures of a day."""

    requests: int = 0
    """Requests that were answered well, of people and robots, for whatever."""
    robot_requests: int = 0
    """Requests of robots for what is counted; they are in no other figure."""
    damaged: int = 0
    """Lines that could not be read, and files of which only the beginning could."""
    cuts: int = 0
    """Times that sittings were ended since too many people came at once."""
    together: Figures = field(default_factory=Figures)
    countries: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    items: dict[tuple[str, str], Figures] = field(default_factory=dict)
    """Figures by kind and identifier, as `vitrine.statistics.uses` has them."""
    others: Figures = field(default_factory=Figures)
    """Figures of items beyond MAX_ITEMS."""

    def count(self, sitting: Sitting) -> None:
        """Add what somebody did."""
        self.together.count(sitting)
        self.countries[sitting.country or UNKNOWN].count(sitting)
        item = (sitting.use.kind, sitting.use.identifier)
        if item not in self.items and len(self.items) >= MAX_ITEMS:
            self.others.count(sitting)
        else:
            self.items.setdefault(item, Figures()).count(sitting)


class Count:
    """Counts the lines of certain days, by YYYY-MM-DD; at least one."""

    def __init__(self, days: Collection[str]) -> None:
        self.days = {day: DayCount() for day in days}
        self._current = next(iter(self.days.values()))
        """That of the last line."""
        self._sittings = Sittings()

    def add_lines(self, lines: Iterable[bytes], read: LineReader) -> None:
        """Count lines; those of other days are passed over, damaged ones counted as such."""
        try:
            for line in lines:
                self._add(line, read)
        except DamagedLine:  # of the file itself
            self._current.damaged += 1

    def _add(self, line: bytes, read: LineReader) -> None:
        try:
            found = read(line)
        except DamagedLine:
            self._current.damaged += 1
            return
        if found is None or (day := self.days.get(found.day)) is None:
            return
        self._current = day
        day.requests += 1
        use = find_use(found.path)
        if use is None:
            return
        if is_robot(found.agent):
            day.robot_requests += 1
            return
        self._sittings.add(found.visitor, found.country, found.second, use)
        if self._sittings.count >= MAX_SITTINGS:
            self.end_hour()
            if self._sittings.count >= MAX_SITTINGS // 2:
                self._end(self._sittings.newest + 1)
                day.cuts += 1

    def end_hour(self) -> None:
        """Count and forget what ended before the newest half minute."""
        self._end(self._sittings.newest - DOUBLE_CLICK_SECONDS)

    def end(self) -> None:
        """Count all that remains; no line may come after this."""
        self._end(self._sittings.newest + 1)

    def _end(self, before: int) -> None:
        for sitting in self._sittings.end(before):
            day = date.fromordinal(sitting.first // _DAY_SECONDS).isoformat()
            if day in self.days:
                self.days[day].count(sitting)
