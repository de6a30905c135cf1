"""The geometry of derivatives: which level they are made from, which pixels, and at what scale.

A pixel of level n covers 2**n pixels of full resolution on either side, also where the level's
sides were rounded up (its last pixels cover less) or down (the last pixels of the image are missing
from it).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest

_WORST_LOSS = 1.0
"""Pixels of the result that a level rounded down may lack at the far edge."""
_VISIBLE_SHIFT = 0.2
"""Pixels of the result: a smaller shift is not worth the work of moving the source."""

_PLANS_KEPT = 256
"""A request is planned for its price, for the bytes that it lacks, and for its renderer."""

MAX_SOURCE_PIXELS = 128_000_000
"""The largest results read this much of the next larger level; only distorted images read more."""


_Size = tuple[int, int]
"""Width and height in pixels."""


class LevelSize(Protocol):
    """The size of a level in pixels."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of a level that is read along one axis."""

    start: int
    stop: int
    """Pixels of the level, `stop` not included."""
    shrink: float
    """Pixels of the level that become one; 1 leaves them alone, less enlarges."""
    shift: float = 0.0
    """Distance of the requested pixels to the right of (or below) the cut, -0.5 to 0.5 level
    pixels."""

    @property
    def length(self) -> int:
        """Number of pixels of the level."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class RenderPlan:
    """How one request is made from one level; level 0 is full resolution."""

    level: int
    across: Cut
    down: Cut
    width: int
    height: int
    """Size of the result before rotation, pixels."""

    @property
    def box(self) -> Box:
        """The box that is read, in pixels of the level."""
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
    def enlarges(self) -> bool:
        """True if pixels of the level become more along an axis."""
        return min(self.across.shrink, self.down.shrink) < 1

    @property
    def scales(self) -> bool:
        """True if the result is not simply the level's own pixels."""
        return any(cut.shrink != 1 or cut.shift for cut in (self.across, self.down))

    def covered_pixels(self, level: tuple[int, int], tile_width: int, tile_height: int) -> int:
        """Return the pixels of the tiles that are read, of a level of this width and height."""
        width, height = level
        tiles = _count_tiles(self.across, tile_width, width)
        tiles *= _count_tiles(self.down, tile_height, height)
        return min(tiles * tile_width * tile_height, width * height)


def _count_tiles(cut: Cut, side: int, end: int) -> int:
    return (min(cut.stop, end) - 1) // side - cut.start // side + 1


def plan_request(levels: Sequence[LevelSize], request: ResolvedRequest) -> RenderPlan:
    """Return the plan with the smallest level that need not be enlarged for the request.

    A strongly distorted image may be enlarged along one axis: otherwise the level would be large
    beyond all proportion.
    """
    sizes = tuple([(level.width, level.height) for level in levels])
    return _plan_sizes(sizes, request.region, (request.width, request.height))


@lru_cache(_PLANS_KEPT)
def _plan_sizes(levels: tuple[_Size, ...], box: Box, size: _Size) -> RenderPlan:
    """Return the plan for levels of these sizes, of a region, and for a result of `size`."""
    for number in range(len(levels) - 1, 0, -1):
        larger = box.width * box.height >> 2 * (number - 1)
        if plan := _plan_level(levels, box, size, number, enlarge=larger > MAX_SOURCE_PIXELS):
            return plan
    plan = _plan_level(levels, box, size, 0, enlarge=True)
    assert plan is not None
    return plan


def _plan_level(
    levels: tuple[_Size, ...], box: Box, size: _Size, number: int, *, enlarge: bool
) -> RenderPlan | None:
    """Return the plan with the level of this number, or None if it is too small."""
    (full_width, full_height), (level_width, level_height) = levels[0], levels[number]
    across = _cut_axis(box.x, box.width, full_width, level_width, number, size[0], enlarge)
    down = _cut_axis(box.y, box.height, full_height, level_height, number, size[1], enlarge)
    if across is None or down is None:
        return None
    return RenderPlan(number, across, down, *size)


def _cut_axis(
    start: int, length: int, full: int, stored: int, number: int, target: int, enlarge: bool
) -> Cut | None:
    """Return the cut along one axis, or None if the level is too small for `target` pixels."""
    factor, stop = 1 << number, start + length
    first = start // factor
    if start % factor == 0 and target == _end_in_level(stop, full, factor) - first:
        if first + target <= stored:
            return Cut(first, first + target, 1.0)
    elif number == 0:
        return Cut(start, stop, length / target)
    elif length >= target * factor:
        lost = stop / factor - stored
        if lost * target <= _WORST_LOSS * length / factor and stored - start / factor >= target:
            return _fit_cut(start / factor, length / factor, stored, target)
    if not enlarge:
        return None
    first = min(first, stored - 1)
    last = max(first + 1, min(-(-stop // factor), stored))
    return Cut(first, last, (last - first) / target)


def _end_in_level(stop: int, full: int, factor: int) -> int:
    """Return the level's pixel at which a region ends, or -1 if it ends inside one.

    The last pixel of the image makes a pixel of the level, even if it is a small part of one.
    """
    return -(-stop // factor) if stop == full or stop % factor == 0 else -1


def _fit_cut(start: float, length: float, stored: int, target: int) -> Cut:
    """Return the cut whose middle is nearest to the region's: the resampler keeps middles.

    libvips scales whole pixels and makes round(pixels / shrink) of them, from the middle out.
    """
    shrink = length / target
    if shrink == 1:
        first = min(int(start + 0.5), stored - target)
        return Cut(first, first + target, 1.0, _visible_shift(start - first, shrink))
    middle = start + length / 2
    best: tuple[float, int, int] | None = None
    for first in range(max(0, int(start) - 1), int(start) + 2):
        for stop in range(int(start + length) - 1, int(start + length) + 3):
            if not first < stop <= stored or round_half_up((stop - first) / shrink) != target:
                continue
            off = abs((first + stop) / 2 - middle), abs(stop - first - length)
            if best is None or sum(off) < best[0]:
                best = sum(off), first, stop
    if best is None:
        first, stop = max(0, int(start)), min(stored, max(int(start + length), int(start) + 1))
        return Cut(first, stop, (stop - first) / target)
    _, first, stop = best
    return Cut(first, stop, shrink, _visible_shift(middle - (first + stop) / 2, shrink))


def _visible_shift(shift: float, shrink: float) -> float:
    return shift if abs(shift) > _VISIBLE_SHIFT * shrink else 0.0


def round_half_up(value: float) -> int:
    """Round as libvips does."""
    return int(value + 0.5)
