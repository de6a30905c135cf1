"""Tiles: which a view touches, and under what address; what OpenSeadragon itself asks for stands in
tests/integration/loadtest."""

from itertools import product

import pytest

from loadtest.workload.catalogue import Image
from loadtest.workload.tiles import (
    GridTile,
    VisibleArea,
    overview_level,
    places_for,
    places_in,
    sharpest_level,
    tile_grid,
    tile_target,
)

FULL = VisibleArea(0, 0, 7300, 4100, 1.0)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("size", [(7300, 4100), (1043, 787), (513, 2049), (256, 256), (1, 3000)])
def test_the_tiles_of_a_level_cover_it_once(size: tuple[int, int], version: int) -> None:
    image = Image("x", *size, version=version)
    for level, (width, height) in enumerate(image.levels):
        columns, rows = tile_grid(image, level)
        tiles = [
            tile_target(image, GridTile(level, *at)) for at in product(range(columns), range(rows))
        ]
        assert sum(target.width * target.height for target in tiles) == width * height
        areas = [target.region[2] * target.region[3] for target in tiles]
        assert sum(areas) == image.width * image.height


def test_the_last_row_of_a_level_that_is_rounded_up_is_asked_for() -> None:
    """4100 halved four times and rounded up is 257: a row of one pixel."""
    target = tile_target(Image("x", 7300, 4100), GridTile(4, 0, 1))
    assert target.path == "/iiif/3/x/0,4096,4096,4/256,1/0/default.jpg"


@pytest.mark.parametrize(
    ("version", "size", "path"),
    [
        (3, (300, 200), "full/150,100"),
        (2, (300, 200), "full/150,"),
        (3, (200, 100), "full/max"),
        (2, (200, 100), "full/full"),
    ],
)
def test_a_whole_image_in_one_tile_is_asked_for_as_full(
    version: int, size: tuple[int, int], path: str
) -> None:
    image = Image("x", *size, version=version)
    level = overview_level(image)
    assert (
        tile_target(image, GridTile(level, 0, 0)).path == f"/iiif/{version}/x/{path}/0/default.jpg"
    )


def test_tiles_have_the_size_that_the_server_announces() -> None:
    image = Image("x", 5000, 5000, tile_width=512, tile_height=1024)
    assert image.grids[0] == (10, 5)
    target = tile_target(image, GridTile(1, 1, 1))
    assert target.path == "/iiif/3/x/1024,2048,1024,2048/512,1024/0/default.jpg"


@pytest.mark.parametrize(
    ("scale", "level"),
    [(2.0, 0), (1.0, 0), (0.5, 0), (0.499, 1), (0.25, 1), (0.2, 2), (0.001, 5)],
)
def test_a_level_is_never_shown_below_half_its_pixels(scale: float, level: int) -> None:
    assert sharpest_level(Image("x", 7300, 4100), scale) == level


def test_a_view_touches_the_tiles_under_it() -> None:
    image = Image("x", 7300, 4100)
    places = places_in(image, 0, VisibleArea(200, 500, 400, 100, 1.0))
    assert places == [(0, column, row) for row in (1, 2) for column in (0, 1, 2)]


def test_a_view_beyond_the_edges_touches_what_there_is() -> None:
    image = Image("x", 7300, 4100)
    everything = places_in(image, 3, VisibleArea(-1000, -1000, 9999, 9999, 0.1))
    assert len(everything) == tile_grid(image, 3)[0] * tile_grid(image, 3)[1]


def test_the_overview_comes_first_and_the_sharpest_level_last() -> None:
    levels = [place.level for place in places_for(Image("x", 7300, 4100), FULL)]
    assert levels == sorted(levels, reverse=True)
    assert (levels[0], levels[-1]) == (5, 0)


def test_tiles_next_to_the_middle_come_first() -> None:
    image = Image("x", 4096, 4096)
    places = places_for(image, VisibleArea(0, 0, 4096, 4096, 1.0), {(4, 0, 0)})
    sharpest = [place for place in places if place.level == 0]
    assert {tuple(place[1:]) for place in sharpest[:4]} == {(7, 7), (7, 8), (8, 7), (8, 8)}
    assert {tuple(place[1:]) for place in sharpest[-4:]} == {(0, 0), (0, 15), (15, 0), (15, 15)}
