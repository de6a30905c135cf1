"""The tile of an image that a tile's address names, by integers only once its shape is known."""

from dataclasses import dataclass
from typing import NamedTuple

from vitrine.deliver.tiles.address import TileAddress
from vitrine.deliver.tiles.position import TilePosition
from vitrine.errors import InvalidRequest
from vitrine.iiif.region import PixelRegion
from vitrine.iiif.request import ImageRequest, resolve
from vitrine.iiif.rotation import Rotation
from vitrine.iiif.size import Exact, Limits, Size
from vitrine.records import Live

GRIDS = 2048
"""Number of images whose grids are kept, about 10 KiB each."""

_UNTURNED = Rotation(0, mirrored=False)


class StoredTile(NamedTuple):
    """A stored tile that is exactly what was requested."""

    position: TilePosition
    canonical: str
    """The same as `ResolvedRequest.canonical`."""


@dataclass(frozen=True, slots=True)
class _Level:
    number: int
    span_x: int
    """Width of a tile in pixels of full resolution."""
    span_y: int
    width: int
    height: int


class TileGrid:
    """The tiles of one image, within the server's limits."""

    __slots__ = ("_by_span", "_levels", "_limits", "_sizes", "image")

    def __init__(self, image: Live, limits: Limits) -> None:
        self.image = image
        self._limits = limits
        self._levels = tuple(
            _Level(number, image.tile_width << number, image.tile_height << number, *size)
            for number, size in enumerate(image.levels)
        )
        self._by_span = {level.span_x: level for level in self._levels}
        # One size for each shape of a level's tiles: at most four, requested in three ways, and
        # a few more along the edges.
        self._sizes: dict[tuple[int, ...], str] = {}

    def locate(self, address: TileAddress) -> StoredTile | None:
        """Return the stored tile that is exactly what is requested, or None: `decide_answer`."""
        image = self.image
        width = min(address.width, image.width - address.x)
        height = min(address.height, image.height - address.y)
        if width < 1 or height < 1:
            return None
        # Nearly all tiles are whole, and the width of a whole tile determines its level.
        likely = self._by_span.get(width)
        if likely and (tile := self._locate_in(likely, address, width, height)):
            return tile
        for level in self._levels:
            if tile := self._locate_in(level, address, width, height):
                return tile
        return None

    def _locate_in(
        self, level: _Level, address: TileAddress, width: int, height: int
    ) -> StoredTile | None:
        image, version, x, y = self.image, address.version, address.x, address.y
        column, rest_x = divmod(x, level.span_x)
        row, rest_y = divmod(y, level.span_y)
        if (
            rest_x
            or rest_y
            or width != min(level.span_x, image.width - x)
            or height != min(level.span_y, image.height - y)
        ):
            return None
        stored_width = min(image.tile_width, level.width - column * image.tile_width)
        stored_height = min(image.tile_height, level.height - row * image.tile_height)
        size_width, size_height = address.size_width, address.size_height
        if (size_width and size_width != stored_width) or (
            size_height and size_height != stored_height
        ):
            return None
        shape = (
            version.number,
            width,
            height,
            size_width,
            size_height,
            stored_width,
            stored_height,
            # Of a cut tile, one side may fit several levels.
            0 if size_width and size_height else self._edge_number(x, y, width, height),
        )
        size = self._sizes.get(shape)
        if size is None:
            size = self._sizes[shape] = self._canonical_size(
                address, width, height, stored_width, stored_height
            )
        if not size:
            return None
        whole = width == image.width and height == image.height
        region = "full" if whole else f"{x},{y},{width},{height}"
        return StoredTile(TilePosition(level.number, column, row), f"{region}/{size}/0/default.jpg")

    def _edge_number(self, x: int, y: int, width: int, height: int) -> int:
        """Return a number that is the same for regions of one size that fit the same levels."""
        image = self.image
        at_right, at_bottom = x + width == image.width, y + height == image.height
        if not (at_right or at_bottom):
            return 0
        column_or_row = x // image.tile_width | y // image.tile_height
        deepest = (column_or_row & -column_or_row).bit_length()
        return deepest << 2 | at_right << 1 | at_bottom

    def _canonical_size(
        self,
        address: TileAddress,
        width: int,
        height: int,
        stored_width: int,
        stored_height: int,
    ) -> str:
        """Return the canonical size as `resolve` does; "" if the result differs from the tile."""
        request = ImageRequest(
            version=address.version,
            region=PixelRegion(address.x, address.y, width, height),
            size=Size(Exact(address.size_width or None, address.size_height or None)),
            rotation=_UNTURNED,
            quality="default",
            format="jpg",
        )
        try:
            image = self.image
            resolved = resolve(request, image.width, image.height, self._limits, image)
        except InvalidRequest:
            return ""
        if (resolved.width, resolved.height) != (stored_width, stored_height):
            return ""
        return resolved.canonical.split("/")[1]


class TileGrids:
    """The grids of recently requested images."""

    def __init__(self, limits: Limits, capacity: int = GRIDS) -> None:
        self._limits = limits
        self._capacity = capacity
        self._grids: dict[str, TileGrid] = {}

    def of(self, image: Live) -> TileGrid:
        """Return the grid of an image."""
        grid = self._grids.get(image.identifier)
        if grid is None or (grid.image is not image and grid.image != image):
            if len(self._grids) >= self._capacity:
                self._grids.clear()  # rare, and cheap to make again
            grid = self._grids[image.identifier] = TileGrid(image, self._limits)
        grid.image = image
        return grid
