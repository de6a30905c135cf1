"""Sittings: the requests of one visitor for one thing, none more than half a minute apart.

COUNTER's Code of Practice (section 7.2, "Double-click filtering") counts requests of one user for
one thing once if they are not more than 30 seconds apart. Lines of an hour come in no order, since
each place of the edge writes files of its own; what is found does not depend on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from vitrine.statistics.uses import NO_LEVEL, OPENED, Use

DOUBLE_CLICK_SECONDS = 30
OPENING_SECONDS = 5
"""Time in which a viewer requests the parts that it shows at first."""

_Key = tuple[int, str, str, str]


@dataclass(slots=True)
class Sitting:
    """One visitor at one thing; times in seconds."""

    use: Use
    country: str
    first: int
    last: int
    has_information: bool = False
    """True if a viewer asked what the image is like, which that of our own pages need not."""
    levels: dict[int, int] = field(default_factory=dict)
    """Seconds at which a part of the image was first requested, by level."""

    def is_zoom(self) -> bool:
        """Return True if parts of an image were seen that its opening does not show.

        A viewer that asks for the image's information shows it by its parts at once: what counts is
        a level that is finer than those of the first seconds. On our own pages, whose first picture
        is whole, any part counts.
        """
        if not self.has_information or not self.levels:
            return bool(self.levels)
        opened = min(self.levels.values()) + OPENING_SECONDS
        return min(self.levels) < min(level for level, at in self.levels.items() if at < opened)

    def join(self, other: "Sitting") -> None:
        """Take in another part of the same sitting."""
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.has_information |= other.has_information
        for level, at in other.levels.items():
            self.levels[level] = min(at, self.levels.get(level, at))


class Sittings:
    """The sittings that may still go on."""

    def __init__(self) -> None:
        self._by_visitor: dict[_Key, list[Sitting]] = {}
        self.count = 0
        """Number of sittings."""
        self.newest = 0
        """Second of the newest request."""

    def add(self, visitor: int, country: str, second: int, use: Use) -> None:
        """Add a request."""
        found = self._by_visitor.setdefault((visitor, use.how, use.kind, use.identifier), [])
        self.newest = max(self.newest, second)
        for sitting in found:
            if (
                sitting.first - DOUBLE_CLICK_SECONDS
                <= second
                <= sitting.last + DOUBLE_CLICK_SECONDS
            ):
                break
        else:
            sitting = Sitting(use, country, second, second)
            found.append(sitting)
            self.count += 1
        if second < sitting.first:
            sitting.first = second
        if second > sitting.last:
            sitting.last = second
        if use.level != NO_LEVEL:
            if second < sitting.levels.get(use.level, second + 1):
                sitting.levels[use.level] = second
        elif use.how == OPENED:
            sitting.has_information = True

    def end(self, before: int) -> Iterator[Sitting]:
        """Yield and forget the sittings whose last request was before that second."""
        kept: dict[_Key, list[Sitting]] = {}
        for key, found in self._by_visitor.items():
            joined = _join(found)
            yield from (sitting for sitting in joined if sitting.last < before)
            if remaining := [sitting for sitting in joined if sitting.last >= before]:
                kept[key] = remaining
        self._by_visitor, self.count = kept, sum(map(len, kept.values()))


def _join(sittings: list[Sitting]) -> list[Sitting]:
    """Return the sittings, each pair that a request between them made one as one."""
    if len(sittings) == 1:
        return sittings
    joined: list[Sitting] = []
    for sitting in sorted(sittings, key=lambda one: one.first):
        if joined and sitting.first <= joined[-1].last + DOUBLE_CLICK_SECONDS:
            joined[-1].join(sitting)
        else:
            joined.append(sitting)
    return joined
