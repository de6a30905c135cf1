"""A JPEG that iipsrv cuts out of JPEG tiles has their very coefficients."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integration.deliver.render.bare_iipsrv import OURS, TILE, Server, bare_iipsrv
from tests.integration.deliver.render.jpeg_coefficients import read_coefficients
from tests.unit.ingest.made_pyramids import picture, write_file
from vitrine.deliver.pyramids.level import read_level
from vitrine.store.tiff.pyramid import read_levels
from vitrine.store.tiff.reading import TiffReader

WIDTH, HEIGHT = 301, 203
CUT, DECODED = "Cut from coefficients", "Compressed data strip"
SHAPES = {"444": (8, 8), "422": (16, 8), "420": (16, 16), "gray": (8, 8)}
"""Width and height of the grid by the sampling of the chroma."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A process with an image of each sampling."""
    with bare_iipsrv(OURS, EMBED_ICC="0", VERBOSITY="3") as server:
        yield server


@pytest.fixture(scope="module")
def mosaics(server: Server) -> dict[str, list[Any]]:
    """By the image's name, the coefficients of all its tiles side by side, channel by channel."""
    pixels = picture(WIDTH, HEIGHT)
    made = {}
    for name in SHAPES:
        source, sampling = (pixels[..., 1], "444") if name == "gray" else (pixels, name)
        tiles = [read_coefficients(t) for t in server.store_jpeg(f"{name}.tif", source, sampling)]
        columns = -(-WIDTH // TILE)
        lines = [tiles[at : at + columns] for at in range(0, len(tiles), columns)]
        made[name] = [
            np.concatenate([np.concatenate([t[c] for t in line], 1) for line in lines], 0)
            for c in range(len(tiles[0]))
        ]
    return made


def regions(across: int, down: int) -> st.SearchStrategy[tuple[int, int, int, int]]:
    """Regions that begin on a grid, and end anywhere."""
    return st.tuples(
        st.integers(0, (WIDTH - 1) // across), st.integers(0, (HEIGHT - 1) // down)
    ).flatmap(
        lambda at: st.tuples(
            st.just(at[0] * across),
            st.just(at[1] * down),
            st.integers(1, WIDTH - at[0] * across),
            st.integers(1, HEIGHT - at[1] * down),
        )
    )


def ask(server: Server, name: str, x: int, y: int, width: int, height: int) -> tuple[bytes, str]:
    """Return the answer, and what iipsrv logged of it."""
    logged = len(server.log)
    body = server.body(f"IIIF={name}.tif/{x},{y},{width},{height}/{width},{height}/0/default.jpg")
    return body, server.log[logged:]


@pytest.mark.parametrize("name", SHAPES)
def test_a_region_on_the_grid_has_the_coefficients_of_its_tiles(
    server: Server, mosaics: dict[str, list[Any]], name: str
) -> None:
    across, down = SHAPES[name]

    @settings(max_examples=60, deadline=None, database=None)
    @given(regions(across, down))
    def cut(region: tuple[int, int, int, int]) -> None:
        x, y, width, height = region
        body, log = ask(server, name, *region)
        assert CUT in log
        for mosaic, found in zip(mosaics[name], read_coefficients(body), strict=True):
            # Blocks of this channel in a unit of the grid: the last unit's may lie beyond the edge.
            h, v = (8 * s // f for s, f in zip(mosaic.shape[1::-1], _padded(), strict=True))
            h, v = h * across // 8 or 1, v * down // 8 or 1
            left, top = x // across * h, y // down * v
            columns, rows = -(-width * h // across), -(-height * v // down)
            assert np.array_equal(
                found[:rows, :columns], mosaic[top : top + rows, left : left + columns]
            )

    cut()


def _padded() -> tuple[int, int]:
    return -(-WIDTH // TILE) * TILE, -(-HEIGHT // TILE) * TILE


@pytest.mark.usefixtures("mosaics")
@pytest.mark.parametrize("name", SHAPES)
def test_a_region_off_the_grid_is_made_of_pixels(server: Server, name: str) -> None:
    across, down = SHAPES[name]
    for x, y in ((across - 1, 0), (0, down - 1), (across // 2, down)):
        body, log = ask(server, name, x, y, 100, 80)
        assert body.endswith(b"\xff\xd9")
        assert CUT not in log
        assert DECODED in log


@pytest.mark.usefixtures("mosaics")
def test_what_is_turned_scaled_or_gray_is_made_of_pixels(server: Server) -> None:
    for rest in ("100,100/90/default", "100,100/!0/default", "100,100/0/gray", "99,99/0/default"):
        logged = len(server.log)
        server.body(f"IIIF=444.tif/0,0,100,100/{rest}.jpg")
        assert CUT not in server.log[logged:], rest


def test_a_damaged_tile_is_decoded_as_before(server: Server) -> None:
    tiles = server.store_jpeg("damaged.tif", picture(WIDTH, HEIGHT))
    path = server.folder / "damaged.tif"
    file = bytearray(path.read_bytes())
    at = file.index(tiles[7]) + len(tiles[7]) // 2
    file[at : at + 40] = bytes(40)
    path.write_bytes(file)
    whole, log = ask(server, "damaged", 0, 0, WIDTH, HEIGHT)
    assert CUT not in log
    assert whole.endswith(b"\xff\xd9")
    _, log = ask(server, "damaged", 0, 0, TILE, TILE)
    assert CUT in log


def test_tables_that_tiles_share_are_those_of_the_answer(server: Server, tmp_path: Path) -> None:
    pixels = picture(700, 500)
    write_file(pixels, tmp_path / "a.tif")
    data = (tmp_path / "a.tif").read_bytes()
    (server.folder / "shared.tif").write_bytes(data)
    reader = TiffReader(lambda offset, length: data[offset : offset + length], len(data))
    level = read_level(read_levels(reader)[0], len(data))
    offset, length = level.tile_range(1, 1)
    lead = level.tables.removesuffix(b"\xff\xd9")
    tile = lead + data[offset + 2 : offset + length]
    logged = len(server.log)
    levels = len(read_levels(reader))
    body = server.body(f"RES={levels - 1}&IIIF=shared.tif/256,256,256,244/256,244/0/default.jpg")
    assert CUT in server.log[logged:]
    for stored, found in zip(read_coefficients(tile), read_coefficients(body), strict=True):
        assert np.array_equal(stored[:31], found[:31])
