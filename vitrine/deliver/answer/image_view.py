"""Requests for a part of an image's levels, in terms of the stored image.

Tiles of such a view are stored tiles, and no request yields more detail than its full size has: a
pixel of an answer covers at least what a pixel of that covers, since nothing is enlarged.
"""

from dataclasses import dataclass, replace

from vitrine.deliver.tiles.position import TilePosition
from vitrine.errors import AccessDenied, InvalidRequest, LinkDenied
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live


@dataclass(frozen=True)
class ImageView:
    """An image as it is shown."""

    image: Live
    """With the size and the levels that are shown."""
    stored: Live
    """As its record has it."""
    level: int = 0
    """The stored level that is shown as full resolution."""
    formats: tuple[str, ...] = ()
    """Formats in which it is shown; empty: any."""
    box: Box | None = None
    """The part that is shown, in pixels of the stored image; None: all of it."""
    right: str = ""
    """Name of the right whose holders see the image whole, if these here may know of it."""
    is_admitted: bool = True
    """False if only what the image is may be said, and nothing shown."""

    @property
    def is_whole(self) -> bool:
        """True if everything that is stored is shown."""
        return self.level == 0 and self.box is None and not self.formats

    def check_whole(self) -> None:
        """Raise AccessDenied if only a part of the image is shown."""
        if self.formats:
            raise self._wrong_format()
        if not self.is_whole:
            raise AccessDenied("this image is not shown whole at full resolution")

    def check_info(self) -> None:
        """Raise AccessDenied if the whole image is not shown at any size."""
        if self.box:
            raise AccessDenied("this link shows a part of an image: ask for that region")

    def check_shown(self, request: ResolvedRequest, stored: ResolvedRequest) -> None:
        """Raise AccessDenied for what this view does not show.

        `stored` is the request in pixels of the stored image.
        """
        if self.formats and request.format not in self.formats:
            raise self._wrong_format()
        if self.box and not _is_inside(stored.region, self.box):
            raise AccessDenied("this link shows another part of the image")

    def _wrong_format(self) -> LinkDenied:
        """Return an error that no cache keeps: formats are no part of its key."""
        return LinkDenied(f"this link shows the formats {', '.join(self.formats)} only")

    def stored_position(self, position: TilePosition) -> TilePosition:
        """Return the place in the stored pyramid of a tile of this view."""
        return position._replace(level=position.level + self.level)

    def stored_request(self, request: ResolvedRequest) -> ResolvedRequest:
        """Return a request for this view in pixels of the stored image.

        Raises InvalidRequest for one that enlarges, which would show more than this view has.
        """
        if self.level == 0:
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


def _is_inside(region: Box, box: Box) -> bool:
    return (
        box.x <= region.x
        and region.x + region.width <= box.x + box.width
        and box.y <= region.y
        and region.y + region.height <= box.y + box.height
    )
