"""Lists of addresses to request, the same for every server of a run. All random, all seeded."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadtest.corpora.access_masters import Master
from loadtest.rigs.rivals import PREFIX
from loadtest.workload.target import Target

TILE = 256
_SEED = 4


@dataclass(frozen=True)
class TilePlace:
    """A tile of a pyramid, and the pixels of it that are picture."""

    level: int
    column: int
    row: int
    width: int
    height: int


def image_path(master: Master, region: str, size: str) -> str:
    """Return the address of an image in version 2.1, the only one that the rivals know."""
    return f"/{PREFIX}/{master.name}/{region}/{size}/0/default.jpg"


def info_path(master: Master) -> str:
    """Return the address of the image information."""
    return f"/{PREFIX}/{master.name}/info.json"


def tile_path(master: Master, tile: TilePlace) -> str:
    """Return the address a viewer uses for a tile: the region in full-resolution pixels."""
    span = TILE << tile.level
    x, y = tile.column * span, tile.row * span
    width, height = min(span, master.width - x), min(span, master.height - y)
    return image_path(master, f"{x},{y},{width},{height}", f"{tile.width},{tile.height}")


def tiles_of(master: Master) -> Iterator[TilePlace]:
    """Yield every tile of every level."""
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
    """Return `count` whole tiles, equally many of each scale factor; small levels repeat theirs."""
    whole = [tile for tile in tiles_of(master) if tile.width == tile.height == TILE]
    levels = sorted({tile.level for tile in whole})
    rng = random.Random(_SEED)
    stacks = {level: [tile for tile in whole if tile.level == level] for level in levels}
    chosen = [rng.choice(stacks[levels[number % len(levels)]]) for number in range(count)]
    rng.shuffle(chosen)
    return chosen


def different_tiles(master: Master, count: int) -> list[TilePlace]:
    """Return `count` whole tiles of any level, none twice; fewer if there are not so many."""
    whole = [tile for tile in tiles_of(master) if tile.width == tile.height == TILE]
    return random.Random(_SEED).sample(whole, min(count, len(whole)))


def edge_tiles(master: Master) -> list[TilePlace]:
    """Return every right and bottom tile of the levels that have more than one tile.

    Left out are tiles whose size is not full resolution divided by the scale factor, rounded up:
    where a level was rounded down, a viewer requests a pixel more than is stored.
    """
    return [
        tile
        for tile in tiles_of(master)
        if (tile.width < TILE or tile.height < TILE)
        and max(master.levels[tile.level]) > TILE
        and (tile.width, tile.height) == _requested_size(master, tile)
    ]


def _requested_size(master: Master, tile: TilePlace) -> tuple[int, int]:
    scale = 1 << tile.level
    level_width, level_height = -(-master.width // scale), -(-master.height // scale)
    return (
        min(TILE, level_width - tile.column * TILE),
        min(TILE, level_height - tile.row * TILE),
    )


def view_mix(masters: Sequence[Master], decks: int) -> list[Target]:
    """Return what viewers and pages request: in each deck of 100 requests 80 tiles of all scale
    factors, 12 thumbnails, 4 of 1024 and 1 of 3000 pixels, 3 times the image information; shuffled.
    """
    rng = random.Random(_SEED)
    draw = _Deck(rng, masters)
    targets: list[Target] = []
    for _ in range(decks):
        deck = [draw(kind) for kind, count in _DECK.items() for _ in range(count)]
        rng.shuffle(deck)
        targets += deck
    return targets


def distinct_view_mix(masters: Sequence[Master], decks: int) -> list[Target]:
    """Return the same mix without any address twice."""
    rng = random.Random(_SEED)
    draw, seen = _Deck(rng, masters), set[str]()
    targets: list[Target] = []
    for kind, count in _DECK.items():
        target_count = len(targets) + count * decks
        while len(targets) < target_count:
            target = draw(kind)
            if target.path not in seen:
                seen.add(target.path)
                targets.append(target)
    rng.shuffle(targets)
    return targets


_DECK = {"tile": 80, "!128": 12, "!1024": 4, "!3000": 1, "info.json": 3}
"""Requests of each kind in a deck of 100."""


class _Deck:
    """Draws requests of a kind from any of the masters."""

    def __init__(self, rng: random.Random, masters: Sequence[Master]) -> None:
        self._rng, self._masters = rng, masters
        self._tiles = {master.name: interior_tiles(master, 2_000) for master in masters}

    def __call__(self, kind: str) -> Target:
        master = self._rng.choice(self._masters)
        if kind == "tile":
            return Target(kind, tile_path(master, self._rng.choice(self._tiles[master.name])))
        if kind == "info.json":
            return Target(kind, info_path(master))
        return Target(kind, image_path(master, "full", f"!{kind[1:]},{kind[1:]}"))
