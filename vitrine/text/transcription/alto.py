"""ALTO 2 to 4: `String` elements with boxes, in the unit that the file names.

https://www.loc.gov/standards/alto/
"""

from typing import Any

from vitrine.errors import TextRefused
from vitrine.text.transcription.languages import read_direction, read_language
from vitrine.text.transcription.page_builder import Rectangle, read_number
from vitrine.text.transcription.page_text import Direction
from vitrine.text.transcription.text_pages import TextPages

_UNITS = ("", "pixel", "mm10", "inch1200")
_PARTS = ("HypPart1", "HypPart2")
_NO_SIZE = "its boxes are in another unit than pixels, and its Page has neither WIDTH nor HEIGHT"
_BLOCKS = ("Page", "PrintSpace", "ComposedBlock", "TextBlock", "TextLine")


class AltoReader:
    """What a file has said so far."""

    def __init__(self, pages: TextPages) -> None:
        self._pages = pages
        self._unit = ""
        self._has_size = False
        """True if the page says how large it is."""
        self._said: list[tuple[str, Direction]] = [("", "")]
        """Language and direction of the blocks around, innermost last."""

    def read(self, event: tuple[bool, str, Any]) -> None:
        """Take what the next element says. Raises TextRefused."""
        starts, name, element = event
        if starts and name in _BLOCKS:
            self._enter(name, element)
        elif starts and name == "String":
            self._add_word(element)
        elif starts and name == "HYP":
            self._pages.builder.add_hyphen()
        elif not starts and name in _BLOCKS:
            self._said.pop()
        elif not starts and name == "MeasurementUnit":
            self._unit = (element.text or "").strip()
            if self._unit not in _UNITS:
                raise TextRefused("unit", f"its MeasurementUnit is {self._unit[:40]!r}")

    def _enter(self, name: str, element: Any) -> None:
        language, direction = self._said[-1]
        language = read_language(element.get("LANG") or element.get("language")) or language
        direction = read_direction(element.get("BASEDIRECTION")) or direction
        self._said.append((language, direction))
        if name == "TextLine":
            self._pages.builder.begin_line(_read_box(element), language, direction)
        elif name == "Page":
            self._set_page(element)
        elif name == "PrintSpace" and not self._has_size:
            match _read_box(element):
                case (0, 0, width, height) if width >= 1 and height >= 1:
                    self._pages.builder.set_printed_area(width, height)

    def _set_page(self, element: Any) -> None:
        self._pages.begin_page()
        sides = (element.get("WIDTH"), element.get("HEIGHT"))
        width, height = (read_number(side) for side in sides)
        self._has_size = width is not None and height is not None
        if width is not None and height is not None:
            self._pages.builder.set_page(width, height)
        elif any(sides):
            raise TextRefused("page-size", "its Page says no usable WIDTH and HEIGHT")
        elif self._unit not in ("", "pixel"):
            self._pages.builder.leave_out_boxes(_NO_SIZE)

    def _add_word(self, element: Any) -> None:
        box, whole = _read_box(element), (element.get("SUBS_CONTENT") or "").split()
        kind, content = element.get("SUBS_TYPE"), (element.get("CONTENT") or "").split()
        if kind in _PARTS and len(whole) <= 1 and len(content) <= 1 and (whole or content):
            part = content[0] if content else whole[0]
            known = whole[0] if whole else ""
            self._pages.builder.add_part(part, known, box, first=kind == _PARTS[0])
        else:
            self._pages.builder.add_text(element.get("CONTENT") or "", box)


def _read_box(element: Any) -> Rectangle | None:
    numbers = [read_number(element.get(side)) for side in ("HPOS", "VPOS", "WIDTH", "HEIGHT")]
    left, top, width, height = numbers
    if left is None or top is None or width is None or height is None:
        return None
    return left, top, width, height
