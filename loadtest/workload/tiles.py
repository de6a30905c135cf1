"""Tiles as OpenSeadragon 6.1 requests them: which, in what order, under what address.

Sources: its IIIFTileSource.getTileUrl and TiledImage._updateLevelsForViewport. Level sizes are the
image information's where it lists them, else rounded up.
"""

from collections.abc import Callable, Set
from math import floor, log2
from typing import NamedTuple

from loadtest.workload.catalogue import Image
from loadtest.workload.target import TILE, Target

MINIMUM_PIXEL_RATIO = 0.5
"""OpenSeadragon's `minPixelRatio`: no level is shown smaller than this on the screen."""


class GridTile(NamedTuple):
    """A tile's place: `level` counts from full resolution (0) down."""

    level: int
    column: int
    row: int


class VisibleArea(NamedTuple):
    """The visible part: a rectangle in pixels of full resolution, perhaps beyond the image's
    edges, and how many pixels of the screen each of its pixels takes."""

    x: float
    y: float
    width: float
    height: float
    scale: float


def tile_target(image: Image, place: GridTile, kind: str = TILE) -> Target:
    """Return the target of an existing tile: tiles that are cut off at the right or the bottom are
    requested in the size that is left."""
    level, column, row = place
    width, height = image.width, image.height
    across, down = image.tile_width, image.tile_height
    level_width, level_height = image.levels[level]
    left, top = column * across, row * down
    x, y = left << level, top << level
    if left + across < level_width and top + down < level_height:  # not cut off, as most
        out_width, out_height = across, down
        region_width, region_height = across << level, down << level
    else:
        out_width, out_height = min(across, level_width - left), min(down, level_height - top)
        region_width = min(across << level, width - x)
        region_height = min(down << level, height - y)
    if region_width == width and region_height == height:
        region = "full"
    else:
        region = f"{x},{y},{region_width},{region_height}"
    size = f"{out_width},{out_height}"
    if image.version == 3:
        if out_width == width and out_height == height:
            size = "max"
    elif out_width == width:
        size = "full"
    elif level_width < across and level_height < down:
        size = f"{out_width},"
    return Target(
        kind,
        f"{image.base}/{region}/{size}/0/default.jpg",
        image,
        (x, y, region_width, region_height),
        out_width,
        out_height,
        # `w,` leaves the height to the server, which may round otherwise.
        not size.endswith(","),
    )


def tile_grid(image: Image, level: int) -> tuple[int, int]:
    """Columns and rows of a level."""
    return image.grids[level]


def overview_level(image: Image) -> int:
    """Return the largest level that is one tile, else the smallest level: what is shown first."""
    last = len(image.levels) - 1
    single = [level for level in range(last) if tile_grid(image, level) == (1, 1)]
    return single[0] if single else last


def sharpest_level(image: Image, scale: float) -> int:
    """Return the level that is sharp enough when an image's pixel takes `scale` on the screen."""
    level = -floor(log2(scale / MINIMUM_PIXEL_RATIO))
    return min(max(level, 0), len(image.levels) - 1)


def places_in(
    image: Image, level: int, view: VisibleArea, seen: Set[tuple[int, int, int]] = frozenset()
) -> list[GridTile]:
    """Return the tiles of a level that the view touches and that are not `seen`, row by row."""
    across, down = image.tile_width << level, image.tile_height << level
    columns, rows = tile_grid(image, level)
    left, top = max(0.0, view.x), max(0.0, view.y)
    right, bottom = view.x + view.width, view.y + view.height
    if right < 0 or bottom < 0 or left > image.width or top > image.height:
        return []
    last_column = columns - 1 if right >= image.width else min(int(right // across), columns - 1)
    last_row = rows - 1 if bottom >= image.height else min(int(bottom // down), rows - 1)
    shown = range(min(int(left // across), columns - 1), last_column + 1)
    return [
        GridTile(level, column, row)
        for row in range(min(int(top // down), rows - 1), last_row + 1)
        for column in shown
        if (level, column, row) not in seen
    ]


def places_for(
    image: Image, view: VisibleArea, seen: Set[tuple[int, int, int]] = frozenset()
) -> list[GridTile]:
    """Return the tiles that OpenSeadragon loads for a view when it has `seen`: the overview, then
    sharper and sharper; within a level those next to the middle of the view first.
    """
    sharpest = sharpest_level(image, view.scale)
    places: list[GridTile] = []
    for level in range(max(overview_level(image), sharpest), sharpest - 1, -1):
        missing = places_in(image, level, view, seen)
        if len(missing) > 1:
            missing.sort(key=_distance_in(image, level, view))
        places += missing
    return places


def _distance_in(image: Image, level: int, view: VisibleArea) -> Callable[[GridTile], float]:
    """Squared, from the view's middle to that of what a tile has of the picture, in pixels."""
    x, y = view.x + view.width / 2, view.y + view.height / 2
    across, down = image.tile_width << level, image.tile_height << level
    columns, rows = tile_grid(image, level)
    # Only the last column and row are cut off.
    last_column, last_x = columns - 1, ((columns - 1) * across + image.width) / 2 - x
    last_row, last_y = rows - 1, ((rows - 1) * down + image.height) / 2 - y

    def distance(place: GridTile) -> float:
        _, column, row = place
        dx = last_x if column == last_column else (column + 0.5) * across - x
        dy = last_y if row == last_row else (row + 0.5) * down - y
        return dx * dx + dy * dy

    return distance
