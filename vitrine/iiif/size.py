"""The size parameter: how large the result is, before rotation (Image API 3.0, section 4.2).

`w,` and `,h` mean the sizes that an image is stored in, where they can. A level's sides are halved
and rounded separately. So the height that the ratio of a region gives for `w,` may differ by a
pixel from that of the stored tile: a viewer that draws edge tiles at their natural size then shows
a line through the picture. Which of the two is returned is the server's choice (Image API 2.1 and
3.0, section 4.2); 2.1's implementation notes compute the stored one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Protocol

from vitrine.errors import InvalidRequest
from vitrine.iiif.format import JPEG
from vitrine.iiif.numbers import parse_decimal, parse_integer, rounded, scaled
from vitrine.iiif.region import Box
from vitrine.iiif.version import Version


@dataclass(frozen=True)
class Unscaled:
    """`full` of version 2: the region as it is."""


@dataclass(frozen=True)
class Largest:
    """`max`: as large as the limits allow."""


@dataclass(frozen=True)
class Percent:
    """`pct:n`"""

    percent: Fraction


@dataclass(frozen=True)
class Exact:
    """`w,h`, `w,` or `,h`; the absent side follows from the aspect ratio."""

    width: int | None
    height: int | None


@dataclass(frozen=True)
class Confined:
    """`!w,h`: the largest that fits, aspect ratio kept."""

    width: int
    height: int


@dataclass(frozen=True)
class Size:
    """One of the forms, with or without `^`."""

    form: Unscaled | Largest | Percent | Exact | Confined
    upscale: bool = False


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The largest result: `area` is its width times height, in pixels.

    `side` is its longer side: the largest of a JPEG, the format that every client reads.
    """

    area: int
    side: int = JPEG.longest_side
    width: int = 0
    """Width that info.json promises, and that `max` and `!w,h` keep to; 0: only `side` does."""
    height: int = 0

    def for_image(self, width: int, height: int) -> "Limits":
        """Return the limits for an image of this size, with the sides that are always granted.

        A square of them is within `area`, whatever the shape of the region. An image that is
        within `area` as a whole is granted at its own size, however long it is.
        """
        side = across = down = min(isqrt(self.area), self.side)
        if width * height <= self.area:
            across, down = min(max(side, width), self.side), min(max(side, height), self.side)
        # dataclasses.replace would take a tenth of the time of an info.json.
        return Limits(area=self.area, side=self.side, width=across, height=down)

    @property
    def bounds(self) -> tuple[int, int]:
        """Width and height that `max` keeps to."""
        return self.width or self.side, self.height or self.side

    def grant(self, width: int, height: int) -> bool:
        """Return True if a result of this size is within the area, and is one that `max` may be."""
        across, down = self.bounds
        return width * height <= self.area and width <= across and height <= down


class StoredPyramid(Protocol):
    """The levels of an image, full resolution first, in tiles of one size."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def tile_width(self) -> int: ...
    @property
    def tile_height(self) -> int: ...
    @property
    def levels(self) -> Sequence[tuple[int, int]]: ...


def is_downloadable(width: int, height: int, limits: Limits) -> bool:
    """Return True if an image is beyond the limits, and not too long for a JPEG."""
    return not limits.grant(width, height) and max(width, height) <= JPEG.longest_side


def download_label(width: int, height: int) -> dict[str, list[str]]:
    """Return what people read in place of the address of a whole image, by language."""
    return {"en": [f"The whole image, {width:,} by {height:,} pixels"]}


@lru_cache(maxsize=1024)
def parse_size(text: str, version: Version) -> Size:
    """Parse the size parameter. Raises InvalidRequest, also for a form of the other version."""
    if text == "full" and version.full_is_a_size:
        return Size(Unscaled())
    if text == "full":
        raise InvalidRequest("the size full is version 2's: in version 3 it is max")
    upscale = version.upscaling_is_marked and text.startswith("^")
    return Size(_parse_form(text[1:] if upscale else text, text), upscale)


def _parse_form(rest: str, text: str) -> Largest | Percent | Exact | Confined:
    if rest == "max":
        return Largest()
    if rest.startswith("pct:"):
        return Percent(parse_decimal(rest.removeprefix("pct:"), "the percentage of the size"))
    confined = rest.startswith("!")
    width, comma, height = rest.removeprefix("!").partition(",")
    if not comma or not (width or height) or (confined and not (width and height)):
        raise InvalidRequest(f"the size must be max, w,h, w, ,h, !w,h or pct:n, not {text[:40]!r}")
    if confined:
        return Confined(_parse_side(width), _parse_side(height))
    return Exact(_parse_side(width) if width else None, _parse_side(height) if height else None)


def _parse_side(text: str) -> int:
    side = parse_integer(text, "a number of the size")
    if not side:
        raise InvalidRequest("the size is zero")
    return side


def resolve_size(
    size: Size,
    region: Box,
    version: Version,
    limits: Limits,
    pyramid: StoredPyramid | None = None,
) -> tuple[int, int]:
    """Return width and height of the result in pixels.

    A size with one side is that of the tile or level stored in `pyramid`, if there is such.

    Raises InvalidRequest if that is less than a pixel, beyond `limits`, or larger than the region
    without the `^` that the version requires.
    """
    size = _use_stored_size(size, region, pyramid)
    width, height = _scale_region(size, region, limits)
    if width < 1 or height < 1:
        raise InvalidRequest("the size is less than one pixel")
    larger = width > region.width or height > region.height
    # A percentage may be too large and yet round to the region's own size.
    larger = larger or (isinstance(size.form, Percent) and size.form.percent > 100)
    if larger and version.upscaling_is_marked and not size.upscale:
        raise InvalidRequest("the size is larger than the region: ask for it with ^")
    if width * height > limits.area or max(width, height) > limits.side:
        raise InvalidRequest(
            f"the size is more than {limits.area} pixels, or {limits.side} on a side:"
            " max is the largest"
        )
    return width, height


def canonical_size(
    region: Box,
    size: tuple[int, int],
    version: Version,
    limits: Limits,
    pyramid: StoredPyramid | None,
) -> str:
    """Return the canonical size (Image API 3.0, section 4.8; 2.1, section 4.7)."""
    width, height = size
    if version.full_is_a_size and size == (region.width, region.height):
        return "full"
    if version.canonical_size_names_both:
        if size == largest_size(region, limits, upscale=False):
            return "max"
        if size == largest_size(region, limits, upscale=True):
            return "^max"
        larger = width > region.width or height > region.height
        return f"{'^' if larger else ''}{width},{height}"
    stored = _find_stored_size(pyramid, region, width, 0) if pyramid else None
    kept = height == (stored[1] if stored else scaled(region.height, width, region.width))
    return f"{width}," if kept else f"{width},{height}"


def _use_stored_size(size: Size, region: Box, pyramid: StoredPyramid | None) -> Size:
    """Return the size with both sides, if it has one side and that of a tile or level."""
    form = size.form
    if pyramid is None or not isinstance(form, Exact) or (form.width and form.height):
        return size
    stored = _find_stored_size(pyramid, region, form.width or 0, form.height or 0)
    return Size(Exact(*stored), size.upscale) if stored else size


def _scale_region(size: Size, region: Box, limits: Limits) -> tuple[int, int]:
    match size.form:
        case Unscaled():
            return region.width, region.height
        case Largest():
            return largest_size(region, limits, upscale=size.upscale)
        case Percent(percent):
            return _scale_by_percent(region, percent)
        case Exact(int(width), int(height)):
            return width, height
        case Exact(int(width), None):
            return width, scaled(region.height, width, region.width)
        case Exact(_, height):
            assert height is not None
            return scaled(region.width, height, region.height), height
        case Confined(width, height):
            return largest_size(region, limits, upscale=size.upscale, within=(width, height))


def _find_stored_size(
    pyramid: StoredPyramid, region: Box, width: int, height: int
) -> tuple[int, int] | None:
    """Return the size of the level or tile that is `region`, has the given side, and is smaller.

    One of `width` and `height` is 0. Of several, the one nearest to the region's ratio is returned.
    """
    sizes = [
        size
        for size in _list_sizes(pyramid, region)
        if (size[0] == width if width else size[1] == height)
    ]
    if not sizes:
        return None
    if width:
        target = scaled(region.height, width, region.width)
        return min(sizes, key=lambda size: abs(size[1] - target))
    target = scaled(region.width, height, region.height)
    return min(sizes, key=lambda size: abs(size[0] - target))


def _list_sizes(pyramid: StoredPyramid, region: Box) -> Iterator[tuple[int, int]]:
    """Yield the sizes of the levels and tiles that hold exactly this region, in full or smaller."""
    is_whole = (region.width, region.height) == (pyramid.width, pyramid.height)
    for number, level in enumerate(pyramid.levels):
        if is_whole:
            yield level
        elif tile := _find_tile(pyramid, number, region):
            yield tile


def _find_tile(pyramid: StoredPyramid, number: int, region: Box) -> tuple[int, int] | None:
    """Return the size of the tile of this level that is exactly `region`, or None."""
    span_x, span_y = pyramid.tile_width << number, pyramid.tile_height << number
    if region.x % span_x or region.y % span_y:
        return None
    if region.width != min(span_x, pyramid.width - region.x):
        return None
    if region.height != min(span_y, pyramid.height - region.y):
        return None
    level = pyramid.levels[number]
    width = min(pyramid.tile_width, level[0] - (region.x >> number))
    height = min(pyramid.tile_height, level[1] - (region.y >> number))
    # A level whose sides were rounded down may lack its last row or column.
    return (width, height) if width > 0 and height > 0 else None


def _scale_by_percent(region: Box, percent: Fraction) -> tuple[int, int]:
    return rounded(region.width * percent / 100), rounded(region.height * percent / 100)


def largest_size(
    region: Box, limits: Limits, *, upscale: bool, within: tuple[int, int] | None = None
) -> tuple[int, int]:
    """Return the largest size of the region's shape within the limits and the box `within`."""
    bounds = limits.bounds
    if within:
        bounds = (min(within[0], bounds[0]), min(within[1], bounds[1]))
    # The smaller of the ratios of bound to region; in integers, as every request passes here.
    bound, of = bounds[0], region.width
    if bounds[1] * of < bound * region.height:
        bound, of = bounds[1], region.height
    if not upscale and bound > of:
        bound = of
    width, height = scaled(region.width, bound, of), scaled(region.height, bound, of)
    if width * height <= limits.area:
        return width, height
    # Rounded down, so that the product of two rounded sides does not exceed the limit.
    smaller = max(1, isqrt(limits.area * region.width // region.height))
    width = min(width, smaller, limits.area)
    height = max(1, min(width * region.height // region.width, limits.area // width))
    return width, height
