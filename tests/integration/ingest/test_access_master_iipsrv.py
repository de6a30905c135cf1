"""The real iipsrv serves every level of an access master as it is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips

from tests.integration.ingest.fastcgi import ask, run_iipsrv
from tests.unit.ingest.made_pyramids import box_levels, picture, write_file

TILE = 256


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Path]:
    """iipsrv on a unix socket."""
    with run_iipsrv(tmp_path) as address:
        yield address


@pytest.mark.parametrize(("width", "height"), [(1101, 777), (1024, 512), (700, 1999), (60, 40)])
def test_every_tile_of_every_level_is_right(
    server: Path, tmp_path: Path, width: int, height: int
) -> None:
    pixels = picture(width, height)
    write_file(pixels, tmp_path / "a.tif")
    levels = box_levels(pixels)
    described = ask(server, "FIF=a.tif&obj=Max-size&obj=Resolution-number").decode()
    assert f"Max-size:{width} {height}" in described
    assert f"Resolution-number:{len(levels)}" in described
    for resolution, expected in enumerate(reversed(levels)):
        assert_tiles(server, resolution, expected)


def assert_tiles(server: Path, resolution: int, expected: Any) -> None:
    rows, columns = (-(-side // TILE) for side in expected.shape[:2])
    for number in range(rows * columns):
        top, left = number // columns * TILE, number % columns * TILE
        body = ask(server, f"FIF=a.tif&JTL={resolution},{number}")
        found = pyvips.Image.jpegload_buffer(body).numpy()
        part = expected[top : top + TILE, left : left + TILE]
        assert found.shape == part.shape
        assert np.abs(found.astype(int) - part).mean() < 5


def test_a_thumbnail_is_a_level(server: Path, tmp_path: Path) -> None:
    pixels = picture(1024, 512)
    write_file(pixels, tmp_path / "a.tif")
    body = ask(server, "IIIF=a.tif/full/256,/0/default.jpg")
    found = pyvips.Image.jpegload_buffer(body).numpy()
    assert found.shape == (128, 256, 3)
    assert np.abs(found.astype(int) - box_levels(pixels)[2]).mean() < 5
