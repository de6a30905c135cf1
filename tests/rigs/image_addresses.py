"""The requested addresses: tiles as a viewer writes them, and thumbnails."""

import random

from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.records import Live

THUMBNAIL = "full/!128,128/0/default.jpg"


def address(image: Live, parameters: str) -> str:
    """Return the path of a request of the newest API."""
    return f"{image_path(NEWEST, image.identifier)}/{parameters}"


def tile(image: Live, level: int, column: int, row: int) -> str:
    """Parameters of the tile at this place of the grid; level 0 is full resolution."""
    scale = 1 << level
    side_x, side_y = image.tile_width * scale, image.tile_height * scale
    x, y = column * side_x, row * side_y
    width, height = min(side_x, image.width - x), min(side_y, image.height - y)
    size = f"{-(-width // scale)},{-(-height // scale)}"
    return f"{x},{y},{width},{height}/{size}/0/default.jpg"


def random_tiles(image: Live, count: int, seed: int) -> list[str]:
    """Half of them any tile of the pyramid, half any tile of any level: small levels count as well.

    Deterministic. Only tiles that are stored as a viewer requests them: where a level was rounded
    down, its last column and row are not.
    """
    chance = random.Random(seed)
    grids = [
        (-(-width // image.tile_width), -(-height // image.tile_height))
        for width, height in image.levels
    ]
    by_tiles = [columns * rows for columns, rows in grids]
    found: list[str] = []
    while len(found) < count:
        weights = by_tiles if len(found) % 2 else [1] * len(grids)
        level = chance.choices(range(len(grids)), weights)[0]
        column, row = (chance.randrange(tiles) for tiles in grids[level])
        if _is_stored(image, level, column, row):
            found.append(tile(image, level, column, row))
    return found


def _is_stored(image: Live, level: int, column: int, row: int) -> bool:
    full, stored = (image.width, image.height), image.levels[level]
    tiles, sides = (column, row), (image.tile_width, image.tile_height)
    return all(
        number < length // side or length == -(-whole // (1 << level))
        for whole, length, number, side in zip(full, stored, tiles, sides, strict=True)
    )
