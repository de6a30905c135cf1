"""The order in which the regions of a page are read, and what each of them says.

What PAGE XML leaves open is in the order of the file: regions of an unordered group, and all that
no group names, which follow at the end. Lines are in that order, too, unless the file lists
them against its own `textLineOrder`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from vitrine.errors import TextRefused
from vitrine.text.transcription.page_builder import MAX_WORDS, PageBuilder, Rectangle
from vitrine.text.transcription.page_text import Direction

_DIRECTIONS = {
    "top-to-bottom": (1, 1),
    "bottom-to-top": (1, -1),
    "left-to-right": (0, 1),
    "right-to-left": (0, -1),
}
"""Values of `textLineOrder`: 0 for across or 1 for down, and in which direction lines follow."""
MAX_REGIONS = 50_000
"""Regions of a page, with groups and the names in them."""


@dataclass(slots=True)
class _RegionLine:
    box: Rectangle | None
    language: str
    direction: Direction
    texts: list[tuple[str, Rectangle | None]] = field(default_factory=list)


@dataclass(slots=True)
class Region:
    """Lines and regions inside, in the order of the file."""

    name: str = ""
    line_order: str = ""
    """One of _DIRECTIONS, or empty."""
    parts: list["_RegionLine | Region"] = field(default_factory=list)

    def list_parts(self) -> list["_RegionLine | Region"]:
        """Return the parts, the lines among them in their stated order."""
        lines = [part for part in self.parts if isinstance(part, _RegionLine)]
        if not _run_against(self.line_order, [line.box for line in lines if line.box]):
            return self.parts
        return [lines.pop() if isinstance(part, _RegionLine) else part for part in self.parts]


@dataclass(slots=True)
class RegionGroup:
    """Names of regions, and groups."""

    is_ordered: bool = True
    region: str = ""
    """Region that the group itself stands for, such as a table, if any."""
    parts: list[tuple[float, "str | RegionGroup"]] = field(default_factory=list)
    """With the place of each."""


class PageRegions:
    """The regions of one page, until it is whole."""

    def __init__(self) -> None:
        self._open = [Region()]
        self._order = [RegionGroup()]
        self._count = 0
        self._regions = 0

    @property
    def is_amid(self) -> bool:
        """True if a region or a group is open."""
        return len(self._open) > 1 or len(self._order) > 1

    def begin_region(self, name: str, line_order: str = "") -> None:
        """Let what follows be of a region inside the one that is open. Raises TextRefused."""
        self._check_regions()
        region = Region(name, line_order)
        self._open[-1].parts.append(region)
        self._open.append(region)

    def end_region(self) -> None:
        """Close the region that was begun last."""
        self._open.pop()

    def begin_line(self, box: Rectangle | None, language: str, direction: Direction) -> None:
        """Begin a line of the open region."""
        self._open[-1].parts.append(_RegionLine(box, language, direction))

    def add_text(self, text: str, box: Rectangle | None = None) -> None:
        """Add words to the line that was begun last. Raises TextRefused."""
        parts = self._open[-1].parts
        line = parts[-1] if parts else None
        if not isinstance(line, _RegionLine):
            parts.append(line := _RegionLine(None, "", ""))
        line.texts.append((text, box))
        self._count += 1
        if self._count > MAX_WORDS:
            raise TextRefused("words", f"it has more than {MAX_WORDS:,} words")

    def begin_group(self, place: float, region: str, *, is_ordered: bool) -> None:
        """Let what follows be of a group inside the one that is open. Raises TextRefused."""
        self._check_regions()
        group = RegionGroup(is_ordered, region)
        self._order[-1].parts.append((place, group))
        self._order.append(group)

    def end_group(self) -> None:
        """Close the group that was begun last."""
        self._order.pop()

    def add_reference(self, place: float, region: str) -> None:
        """Name a region in the open group. Raises TextRefused."""
        self._check_regions()
        self._order[-1].parts.append((place, region))

    def _check_regions(self) -> None:
        self._regions += 1
        if self._regions > MAX_REGIONS:
            raise TextRefused("regions", f"it has more than {MAX_REGIONS:,} regions and groups")

    def write(self, builder: PageBuilder) -> None:
        """Give all lines to the builder as they are read. Raises TextRefused."""
        top = self._open[0]
        regions: dict[str, Region] = {}
        for region in _walk(top):
            if region.name:
                regions.setdefault(region.name, region)
        places = {name: place for place, name in enumerate(regions)}
        named = dict.fromkeys(_names_in(self._order[0], places))
        written: set[int] = set()
        for name in named:
            if name in regions:
                _write(regions[name], builder, written, named)
        _write(top, builder, written, {})


def _run_against(line_order: str, boxes: list[Rectangle]) -> bool:
    """Return whether the last of some lines is wholly before the first, in their stated order."""
    if line_order not in _DIRECTIONS or len(boxes) < 2:
        return False
    axis, direction = _DIRECTIONS[line_order]
    earlier, later = (boxes[0], boxes[-1]) if direction < 0 else (boxes[-1], boxes[0])
    return earlier[axis] + earlier[axis + 2] <= later[axis]


def _walk(region: Region) -> Iterator[Region]:
    yield region
    for part in region.parts:
        if isinstance(part, Region):
            yield from _walk(part)


def _names_in(group: RegionGroup, places: dict[str, int]) -> Iterator[str]:
    """Yield the names of regions in the order of a group and of those in it."""
    if group.region:
        yield group.region
    if group.is_ordered:
        parts = sorted(group.parts, key=lambda part: part[0])
    else:
        parts = sorted(group.parts, key=lambda part: _first_place(part[1], places))
    for _, part in parts:
        if isinstance(part, RegionGroup):
            yield from _names_in(part, places)
        else:
            yield part


def _first_place(part: str | RegionGroup, places: dict[str, int]) -> int:
    """Return where in the file the first region of a group is."""
    if isinstance(part, str):
        return places.get(part, len(places))
    inner = [_first_place(one, places) for _, one in part.parts]
    return min([places.get(part.region, len(places)), *inner])


def _write(region: Region, builder: PageBuilder, written: set[int], named: dict[str, None]) -> None:
    """Write a region once, and those in it that the reading order does not name."""
    if id(region) in written:
        return
    written.add(id(region))
    for part in region.list_parts():
        if isinstance(part, Region):
            if part.name not in named:
                _write(part, builder, written, named)
            continue
        builder.begin_line(part.box, part.language, part.direction)
        for text, box in part.texts:
            builder.add_text(text, box)
