"""Lists of addresses to request, the same for every server of a run. All random, all seeded."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadtest.corpora.access_masters import Master
from loadtest.servers.rivals import PREFIX
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
