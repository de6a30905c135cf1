"""Which tile of an image a tile's address names: integers only, once its shape is known."""

from dataclasses import dataclass
from typing import NamedTuple

from vitrine.deliver.tiles.address import TileAddress
from vitrine.deliver.tiles.position import TilePosition
from vitrine.errors import InvalidRequest
from vitrine.iiif.region import PixelRegion
from vitrine.iiif.request import ImageRequest, resolve
from vitrine.iiif.rotation import Rotation
from vitrine.iiif.size import Exact, Limits, Size
from vitrine.iiif.version import Version
from vitrine.records import Live

GRIDS = 2048
"""Number of images whose grids are remembered, some 10 KiB each."""

_UNTURNED = Rotation(0, mirrored=False)


class StoredTile(NamedTuple):
    """A stored tile that is exactly what was asked for."""

    position: TilePosition
    canonical: str
    """As `ResolvedRequest.canonical`."""


@dataclass(frozen=True, slots=True)
class _Level:
    number: int
    span_x: int
    """Pixels of full resolution that a tile is wide."""
    span_y: int
    width: int
    height: int


class TileGrid:
    """The tiles of one image, under the server's limits."""

    __slots__ = ("_by_span", "_levels", "_limits", "_sizes", "image")

    def __init__(self, image: Live, limits: Limits) -> None:
        self.image = image
        self._limits = limits
        self._levels = tuple(
            _Level(number, image.tile_width << number, image.tile_height << number, *size)
            for number, size in enumerate(image.levels)
        )
        self._by_span = {level.span_x: level for level in self._levels}
        # Of each shape that the tiles of a level have: four at most, asked for in three ways.
        self._sizes: dict[tuple[int, ...], str] = {}

    def locate(self, asked: TileAddress) -> StoredTile | None:
        """The stored tile that is exactly what is asked for, or None: ask `decide`."""
        image = self.image
        width = min(asked.width, image.width - asked.x)
        height = min(asked.height, image.height - asked.y)
        if width < 1 or height < 1:
            return None
        # Nearly all tiles are whole ones, and the width of such a one tells its level.
        likely = self._by_span.get(width)
        if likely and (found := self._locate_in(likely, asked, width, height)):
            return found
        for level in self._levels:
            if found := self._locate_in(level, asked, width, height):
                return found
        return None

    def _locate_in(
        self, level: _Level, asked: TileAddress, width: int, height: int
    ) -> StoredTile | None:
        image, version, x, y = self.image, asked.version, asked.x, asked.y
        column, beside = divmod(x, level.span_x)
        row, below = divmod(y, level.span_y)
        if (
            beside
            or below
            or width != min(level.span_x, image.width - x)
            or height != min(level.span_y, image.height - y)
        ):
            return None
        stored_width = min(image.tile_width, level.width - column * image.tile_width)
        stored_height = min(image.tile_height, level.height - row * image.tile_height)
        asked_width, asked_height = asked.size_width, asked.size_height
        if (asked_width and asked_width != stored_width) or (
            asked_height and asked_height != stored_height
        ):
            return None
        shape = (
            version.number,
            width,
            height,
            asked_width,
            asked_height,
            stored_width,
            stored_height,
        )
        size = self._sizes.get(shape)
        if size is None:
            size = self._sizes[shape] = self._canonical_size(version, *shape[1:])
        if not size:
            return None
        whole = width == image.width and height == image.height
        region = "full" if whole else f"{x},{y},{width},{height}"
        return StoredTile(TilePosition(level.number, column, row), f"{region}/{size}/0/default.jpg")

    def _canonical_size(
        self,
        version: Version,
        width: int,
        height: int,
        asked_width: int,
        asked_height: int,
        stored_width: int,
        stored_height: int,
    ) -> str:
        """What `resolve` says; "" where the result is another than what is stored.

        The size's canonical form does not depend on where the region is.
        """
        request = ImageRequest(
            version=version,
            region=PixelRegion(0, 0, width, height),
            size=Size(Exact(asked_width or None, asked_height or None)),
            rotation=_UNTURNED,
            quality="default",
            format="jpg",
        )
        try:
            resolved = resolve(request, self.image.width, self.image.height, self._limits)
        except InvalidRequest:
            return ""
        if (resolved.width, resolved.height) != (stored_width, stored_height):
            return ""
        return resolved.canonical.split("/")[1]


class TileGrids:
    """The grids of the images asked for last."""

    def __init__(self, limits: Limits, capacity: int = GRIDS) -> None:
        self._limits = limits
        self._capacity = capacity
        self._grids: dict[str, TileGrid] = {}

    def of(self, image: Live) -> TileGrid:
        """The grid of an image."""
        grid = self._grids.get(image.identifier)
        if grid is None or (grid.image is not image and grid.image != image):
            if len(self._grids) >= self._capacity:
                self._grids.clear()  # cheap to make again, and seldom
            grid = self._grids[image.identifier] = TileGrid(image, self._limits)
        grid.image = image
        return grid
