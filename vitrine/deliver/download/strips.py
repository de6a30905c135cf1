"""The strips of an image at full resolution: how it is cut, one after the other."""

import math
from collections.abc import Iterator

from vitrine.deliver.download.joining import CYCLE
from vitrine.errors import InvalidRequest
from vitrine.iiif.format import JPEG
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest
from vitrine.iiif.rotation import Rotation
from vitrine.iiif.size import StoredPyramid
from vitrine.iiif.version import NEWEST

STRIP_PIXELS = 4_000_000
"""Pixels of a strip, unless one row of tiles has more: 30 ms of a core."""
_MAX_STRIP_PIXELS = 1 << 25
"""iipsrv cuts no more at a time (`containers/iipsrv/patches/0010-coefficients.patch`)."""
_MAX_UNIT = 16
"""Pixels: height of a row of blocks where chroma is halved."""


def cut_strips(image: StoredPyramid) -> Iterator[ResolvedRequest]:
    """Yield the requests for all strips of an image, from the top down. Raises InvalidRequest.

    They are of whole rows of tiles, so that none is read twice, and of a multiple of eight rows of
    blocks, as `vitrine.deliver.download.joining` needs them.
    """
    height = strip_height(image)
    for top in range(0, image.height, height):
        part = Box(0, top, image.width, min(height, image.height - top))
        yield ResolvedRequest(
            version=NEWEST,
            region=part,
            width=part.width,
            height=part.height,
            rotation=Rotation(0, mirrored=False),
            quality="default",
            format=JPEG.name,
            canonical=f"0,{top},{part.width},{part.height}/max/0/default.jpg",
        )


def strip_height(image: StoredPyramid) -> int:
    """Return the height of all strips but the last, in pixels. Raises InvalidRequest.

    The image's own height may be less.
    """
    check_sides(image.width, image.height)
    least = math.lcm(image.tile_height, CYCLE * _MAX_UNIT)
    if min(least, image.height) * image.width > _MAX_STRIP_PIXELS:
        raise InvalidRequest(
            f"tiles of {image.tile_width} by {image.tile_height} pixels cannot be joined to one "
            "JPEG: convert the master again, or ask for regions"
        )
    return least * max(1, STRIP_PIXELS // (least * image.width))


def check_sides(width: int, height: int) -> None:
    """Raise InvalidRequest for an image that no JPEG holds."""
    if max(width, height) > JPEG.longest_side:
        raise InvalidRequest(
            f"a JPEG holds at most {JPEG.longest_side:,} pixels on a side, and this image has "
            f"{width:,} by {height:,}: ask for regions of it"
        )
