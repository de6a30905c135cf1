"""Lists of addresses to ask for, the same for every server of a run. All random, all seeded."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadtest.corpora.access_masters import Master
from loadtest.rigs.rivals import PREFIX

TILE = 256
_SEED = 4


@dataclass(frozen=True)
class Ask:
    """One request. `kind` is the class it is counted in."""

    kind: str
    path: str


@dataclass(frozen=True)
class TilePlace:
    """A tile of a pyramid, and the pixels of it that are picture."""

    level: int
    column: int
    row: int
    width: int
    height: int


def image_path(master: Master, region: str, size: str) -> str:
    """The address of an image, version 2.1, since the rivals know no other."""
    return f"/{PREFIX}/{master.name}/{region}/{size}/0/default.jpg"


def info_path(master: Master) -> str:
    """The address of the image information."""
    return f"/{PREFIX}/{master.name}/info.json"


def tile_path(master: Master, tile: TilePlace) -> str:
    """The address that a viewer asks a tile under: the region in full-resolution pixels."""
    span = TILE << tile.level
    x, y = tile.column * span, tile.row * span
    width, height = min(span, master.width - x), min(span, master.height - y)
    return image_path(master, f"{x},{y},{width},{height}", f"{tile.width},{tile.height}")


def tiles_of(master: Master) -> Iterator[TilePlace]:
    """Every tile of every level."""
    for level, (width, height) in enumerate(master.levels):
        for row in range(-(-height // TILE)):
            for column in range(-(-width // TILE)):
                yield TilePlace(
                    level,
                    column,
                    row,
                    min(TILE, width - column * TILE),
                    min(TILE, height - row * TILE),
                )


def interior_tiles(master: Master, count: int) -> list[TilePlace]:
    """`count` whole tiles, as many from each scale factor; small levels repeat theirs."""
    whole = [tile for tile in tiles_of(master) if tile.width == tile.height == TILE]
    levels = sorted({tile.level for tile in whole})
    chance = random.Random(_SEED)
    stacks = {level: [tile for tile in whole if tile.level == level] for level in levels}
    chosen = [chance.choice(stacks[levels[number % len(levels)]]) for number in range(count)]
    chance.shuffle(chosen)
    return chosen


def edge_tiles(master: Master) -> list[TilePlace]:
    """Every right and bottom tile that the image ends in, but where a level is one tile.

    Only those which full resolution divided by the scale factor and rounded up names, too: where
    a level was rounded down, a viewer asks for a pixel more than is stored.
    """
    return [
        tile
        for tile in tiles_of(master)
        if (tile.width < TILE or tile.height < TILE)
        and max(master.levels[tile.level]) > TILE
        and (tile.width, tile.height) == _asked_size(master, tile)
    ]


def _asked_size(master: Master, tile: TilePlace) -> tuple[int, int]:
    scale = 1 << tile.level
    level_width, level_height = -(-master.width // scale), -(-master.height // scale)
    return (
        min(TILE, level_width - tile.column * TILE),
        min(TILE, level_height - tile.row * TILE),
    )


def view_mix(masters: Sequence[Master], decks: int) -> list[Ask]:
    """What viewers and pages ask for: per deck of 100 requests 80 tiles of all scale factors,
    12 thumbnails, 4 of 1024 and 1 of 3000 pixels, 3 times the image information; shuffled.
    """
    chance = random.Random(_SEED)
    tiles = {master.name: interior_tiles(master, 2_000) for master in masters}
    asks: list[Ask] = []
    for _ in range(decks):
        deck = [Ask("tile", _some_tile(chance, masters, tiles)) for _ in range(80)]
        for kind, side, count in (("!128", 128, 12), ("!1024", 1024, 4), ("!3000", 3000, 1)):
            deck += [
                Ask(kind, image_path(chance.choice(masters), "full", f"!{side},{side}"))
                for _ in range(count)
            ]
        deck += [Ask("info.json", info_path(chance.choice(masters))) for _ in range(3)]
        chance.shuffle(deck)
        asks += deck
    return asks


def _some_tile(
    chance: random.Random, masters: Sequence[Master], tiles: dict[str, list[TilePlace]]
) -> str:
    master = chance.choice(masters)
    return tile_path(master, chance.choice(tiles[master.name]))


def unaligned_regions(master: Master, count: int) -> list[str]:
    """Regions of 2000 pixels square, anywhere, to be shown in 500."""
    chance = random.Random(_SEED)
    paths = []
    for _ in range(count):
        x, y = chance.randrange(master.width - 2000), chance.randrange(master.height - 2000)
        paths.append(image_path(master, f"{x},{y},2000,2000", "500,500"))
    return paths
