"""The quick way to a tile answers as the general one does, or not at all."""

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.decide import decide_answer, decide_without_record
from vitrine.deliver.answer.tile import Tile
from vitrine.deliver.http.path_rules import check_path
from vitrine.deliver.tiles.address import parse_information_address, parse_tile_address
from vitrine.deliver.tiles.grid import StoredTile, TileGrid, TileGrids
from vitrine.errors import RequestError
from vitrine.identify.resolve import Serve
from vitrine.iiif.address import parse_address
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import VERSIONS
from vitrine.records import Live

LIMITS = Limits(area=25_000_000)


def rounded_up(width: int, height: int, tile: int = 256, **changes: Any) -> Live:
    """An image as our own writer stores it."""
    sizes = [(width, height)]
    while max(sizes[-1]) > tile:
        sizes.append((-(-sizes[-1][0] // 2), -(-sizes[-1][1] // 2)))
    fields = {"levels": tuple(sizes), "tile_width": tile, "tile_height": tile}
    return live(width=width, height=height, **{**fields, **changes})


def generally(path: str, image: Live, limits: Limits) -> tuple[str, StoredTile] | None:
    """Identifier and tile, by the general way."""
    try:
        check_path(path)
        address = parse_address(path)
    except RequestError:
        return None
    if address is None or decide_without_record(address):
        return None
    answer = decide_answer(address, Serve(image), limits)
    if not isinstance(answer, Tile):
        return None
    return address.identifier, StoredTile(answer.position, answer.resolved.canonical)


def quickly(path: str, grid: TileGrid) -> tuple[str, StoredTile] | None:
    """Identifier and tile, by the quick way."""
    address = parse_tile_address(path)
    tile = grid.locate(address) if address else None
    return (address.identifier, tile) if address and tile else None


def openseadragon(image: Live) -> list[str]:
    """Every tile of an image as OpenSeadragon 4 asks for it, version 3 and version 2."""
    paths = []
    for level in range(len(image.levels)):
        scale = 1 << level
        span = image.tile_width * scale
        level_width, level_height = -(-image.width // scale), -(-image.height // scale)
        for y in range(0, image.height, span):
            for x in range(0, image.width, span):
                width, height = min(span, image.width - x), min(span, image.height - y)
                out_width = min(image.tile_width, level_width - x // scale)
                out_height = min(image.tile_width, level_height - y // scale)
                whole = (width, height) == (image.width, image.height)
                region = "full" if whole else f"{x},{y},{width},{height}"
                paths += [
                    f"/iiif/3/a/{region}/{out_width},{out_height}/0/default.jpg",
                    f"/iiif/2/a/{region}/{out_width},/0/default.jpg",
                ]
    return paths


@pytest.mark.parametrize(
    ("width", "height"), [(1300, 1000), (1024, 512), (4097, 2049), (256, 256), (90, 700), (1, 1)]
)
def test_every_tile_that_a_viewer_asks_for_is_recognised(width: int, height: int) -> None:
    for image in (rounded_up(width, height), rounded_up(width, height, 512)):
        grid = TileGrid(image, LIMITS)
        for path in openseadragon(image):
            expected = generally(path, image, LIMITS)
            assert quickly(path, grid) == expected, path
            assert expected, path


def leaflet(image: Live) -> list[str]:
    """Every tile of an image as Leaflet-IIIF asks for it of version 2: `w,`, rounded up."""
    return [path for path in openseadragon(image) if path.startswith("/iiif/2/")]


@pytest.mark.parametrize(("width", "height"), [(3001, 2003), (7301, 4099), (257, 4097)])
def test_every_edge_tile_of_version_2_is_the_stored_tile(width: int, height: int) -> None:
    """By the region's ratio, some have a row more than stored: a line through the picture."""
    image = rounded_up(width, height)
    for path in leaflet(image):
        assert generally(path, image, LIMITS), path


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 9000), st.integers(1, 9000), st.sampled_from("23"))
def test_every_size_listed_has_its_height_when_its_width_alone_is_requested(
    width: int, height: int, number: str
) -> None:
    image = rounded_up(width, height)
    version = VERSIONS[number]
    for across, down in image.levels:
        if across * down > LIMITS.area:
            continue
        for size in (f"{across},", f",{down}"):
            parsed = parse_image_request(("full", size, "0", "default.png"), version)
            got = resolve(parsed, width, height, LIMITS, image)
            assert (got.width, got.height) in image.levels


IMAGES = st.builds(
    lambda width, height, tile, down: (
        live(width=width, height=height) if down else rounded_up(width, height, tile)
    ),
    st.integers(1, 3000),
    st.integers(1, 3000),
    st.sampled_from([64, 256]),
    st.booleans(),
)
AREAS = st.sampled_from([25_000_000, 256 * 256, 256 * 256 - 1, 40_000, 1, 2000])
SIDES = st.sampled_from([65_500, 256, 255, 100])


def nearly_a_tile(image: Live, rng: random.Random) -> str:
    """A request that is often a tile, often nearly one."""

    def off(value: int, often: float = 0.1) -> int:
        return max(0, value + rng.choice((-1, 1))) if rng.random() < often else value

    level = rng.randrange(len(image.levels))
    span = image.tile_width << level
    x = rng.randrange(-(-image.width // span) + 1) * span
    y = rng.randrange(-(-image.height // span) + 1) * span
    clip = rng.random() < 0.8
    width = min(span, image.width - x) if clip else span
    height = min(span, image.height - y) if clip else span
    other = rng.choice((level, level, level, rng.randrange(len(image.levels))))
    scale = 1 << other
    out_width, out_height = off(-(-width // scale)), off(-(-height // scale))
    size = rng.choice(
        (f"{out_width},{out_height}", f"{out_width},", f",{out_height}", f"0{out_width},", "max")
    )
    region = f"{off(x)},{off(y)},{off(width)},{off(height)}"
    region = rng.choice((region, region, region, "full"))
    identifier = rng.choice(("a", "a%2Fb", "%41", "a%", "%ff", "3", "a:b"))
    ending = rng.choice(("0/default.jpg", "0/default.jpg", "0/color.jpg", "90/default.jpg"))
    version = rng.choice(("2", "3"))
    return f"/iiif/{version}/{identifier}/{region}/{size}/{ending}"


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(IMAGES, AREAS, SIDES, st.integers())
def test_the_quick_way_agrees_with_the_general_one(
    image: Live, area: int, side: int, seed: int
) -> None:
    rng = random.Random(seed)
    limits = Limits(area=area, side=side)
    grid = TileGrid(image, limits)
    for _ in range(40):
        path = nearly_a_tile(image, rng)
        found, expected = quickly(path, grid), generally(path, image, limits)
        assert found in (expected, None), path
        size = path.split("/")[5]
        if expected and size != "max" and not size.startswith("0"):
            assert found == expected, path


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40), st.text(alphabet="0123456789,/%^!.full", max_size=40))
def test_no_path_breaks_it(first: str, second: str) -> None:
    grid = TileGrid(rounded_up(1300, 1000), LIMITS)
    for path in (first, f"/iiif/3/{first}/{second}", f"/iiif/3/a/{second}/0/default.jpg"):
        found = quickly(path, grid)
        assert found in (None, generally(path, grid.image, LIMITS))


@pytest.mark.parametrize(
    "path",
    [
        "/iiif/3/a/0,0,256,256/256,256/0/default.jpg?x=1",
        "/iiif/3/a/0,0,256,256/256,256/0/default.jpg/",
        "/iiif/3/a/0,0,256,256/256,256/0/default.jpg\n",
        "/iiif/a/0,0,256,256/256,256/0/default.jpg",
        "/iiif/3/a/0,0,256,256/,/0/default.jpg",
        "/iiif/3/a/٠,0,256,256/256,256/0/default.jpg",  # noqa: RUF001
        "/iiif/3/%ff/0,0,256,256/256,256/0/default.jpg",
        "/iiif/3/a%2/0,0,256,256/256,256/0/default.jpg",
        "/iiif/3/a/info.json?x=1",
        "/iiif/3/a/info.json/",
        "/iiif/3/a/info.json\n",
        "/iiif/a/info.json",
        "/iiif/3/a/infoXjson",
        "/iiif/3/%ff/info.json",
        "/iiif/3/a/b/info.json",
        "/restricted/staff/iiif/3/a/info.json",
    ],
)
def test_the_unusual_is_left_to_the_general_way(path: str) -> None:
    assert parse_tile_address(path) is None
    assert parse_information_address(path) is None


@given(st.text(max_size=40))
@example("%61")
@example("a%2Fb")
@example("a%")
def test_image_information_found_the_quick_way_is_what_the_general_one_finds(name: str) -> None:
    path = f"/iiif/3/{name}/info.json"
    found = parse_information_address(path)
    if found is None:
        return
    check_path(path)
    address = parse_address(path)
    assert address
    assert address.is_info
    assert (found.version, found.identifier) == (address.version, address.identifier)


def test_a_grid_remembers_no_more_than_an_image_has_shapes_of_tiles() -> None:
    image = rounded_up(5000, 4000)
    grid = TileGrid(image, LIMITS)
    rng = random.Random(1)
    for _ in range(20_000):
        quickly(nearly_a_tile(image, rng), grid)
    assert len(grid._sizes) <= len(image.levels) * 4 * 3 * 2


def test_a_changed_record_has_a_new_grid() -> None:
    grids = TileGrids(LIMITS, capacity=2)
    first = rounded_up(1300, 1000)
    assert grids.of(first) is grids.of(rounded_up(1300, 1000))
    assert grids.of(rounded_up(1301, 1000)) is not grids.of(first)
    for name in "abcdef":
        assert grids.of(rounded_up(9, 9, identifier=name)).image.identifier == name


@pytest.mark.parametrize(
    "name", ["\xe9t\xe9", "a\x7f", "a b", "a%00", "..", "a\\..\\b", "a%2f..%2fb"]
)
def test_what_no_address_may_hold_is_not_recognised(name: str) -> None:
    path = f"/iiif/3/{name}/0,0,256,256/256,256/0/default.jpg"
    with pytest.raises(RequestError):
        check_path(path)
    assert parse_tile_address(path) is None
    assert parse_information_address(f"/iiif/3/{name}/info.json") is None
