"""The region parameter: which part of the image (Image API 3.0, section 4.1)."""

from dataclasses import dataclass
from fractions import Fraction

from vitrine.errors import InvalidRequest
from vitrine.iiif.numbers import parse_decimal, parse_integer, rounded


@dataclass(frozen=True)
class FullRegion:
    """`full`"""


@dataclass(frozen=True)
class SquareRegion:
    """`square`: the largest square in the middle."""


@dataclass(frozen=True)
class PixelRegion:
    """`x,y,w,h`"""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class PercentRegion:
    """`pct:x,y,w,h`"""

    x: Fraction
    y: Fraction
    width: Fraction
    height: Fraction


Region = FullRegion | SquareRegion | PixelRegion | PercentRegion


@dataclass(frozen=True)
class Box:
    """A rectangle inside the image, in pixels of full resolution."""

    x: int
    y: int
    width: int
    height: int


def parse_region(text: str) -> Region:
    """Parse the region parameter. Raises InvalidRequest."""
    if text == "full":
        return FullRegion()
    if text == "square":
        return SquareRegion()
    percent = text.startswith("pct:")
    parts = text.removeprefix("pct:").split(",")
    if len(parts) != 4:
        raise InvalidRequest(
            f"the region must be full, square, x,y,w,h or pct:…, not {text[:40]!r}"
        )
    if percent:
        return PercentRegion(*(parse_decimal(part, "a percentage of the region") for part in parts))
    return PixelRegion(*(parse_integer(part, "a number of the region") for part in parts))


def resolve_region(region: Region, width: int, height: int) -> Box:
    """Return the pixels of a `width` by `height` image that `region` names, clipped to the image.

    Raises InvalidRequest if no pixel is left.
    """
    match region:
        case FullRegion():
            return Box(0, 0, width, height)
        case SquareRegion():
            side = min(width, height)
            return Box((width - side) // 2, (height - side) // 2, side, side)
        case PercentRegion():
            region = _in_pixels(region, width, height)
    if not region.width or not region.height:
        raise InvalidRequest("the region is empty")
    if region.x >= width or region.y >= height:
        raise InvalidRequest(f"the region is outside the image of {width} by {height} pixels")
    clipped = min(region.width, width - region.x), min(region.height, height - region.y)
    return Box(region.x, region.y, *clipped)


def _in_pixels(region: PercentRegion, width: int, height: int) -> PixelRegion:
    return PixelRegion(
        _round_start(region.x, width),
        _round_start(region.y, height),
        _round_extent(region.width, width),
        _round_extent(region.height, height),
    )


def _round_start(percent: Fraction, length: int) -> int:
    """Round a start: one inside the image stays inside."""
    start = rounded(percent * length / 100)
    return min(start, length - 1) if percent < 100 else max(start, length)


def _round_extent(percent: Fraction, length: int) -> int:
    """Round an extent: only 0 % becomes 0."""
    return max(1, rounded(percent * length / 100)) if percent else 0
