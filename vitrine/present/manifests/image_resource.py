"""A published image as the Presentation API needs it: sizes are known, nobody asks an info.json."""

from dataclasses import dataclass

from vitrine.iiif.region import Box
from vitrine.iiif.size import Limits, largest_size
from vitrine.records import Live

THUMBNAIL_SIDE = 400
"""Pixels that the longer side of a thumbnail has at least, where the image has a level for it."""


@dataclass(frozen=True, slots=True)
class ImageResource:
    """One image: its size, and the two sizes in which a manifest offers it."""

    identifier: str
    width: int
    height: int
    largest: tuple[int, int]
    """Of the picture that a client without a viewer gets."""
    thumbnail: tuple[int, int]
    """Of a stored level, which costs nearly nothing."""


def describe_image(image: Live, limits: Limits) -> ImageResource:
    """Return the resource of a live image, whose answers keep to `limits`."""
    whole = Box(0, 0, image.width, image.height)
    granted = limits.for_image(image.width, image.height)
    return ImageResource(
        image.identifier,
        image.width,
        image.height,
        largest_size(whole, granted, upscale=False),
        _thumbnail(image),
    )


def _thumbnail(image: Live) -> tuple[int, int]:
    """Return the smallest level that is no smaller than a thumbnail, or the largest there is."""
    enough = [size for size in image.levels if max(size) >= THUMBNAIL_SIDE]
    return min(enough, key=max) if enough else max(image.levels, key=max)
