"""A target: one address, and what the answer to it must be."""

from math import isqrt
from typing import NamedTuple

from loadtest.workload.catalogue import Image

INFO = "info"
TILE = "tile"
PAGE = "page"
"""A page for people; one that leads to another is right as well."""


class Target(NamedTuple):
    """One address of a server; made often, so a tuple."""

    kind: str
    """The class it is counted in: a tile, a size, the image information."""
    path: str
    """Path as sent: percent-encoded, from the host's root on."""
    image: Image | None = None
    """None for an address that no catalogue knows."""
    region: tuple[int, int, int, int] = (0, 0, 0, 0)
    """x, y, width and height in pixels of full resolution; all 0: no image, or not known."""
    width: int = 0
    height: int = 0
    """Width and height of the answer in pixels; 0: no image, or not known."""
    exact: bool = True
    """True if every server must answer in exactly this size; else a pixel more or less is right."""


def information_target(image: Image) -> Target:
    """Return the target of the image information."""
    return Target(INFO, f"{image.base}/info.json", image)


def whole_target(image: Image, side: int, kind: str = "") -> Target:
    """Return the whole image, its longer side `side` pixels long, or its own length if less."""
    side = min(side, max(image.largest))
    width, height = _fit_within(image.width, image.height, side)
    path = f"{image.base}/full/!{side},{side}/0/default.jpg"
    region = (0, 0, image.width, image.height)
    return Target(kind or str(side), path, image, region, width, height, exact=False)


def native_target(image: Image, kind: str = "native") -> Target:
    """Return the whole image, as large as the server delivers it."""
    unscaled = image.largest == (image.width, image.height)
    size = "full" if unscaled and image.version == 2 else "max"
    path = f"{image.base}/full/{size}/0/default.jpg"
    region = (0, 0, image.width, image.height)
    return Target(kind, path, image, region, *image.largest, unscaled)


def region_target(image: Image, region: tuple[int, int, int, int], side: int, kind: str) -> Target:
    """Return a region, its longer side `side` pixels long, or its own length if less."""
    x, y, width, height = region
    side = min(side, max(width, height))
    path = f"{image.base}/{x},{y},{width},{height}/!{side},{side}/0/default.jpg"
    return Target(kind, path, image, region, *_fit_within(width, height, side), exact=False)


def largest_within(image: Image, area: int, side: int) -> tuple[int, int]:
    """Return width and height of the whole image under a server's limits, in pixels."""
    width, height = _fit_within(
        image.width, image.height, min(side, max(image.width, image.height))
    )
    if width * height <= area:
        return width, height
    width = max(1, isqrt(area * image.width // image.height))
    return width, max(1, width * image.height // image.width)


def _fit_within(width: int, height: int, side: int) -> tuple[int, int]:
    """Scale so that the longer side is `side`; halves up, at least 1."""
    longer = max(width, height)
    return (
        max(1, (2 * width * side + longer) // (2 * longer)),
        max(1, (2 * height * side + longer) // (2 * longer)),
    )
