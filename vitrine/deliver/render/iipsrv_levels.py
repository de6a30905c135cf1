"""A prediction of what iipsrv 1.1 reads of a pyramid for a request: one box of one level.

Source: IIIF.cc, View.cc, CVT.cc and TPTImage.cc of Debian's 1.1-3, whose terms are used here. For
each axis iipsrv computes how large the whole image would be at the requested scale, rounded down.
It halves the image's side, rounded down, as long as the side stays that large, whatever the sizes
of the stored levels, and reads the smaller of both axes' levels. All in single precision.
"""

from collections.abc import Sequence
from ctypes import c_float
from dataclasses import dataclass

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.geometry import Size, round_half_up
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest


@dataclass(frozen=True)
class Reading:
    """A box of a level, in pixels of that level; level 0 is full resolution."""

    level: int
    box: Box


@dataclass(frozen=True)
class _View:
    """One axis of a region, as fractions of the image."""

    side: int
    start: float
    length: float

    @classmethod
    def of(cls, side: int, start: int, length: int) -> "_View":
        first, part = _single(start / side), _single(length / side)
        if _single(first + part) > 1.0:
            part = _single(1.0 - first)
        return cls(side, first, part)

    @property
    def is_whole(self) -> bool:
        return not self.start and self.length >= 1.0

    def count_halvings(self, target: int) -> int:
        """Count how often the side can be halved until the region has `target` pixels."""
        whole, side, count = max(1, int(_single(target / self.length))), self.side, 0
        while (side := side // 2) >= whole:
            count += 1
        return count

    def locate_in_level(self, level: int, stored: int) -> tuple[int, int]:
        """Return start and length in pixels of a level that has `stored` of them."""
        first = round_half_up(_single(_single(self.side * self.start) / (1 << level)))
        reduced = round_half_up(_single(self.side / (1 << level)))
        length = round_half_up(_single(self.length * reduced))
        length = max(1, min(length, reduced - round_half_up(_single(self.start * reduced))))
        return first, min(length, stored - first)


def predict_reading(box: Box, request: ResolvedRequest, levels: Sequence[Size]) -> Reading:
    """Return what iipsrv reads for the region `box` of full resolution."""
    across = _View.of(levels[0].width, box.x, box.width)
    down = _View.of(levels[0].height, box.y, box.height)
    halvings = max(across.count_halvings(request.width), down.count_halvings(request.height))
    number = min(halvings, len(levels) - 1)
    level = levels[number]
    if across.is_whole and down.is_whole:
        return Reading(number, Box(0, 0, level.width, level.height))
    left, width = across.locate_in_level(number, level.width)
    top, height = down.locate_in_level(number, level.height)
    return Reading(number, Box(left, top, width, height))


def list_ranges(
    pyramid: OpenPyramid, read: Reading, request: ResolvedRequest
) -> list[tuple[int, int]]:
    """Return offset and length of all bytes of the file that are read. Raises Unavailable."""
    ranges = [*pyramid.head_ranges, *pyramid.level_ranges(read.level, read.box)]
    if request.quality == "bitonal":
        # Its threshold comes from the first tile of the smallest level.
        ranges += pyramid.level_ranges(len(pyramid.levels) - 1, Box(0, 0, 1, 1))
    return ranges


def _single(value: float) -> float:
    """Round to single precision; two roundings of one operation give the same as one."""
    return c_float(value).value
