"""The levels of pyramids by every writer; other files are rejected with a sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import TiffReader


def levels(path: Path) -> list[PyramidLevel]:
    data = path.read_bytes()
    return read_levels(TiffReader(lambda offset, size: data[offset : offset + size], len(data)))


@pytest.mark.parametrize("subifd", [False, True])
def test_pages_and_sub_images_are_levels(tmp_path: Path, subifd: bool) -> None:
    path = tmp_path / "p.tif"
    pyvips.Image.black(601, 333, bands=3).tiffsave(
        str(path), tile=True, tile_width=256, tile_height=256, pyramid=True, subifd=subifd
    )
    found = levels(path)
    assert [(level.width, level.height) for level in found] == [(601, 333), (300, 166), (150, 83)]
    assert [(level.columns, level.rows) for level in found] == [(3, 2), (2, 1), (1, 1)]
    assert [len(level.tiles) for level in found] == [6, 2, 1]


def write(path: Path, *pages: Any, **options: Any) -> Path:
    with tifffile.TiffWriter(path) as file:
        for page in pages:
            file.write(page, photometric="rgb", metadata=None, **options)
    return path


def test_a_file_that_is_no_pyramid_is_refused_with_the_reason(tmp_path: Path) -> None:
    large, half = np.zeros((400, 400, 3), "u1"), np.zeros((200, 200, 3), "u1")
    other = np.zeros((390, 390, 3), "u1")
    tiled = {"tile": (64, 64)}
    for path, sentence in (
        (write(tmp_path / "a.tif", large, half), "Not all of its pages are tiled."),
        (write(tmp_path / "b.tif", large, **tiled), "full resolution only"),
        (write(tmp_path / "c.tif", large, half, other, **tiled), "not its half"),
    ):
        with pytest.raises(MalformedTiff, match=sentence):
            levels(path)


def test_an_image_of_one_tile_is_a_pyramid(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.zeros((50, 40, 3), "u1"), tile=(64, 64))
    assert [(level.width, level.height) for level in levels(path)] == [(40, 50)]
