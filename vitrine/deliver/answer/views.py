"""Requests for a part of an image's levels, in terms of the stored image.

Tiles of such a view are stored tiles, and no request yields more detail than its full size has: a
pixel of an answer covers at least what a pixel of that covers, since nothing is enlarged.
"""

from dataclasses import dataclass, replace

from vitrine.deliver.tiles.position import TilePosition
from vitrine.errors import AccessDenied, InvalidRequest
from vitrine.identify.public_image import public_image
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live


@dataclass(frozen=True)
class View:
    """An image as it is shown."""

    image: Live
    """With the size and the levels that are shown."""
    stored: Live
    """As its record has it."""
    level: int = 0
    """The stored level that is shown as full resolution."""

    @property
    def is_whole(self) -> bool:
        """True if everything that is stored is shown."""
        return self.level == 0

    def check_whole(self) -> None:
        """Raise AccessDenied if only a part of the levels is shown."""
        if not self.is_whole:
            raise AccessDenied("this image is public at a small size only: see its info.json")

    def stored_position(self, position: TilePosition) -> TilePosition:
        """Return the place in the stored pyramid of a tile of this view."""
        return position._replace(level=position.level + self.level)

    def stored_request(self, request: ResolvedRequest) -> ResolvedRequest:
        """Return a request for this view in pixels of the stored image.

        Raises InvalidRequest for one that enlarges, which would show more than this view has.
        """
        if self.is_whole:
            return request
        if request.is_upscaled:
            raise InvalidRequest("this image is shown small, and is not enlarged")
        box, number, stored = request.region, self.level, self.stored
        x, y = box.x << number, box.y << number
        region = Box(
            x,
            y,
            min((box.x + box.width) << number, stored.width) - x,
            min((box.y + box.height) << number, stored.height) - y,
        )
        # The name tells it from the same request for the stored image.
        return replace(request, region=region, canonical=f"{number}:{request.canonical}")


def public_view(image: Live) -> View:
    """Return what everybody may see. Raises AccessDenied if that is nothing."""
    shown, level = public_image(image)
    return View(shown, image, level)
