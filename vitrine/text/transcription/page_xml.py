"""PAGE XML of 2013 to 2019: polygons of words, or of lines where words have none.

Regions follow each other as the file's ReadingOrder says.

https://github.com/PRImA-Research-Lab/PAGE-XML
"""

import re
from dataclasses import dataclass
from typing import Any

from vitrine.errors import TextRefused
from vitrine.text.transcription.languages import read_direction, read_language
from vitrine.text.transcription.page_builder import Rectangle, read_number
from vitrine.text.transcription.page_text import Direction
from vitrine.text.transcription.reading_order import PageRegions
from vitrine.text.transcription.text_pages import TextPages

_HOLDERS = ("Page", "TextLine", "Word", "Glyph")
"""And regions of every kind."""
_POINT = re.compile(r"(-?[\d.]{1,20}),(-?[\d.]{1,20})")
_SIDES = ("Width", "Height")
_GROUPS = ("OrderedGroup", "OrderedGroupIndexed", "UnorderedGroup", "UnorderedGroupIndexed")
_REFERENCES = ("RegionRef", "RegionRefIndexed")
_LAST = 1 << 30


@dataclass(slots=True)
class _TextHolder:
    """An element that may have a text, and a box."""

    language: str
    direction: Direction
    box: Rectangle | None = None
    text: str = ""
    index: int = _LAST
    """Index of the text: the lowest is the best one."""
    is_written: bool = False
    """True if words of it were written already."""


class PageXmlReader:
    """What a file has said so far."""

    def __init__(self, pages: TextPages) -> None:
        self._pages = pages
        self._regions = PageRegions()
        self._holders = [_TextHolder("", "")]
        self._index = 0
        self._line_order = ""
        """Of regions that state none, as the page states it."""

    def read(self, event: tuple[bool, str, Any]) -> None:
        """Take what the next element says. Raises TextRefused."""
        starts, name, element = event
        if name in _GROUPS or name in _REFERENCES:
            self._read_order(starts, name, element)
        elif name.endswith("Region"):
            self._read_region(starts, name, element)
        elif starts and name in _HOLDERS:
            self._enter(name, element)
        elif name in _HOLDERS:
            self._leave(name)
        elif starts and name == "Coords":
            self._holders[-1].box = _read_box(element.get("points") or "")
        elif starts and name == "TextEquiv":
            index = read_number(element.get("index"))
            self._index = _LAST - 1 if index is None else int(index)
        elif not starts and name == "Unicode":
            self._keep_text(element.text or "")

    def _read_order(self, starts: bool, name: str, element: Any) -> None:
        place = read_number(element.get("index"))
        region = element.get("regionRef") or ""
        if name in _REFERENCES:
            if starts:
                self._regions.add_reference(_LAST if place is None else place, region)
        elif starts:
            is_ordered = name.startswith("Ordered")
            self._regions.begin_group(
                _LAST if place is None else place, region, is_ordered=is_ordered
            )
        else:
            self._regions.end_group()

    def _read_region(self, starts: bool, name: str, element: Any) -> None:
        if starts:
            line_order = element.get("textLineOrder") or self._line_order
            self._regions.begin_region(element.get("id") or "", line_order)
            self._enter(name, element)
        else:
            self._leave(name)
            self._regions.end_region()

    def _enter(self, name: str, element: Any) -> None:
        around = self._holders[-1]
        language = read_language(element.get("primaryLanguage") or element.get("language"))
        direction = read_direction(element.get("readingDirection"))
        self._holders.append(
            _TextHolder(language or around.language, direction or around.direction)
        )
        if name == "Page":
            if self._regions.is_amid:
                raise TextRefused("pages", "it has a page inside a region")
            self._pages.begin_page()
            self._line_order = element.get("textLineOrder") or ""
            width, height = (read_number(element.get(f"image{side}")) for side in _SIDES)
            if width is None or height is None:
                raise TextRefused("page-size", "its Page says no usable width and height")
            self._pages.builder.set_page(width, height)

    def _keep_text(self, text: str) -> None:
        holder = self._holders[-1]
        if text and self._index < holder.index:
            holder.text, holder.index = text, self._index

    def _leave(self, name: str) -> None:
        holder, around = self._holders.pop(), self._holders[-1]
        if name == "Word" and holder.text.strip():
            if not around.is_written:
                self._regions.begin_line(around.box, around.language, around.direction)
                around.is_written = True
            self._regions.add_text(holder.text, holder.box)
        elif name == "Page":
            self._regions.write(self._pages.builder)
            self._regions = PageRegions()
        elif name == "TextLine" or name.endswith("Region"):
            if not holder.is_written and holder.text.strip():
                self._add_lines(holder)
            around.is_written = around.is_written or holder.is_written

    def _add_lines(self, holder: _TextHolder) -> None:
        holder.is_written = True
        for line in holder.text.splitlines():
            self._regions.begin_line(holder.box, holder.language, holder.direction)
            self._regions.add_text(line)


def _read_box(points: str) -> Rectangle | None:
    """Return the rectangle around a polygon."""
    left = top = float("inf")
    right = bottom = float("-inf")
    for found in _POINT.finditer(points):
        x, y = read_number(found[1]), read_number(found[2])
        if x is None or y is None:
            return None
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    return (left, top, right - left, bottom - top) if left <= right else None
