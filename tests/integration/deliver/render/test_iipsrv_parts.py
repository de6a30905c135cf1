"""iipsrv decodes parts of JPEG tiles to the pixels that whole tiles have there."""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.integration.deliver.render.bare_iipsrv import OURS, TILE, Server, bare_iipsrv
from tests.unit.ingest.made_pyramids import picture

WIDTH, HEIGHT = 301, 203
ROUNDING = 3
"""Difference that the answer's own encoding makes, of 255, at quality 100."""
MODES = {"444": "YCbCr", "gray": "L"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A process whose answers are hardly compressed."""
    with bare_iipsrv(OURS, JPEG_QUALITY="100", JPEG_FULL_COLOUR_PIXELS="100000") as server:
        yield server


@pytest.fixture(scope="module")
def decoded(server: Server) -> dict[str, Any]:
    """By the image's name, the pixels of all its tiles side by side, each decoded as a whole."""
    pixels = picture(WIDTH, HEIGHT)
    made = {}
    for name in MODES:
        source, sampling = (pixels[..., 1], "444") if name == "gray" else (pixels, name)
        tiles = server.store_jpeg(f"{name}.tif", source, sampling)
        made[name] = join_tiles([decode(tile, MODES[name]) for tile in tiles])
    return made


def decode(jpeg: bytes, mode: str) -> Any:
    image = Image.open(io.BytesIO(jpeg))
    image.draft(mode, image.size)
    assert image.mode == mode
    return np.asarray(image)


def join_tiles(tiles: list[Any]) -> Any:
    columns = -(-WIDTH // TILE)
    lines = [tiles[at : at + columns] for at in range(0, len(tiles), columns)]
    return np.concatenate([np.concatenate(line, 1) for line in lines])[:HEIGHT, :WIDTH]


def sides(length: int) -> st.SearchStrategy[tuple[int, int]]:
    """Start and length along an axis."""
    return st.integers(0, length - 1).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(1, length - start))
    )


@pytest.mark.parametrize("name", MODES)
def test_a_region_anywhere_has_the_pixels_of_whole_tiles(
    server: Server, decoded: dict[str, Any], name: str
) -> None:
    @settings(max_examples=80, deadline=None, database=None)
    @given(sides(WIDTH), sides(HEIGHT))
    @example((TILE - 1, 2), (TILE - 1, 2))
    @example((3 * TILE, TILE), (TILE + 1, 1))
    def compare(across: tuple[int, int], down: tuple[int, int]) -> None:
        (x, width), (y, height) = across, down
        query = f"IIIF={name}.tif/{x},{y},{width},{height}/{width},{height}/0/default.jpg"
        found = server.pixels(query, MODES[name]).astype(int)
        expected = decoded[name][y : y + height, x : x + width]
        assert found.shape == expected.shape
        assert np.abs(found - expected).max() <= ROUNDING

    compare()


@pytest.mark.usefixtures("decoded")
def test_a_damaged_tile_costs_no_other_tile_its_pixels(server: Server) -> None:
    tiles = server.store_jpeg("damaged.tif", picture(WIDTH, HEIGHT))
    query = f"IIIF={{}}.tif/3,5,{WIDTH - 3},{HEIGHT - 5}/{WIDTH - 3},{HEIGHT - 5}/0/default.jpg"
    sound = server.pixels(query.format("444")).astype(int)
    path = server.folder / "damaged.tif"
    file = bytearray(path.read_bytes())
    at = file.index(tiles[7]) + len(tiles[7]) // 2
    file[at : at + 40] = bytes(40)
    path.write_bytes(file)
    found = server.pixels(query.format("damaged")).astype(int)
    wrong = np.abs(found - sound).max(axis=2) > 4 * ROUNDING
    row, column = divmod(7, -(-WIDTH // TILE))
    inside = np.s_[
        row * TILE - 5 : (row + 1) * TILE - 5, column * TILE - 3 : (column + 1) * TILE - 3
    ]
    assert wrong[inside].any()
    wrong[inside] = False
    assert not wrong.any()
