"""Where annotations are: on a page of an object, all of it or a part."""

import math
import re
from collections.abc import Iterator
from typing import Any

from vitrine.errors import TextRefused
from vitrine.iiif.presentation.remarks import CanvasPlace, Rectangle
from vitrine.text.annotations.outlines import read_outline
from vitrine.text.annotations.sources import SHOWN, Pages
from vitrine.text.transcription.annotations import listed
from vitrine.text.transcription.page_builder import clip, read_number
from vitrine.text.transcription.page_text import CanvasSize

MAX_TARGETS = 20
_NUMBER = r"(-?[\d.]{1,20})"
_REGION = re.compile(rf"xywh=(pixel:|percent:)?{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}")


def read_targets(value: object, pages: Pages) -> tuple[int, tuple[CanvasPlace, ...]]:
    """Return the canvas of an annotation, from 1, and its places there. Raises TextRefused."""
    targets = listed(value)
    if len(targets) > MAX_TARGETS:
        raise TextRefused("targets", f"it has more than {MAX_TARGETS} targets")
    if not targets:
        return pages.find("").number, (CanvasPlace(),)
    found = [_read_target(target, pages) for target in targets]
    numbers = {number for number, _ in found}
    if len(numbers) > 1:
        raise TextRefused("canvas", "its targets are on several canvases")
    return numbers.pop(), tuple(place for _, place in found)


def _read_target(target: object, pages: Pages) -> tuple[int, CanvasPlace]:
    address, selectors = _divide(target)
    source, _, fragment = address.partition("#")
    found = pages.find(source)
    number, size = found.number, pages.sizes[found.number]
    if not found.has_pixels:
        _check_percent(fragment, selectors)
    if fragment:
        return number, CanvasPlace(box=_read_region(fragment, size))
    parts = list(_list_selectors(selectors))
    box, shape, is_point = None, "", False
    for selector in parts:
        match selector:
            case {"type": "FragmentSelector", "value": str(text)}:
                box, is_point = _read_region(text, size), False
            case {"type": "SvgSelector", "value": str(text)}:
                shape = read_outline(text, size)
            case {"type": "PointSelector", "x": x, "y": y}:
                point = _read_point(x, y, size)
                box, is_point = (box, is_point) if box else (point, True)
            case _:
                kind = selector.get("type") if isinstance(selector, dict) else selector
                sentence = (
                    f"its selector {str(kind)[:SHOWN]!r} is not one that names a part of a page"
                )
                raise TextRefused("selector", sentence)
    return number, CanvasPlace(box=box, is_point=is_point and not shape, shape=shape)


def _check_percent(fragment: str, selectors: object) -> None:
    """Raise TextRefused for a part of a picture of unknown size that is not in percent."""
    values = [fragment] if fragment else []
    for selector in _list_selectors(selectors):
        values.append(str(selector.get("value", "")) if isinstance(selector, dict) else "")
    if not all(value.startswith("xywh=percent:") for value in values):
        sentence = "its target is a picture, whose pixels need not be those of the page"
        raise TextRefused("picture", f"{sentence}: give xywh=percent:, or name the canvas")


def _divide(target: Any) -> tuple[str, object]:
    """Return the address of a target, and its selectors."""
    match target:
        case str():
            return target, None
        case {"source": str(address)} | {"source": {"id": str(address)}}:
            return address, target.get("selector")
        case {"id": str(address)}:
            return address, target.get("selector")
    raise TextRefused("target", "it has a target without an address")


def _list_selectors(value: object) -> Iterator[Any]:
    """Yield selectors, of which several say the same place in different ways."""
    for selector in listed(value)[:MAX_TARGETS]:
        match selector:
            case {"type": "Choice", "items": list(items)}:
                yield from items[:MAX_TARGETS]
            case _:
                yield selector


def _read_region(fragment: str, size: CanvasSize) -> Rectangle:
    found = _REGION.fullmatch(fragment)
    numbers = [read_number(number) for number in found.groups()[1:]] if found else [None] * 4
    left, top, width, height = numbers
    if found is None or left is None or top is None or width is None or height is None:
        raise TextRefused("region", f"its region {fragment[:SHOWN]!r} is no xywh=")
    if found[1] == "percent:":
        across, down = size.width / 100, size.height / 100
        left, top, width, height = left * across, top * down, width * across, height * down
    return _place((left, top, width, height), size)


def _read_point(x: object, y: object, size: CanvasSize) -> Rectangle:
    left, top = (read_number(str(one)) for one in (x, y))
    if left is None or top is None:
        raise TextRefused("region", "its point has no x and y")
    return _place((math.floor(left), math.floor(top), 1, 1), size)


def _place(box: tuple[float, float, float, float], size: CanvasSize) -> Rectangle:
    """Return the part of a rectangle that is on the canvas."""
    left, top, width, height = box
    across, down = clip(left, width, 1, size.width), clip(top, height, 1, size.height)
    if across is None or down is None:
        raise TextRefused("outside", "its place is outside the page")
    return across[0], down[0], across[1], down[1]
