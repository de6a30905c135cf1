"""Which level a derivative is made from, and which of its pixels, and how they are scaled.

A pixel of level n covers 2**n pixels of full resolution on either side, also where the level's
sides were rounded up (its last pixels cover less) or down (the last pixels of the image are in
none of its pixels).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest

_WORST_LOSS = 1.0
"""Pixels of the result, at the far edge, that a level rounded down may lack."""
_VISIBLE_SHIFT = 0.2
"""Pixels of the result: less is not worth the work of moving the source."""


LARGEST_SOURCE_PIXELS = 128_000_000
"""What the largest results need of the next larger level: beyond, only distorted images read."""


class Size(Protocol):
    """Of a level, pixels."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Cut:
    """What is taken of a level along one axis."""

    start: int
    stop: int
    """Pixels of the level, `stop` not included."""
    shrink: float
    """Pixels of the level that become one; 1 leaves them alone, less enlarges."""
    shift: float = 0.0
    """How far right of (or below) the cut the wanted pixels lie, -0.5 to 0.5 level pixels."""

    @property
    def length(self) -> int:
        """Pixels of the level."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Plan:
    """How one request is made from one level; 0 is full resolution."""

    level: int
    across: Cut
    down: Cut
    width: int
    height: int
    """Of the result, before it is turned."""

    @property
    def box(self) -> Box:
        """What is read, in pixels of the level."""
        return Box(self.across.start, self.down.start, self.across.length, self.down.length)

    @property
    def source_pixels(self) -> int:
        """Number of pixels read."""
        return self.across.length * self.down.length

    @property
    def result_pixels(self) -> int:
        """Number of pixels made."""
        return self.width * self.height

    @property
    def scales(self) -> bool:
        """Whether the result is anything but the level's own pixels."""
        return any(cut.shrink != 1 or cut.shift for cut in (self.across, self.down))


def plan(levels: Sequence[Size], request: ResolvedRequest) -> Plan:
    """The plan with the smallest level that need not be enlarged for the request.

    A strongly distorted image may be enlarged along one axis: the level that need not be would
    be large beyond all proportion.
    """
    pixels = request.region.width * request.region.height
    for number in range(len(levels) - 1, 0, -1):
        larger = pixels >> 2 * (number - 1)
        if found := _plan(levels, request, number, enlarge=larger > LARGEST_SOURCE_PIXELS):
            return found
    found = _plan(levels, request, 0, enlarge=True)
    assert found is not None
    return found


def _plan(
    levels: Sequence[Size], request: ResolvedRequest, number: int, *, enlarge: bool
) -> Plan | None:
    """With a given level, None where it is too small."""
    box, full, level = request.region, levels[0], levels[number]
    across = _cut(box.x, box.width, full.width, level.width, number, request.width, enlarge)
    down = _cut(box.y, box.height, full.height, level.height, number, request.height, enlarge)
    if across is None or down is None:
        return None
    return Plan(number, across, down, request.width, request.height)


def _cut(
    start: int, length: int, full: int, stored: int, number: int, wanted: int, enlarge: bool
) -> Cut | None:
    """The cut along one axis, None where the level is too small for the `wanted` pixels."""
    factor, stop = 1 << number, start + length
    first = start // factor
    if start % factor == 0 and wanted == _pixels(stop, full, factor) - first:
        if first + wanted <= stored:
            return Cut(first, first + wanted, 1.0)
    elif number == 0:
        return Cut(start, stop, length / wanted)
    elif length >= wanted * factor:
        lost = stop / factor - stored
        if lost * wanted <= _WORST_LOSS * length / factor and stored - start / factor >= wanted:
            return _fitted(start / factor, length / factor, stored, wanted)
    if not enlarge:
        return None
    first = min(first, stored - 1)
    last = max(first + 1, min(-(-stop // factor), stored))
    return Cut(first, last, (last - first) / wanted)


def _pixels(stop: int, full: int, factor: int) -> int:
    """The last pixel of the image makes a pixel of the level, be it a small part of one."""
    return -(-stop // factor) if stop == full or stop % factor == 0 else -1


def _fitted(start: float, length: float, stored: int, wanted: int) -> Cut:
    """The cut whose middle is nearest to the wanted one: the resampler keeps middles.

    libvips scales whole pixels and makes round(pixels / shrink) of them, from the middle out.
    """
    shrink = length / wanted
    if shrink == 1:
        first = min(int(start + 0.5), stored - wanted)
        return Cut(first, first + wanted, 1.0, _worth(start - first, shrink))
    middle = start + length / 2
    best: tuple[float, int, int] | None = None
    for first in range(max(0, int(start) - 1), int(start) + 2):
        for stop in range(int(start + length) - 1, int(start + length) + 3):
            if not first < stop <= stored or round_half_up((stop - first) / shrink) != wanted:
                continue
            off = abs((first + stop) / 2 - middle), abs(stop - first - length)
            if best is None or sum(off) < best[0]:
                best = sum(off), first, stop
    if best is None:
        first, stop = max(0, int(start)), min(stored, max(int(start + length), int(start) + 1))
        return Cut(first, stop, (stop - first) / wanted)
    _, first, stop = best
    return Cut(first, stop, shrink, _worth(middle - (first + stop) / 2, shrink))


def _worth(shift: float, shrink: float) -> float:
    return shift if abs(shift) > _VISIBLE_SHIFT * shrink else 0.0


def round_half_up(value: float) -> int:
    """As libvips rounds."""
    return int(value + 0.5)
