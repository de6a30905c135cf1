"""Recognition of requests that are exactly a stored tile of the pyramid."""

from typing import NamedTuple

from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live


class TilePosition(NamedTuple):
    """A stored tile: level 0 is full resolution, column and row count from 0."""

    level: int
    column: int
    row: int


def tile_position(image: Live, request: ResolvedRequest) -> TilePosition | None:
    """Return the stored tile that is exactly what `request` asks for, or None.

    A viewer rounds the sizes of levels up. If the stored level was rounded down, its last row or
    column may be missing, or a pixel smaller: such a request is not a stored tile.
    """
    region = request.region
    if request.rotation.degrees or request.rotation.mirrored:
        return None
    if request.quality not in ("default", "color") or request.format != "jpg":
        return None
    for level, (level_width, level_height) in enumerate(image.levels):
        span_x, span_y = image.tile_width << level, image.tile_height << level
        if region.x % span_x or region.y % span_y:
            continue
        column, row = region.x // span_x, region.y // span_y
        if (region.width, region.height) != (
            min(span_x, image.width - region.x),
            min(span_y, image.height - region.y),
        ):
            continue
        stored = (
            min(image.tile_width, level_width - column * image.tile_width),
            min(image.tile_height, level_height - row * image.tile_height),
        )
        if stored == (request.width, request.height):
            return TilePosition(level, column, row)
    return None
