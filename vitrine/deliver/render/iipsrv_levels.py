"""What iipsrv 1.1 reads of a pyramid for a request: one level.

Source: IIIF.cc, View.cc (setViewWidth, calculateResolution, getViewLeft), CVT.cc and TPTImage.cc
of Debian's 1.1-3. For each axis it asks how large the whole image would be at the wanted scale, in
single precision, rounded down; it halves the image's side, rounded down, as long as it stays that
large, whatever the sizes of the stored levels; and it reads the smaller level of both axes.
"""

from collections.abc import Sequence
from ctypes import c_float

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.geometry import Size
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest

_ROUNDED = 2
"""Pixels of the level by which a corner may be rounded."""


def level_read(box: Box, request: ResolvedRequest, levels: Sequence[Size]) -> int:
    """Number of the level that is read for the region `box`, 0 for full resolution."""
    width, height = levels[0].width, levels[0].height
    halvings = max(
        _halvings(width, box.x, box.width, request.width),
        _halvings(height, box.y, box.height, request.height),
    )
    return min(halvings, len(levels) - 1)


def _halvings(side: int, start: int, length: int, wanted: int) -> int:
    """How often `side` can be halved for `length` pixels to become `wanted` of one axis."""
    part = _single(length / side)
    if _single(_single(start / side) + part) > 1.0:
        part = _single(1.0 - _single(start / side))
    whole, count = max(1, int(_single(wanted / part))), 0
    while (side := side // 2) >= whole:
        count += 1
    return count


def _single(value: float) -> float:
    """In single precision; two roundings of one division or sum are as good as one."""
    return c_float(value).value


def ranges_read(pyramid: OpenPyramid, box: Box, request: ResolvedRequest) -> list[tuple[int, int]]:
    """Offset and length of all bytes that may be read for a region `box`. Raises Unavailable."""
    ranges = list(pyramid.head_ranges)
    number = level_read(box, request, pyramid.levels)
    ranges += pyramid.level_ranges(number, _in_level(box, number))
    if request.quality == "bitonal":
        # Its threshold comes from the first tile of the smallest level.
        ranges += pyramid.level_ranges(len(pyramid.levels) - 1, Box(0, 0, 1, 1))
    return ranges


def _in_level(box: Box, number: int) -> Box:
    """With a margin; what is outside the level is no matter."""
    left, top = (box.x >> number) - _ROUNDED, (box.y >> number) - _ROUNDED
    right = -(-(box.x + box.width) >> number) + _ROUNDED
    bottom = -(-(box.y + box.height) >> number) + _ROUNDED
    return Box(max(left, 0), max(top, 0), right - max(left, 0), bottom - max(top, 0))
