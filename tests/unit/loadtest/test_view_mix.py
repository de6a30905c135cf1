"""The lists of requests are what they say, and the same every time."""

from collections import Counter
from pathlib import Path

import pytest

from loadtest.corpora.access_masters import Master
from loadtest.studies.view_mix import (
    TilePlace,
    interior_tiles,
    tile_path,
    view_mix,
)
from vitrine.iiif.request import parse_image_request
from vitrine.iiif.version import VERSIONS, Version

CEIL = Master(
    path=Path("ceil.tif"), levels=((3001, 2049), (1501, 1025), (751, 513), (376, 257), (188, 129))
)
FLOOR = Master(
    path=Path("floor.tif"), levels=((3001, 2049), (1500, 1024), (750, 512), (375, 256), (187, 128))
)


def test_interior_tiles_are_whole_and_of_every_scale_factor() -> None:
    tiles = interior_tiles(CEIL, 400)
    assert {(tile.width, tile.height) for tile in tiles} == {(256, 256)}
    assert Counter(tile.level for tile in tiles) == {0: 100, 1: 100, 2: 100, 3: 100}


def test_a_tile_is_asked_for_in_pixels_of_full_resolution() -> None:
    assert tile_path(CEIL, TilePlace(0, 11, 8, 185, 1)) == (
        "/iiif/2/ceil.tif/2816,2048,185,1/185,1/0/default.jpg"
    )
    assert tile_path(CEIL, TilePlace(1, 0, 4, 256, 1)) == (
        "/iiif/2/ceil.tif/0,2048,512,1/256,1/0/default.jpg"
    )


def test_the_view_mix_has_the_stated_proportions() -> None:
    counts = Counter(ask.kind for ask in view_mix([CEIL, FLOOR], 3))
    assert counts == {"tile": 240, "!128": 36, "!1024": 12, "!3000": 3, "info.json": 9}


def test_lists_are_the_same_every_time() -> None:
    assert view_mix([CEIL], 2) == view_mix([CEIL], 2)
    assert interior_tiles(CEIL, 50) == interior_tiles(CEIL, 50)


@pytest.mark.parametrize("version", VERSIONS.values())
def test_every_address_is_valid_in_both_versions(version: Version) -> None:
    paths = [ask.path for ask in view_mix([CEIL, FLOOR], 2) if ask.kind != "info.json"]
    for path in paths:
        assert parse_image_request(tuple(path.split("/")[4:]), version)
