"""The lists of requests are what they say, and the same every time."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from loadtest.corpora.access_masters import Master
from loadtest.studies.delivery.delivery_requests import (
    TilePlace,
    distinct_view_mix,
    edge_tiles,
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


def test_edge_tiles_are_the_last_column_and_row_of_levels_with_several_tiles() -> None:
    tiles = edge_tiles(CEIL)
    assert {tile.level for tile in tiles} == {0, 1, 2, 3}
    assert len([tile for tile in tiles if tile.level == 0]) == 12 + 9 - 1
    assert all(tile.width < 256 or tile.height < 256 for tile in tiles)


def test_no_edge_tile_is_asked_for_that_a_rounded_level_does_not_store() -> None:
    for tile in edge_tiles(FLOOR):
        scale = 1 << tile.level
        x, y = tile.column * 256 * scale, tile.row * 256 * scale
        assert tile.width == min(256, -(-(FLOOR.width - x) // scale))
        assert tile.height == min(256, -(-(FLOOR.height - y) // scale))


def test_the_view_mix_has_the_stated_proportions() -> None:
    counts = Counter(ask.kind for ask in view_mix([CEIL, FLOOR], 3))
    assert counts == {"tile": 240, "!128": 36, "!1024": 12, "!3000": 3, "info.json": 9}


def test_the_mix_over_a_collection_has_the_same_proportions_and_no_address_twice() -> None:
    many = [replace(CEIL, path=Path(f"{number}.tif")) for number in range(40)]
    targets = distinct_view_mix(many, 2)
    counts = Counter(target.kind for target in targets)
    assert counts == {"tile": 160, "!128": 24, "!1024": 8, "!3000": 2, "info.json": 6}
    assert len({target.path for target in targets}) == 200


def test_lists_are_the_same_every_time() -> None:
    assert view_mix([CEIL], 2) == view_mix([CEIL], 2)
    assert interior_tiles(CEIL, 50) == interior_tiles(CEIL, 50)


@pytest.mark.parametrize("version", VERSIONS.values())
def test_every_address_is_valid_in_both_versions(version: Version) -> None:
    paths = [ask.path for ask in view_mix([CEIL, FLOOR], 2) if ask.kind != "info.json"]
    for path in paths:
        assert parse_image_request(tuple(path.split("/")[4:]), version)
