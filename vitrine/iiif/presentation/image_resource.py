"""An image as a manifest shows it: its sizes are known, so nobody asks for its information."""

from collections.abc import Sequence
from dataclasses import dataclass

from vitrine.iiif.region import Box
from vitrine.iiif.size import Limits, StoredPyramid, is_downloadable, largest_size

THUMBNAIL_SIDE = 400
"""Pixels that the longer side of a thumbnail has at least, where the image has a level for it."""


@dataclass(frozen=True, slots=True)
class ImageResource:
    """One image: its size, and the two sizes in which a manifest offers it."""

    identifier: str
    width: int
    height: int
    largest: tuple[int, int]
    """Width and height of the picture that a client without a viewer gets, in pixels."""
    thumbnail: tuple[int, int]
    """Width and height of a stored level, which costs nearly nothing, in pixels."""
    compliance: int = 2
    """Level of the Image API that its service has; 0 for files that nobody renders."""
    is_downloadable: bool = False
    """True if it can be downloaded whole, and `largest` is not that."""
    is_public: bool = True
    """False if everybody sees nothing of it without a ticket: it has no thumbnail then."""


def describe_image(
    identifier: str,
    image: StoredPyramid,
    limits: Limits,
    *,
    downloads: bool,
    is_public: bool = True,
) -> ImageResource:
    """Return the resource of an image, whose answers keep to `limits`.

    `downloads` says whether its service also sends whole images that are beyond them, `is_public`
    whether it answers everybody at all.
    """
    whole = Box(0, 0, image.width, image.height)
    granted = limits.for_image(image.width, image.height)
    return ImageResource(
        identifier,
        image.width,
        image.height,
        largest_size(whole, granted, upscale=False),
        choose_thumbnail(image.levels),
        is_downloadable=downloads and is_downloadable(image.width, image.height, granted),
        is_public=is_public,
    )


def choose_thumbnail(sizes: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the smallest size that is no smaller than a thumbnail, or the largest there is."""
    enough = [size for size in sizes if max(size) >= THUMBNAIL_SIDE]
    return min(enough, key=max) if enough else max(sizes, key=max)
