"""A tile that is taken out of a codestream decodes to the pixels that it has in the whole."""

from pathlib import Path

import imagecodecs
import numpy as np
import pytest

from loadtest.studies.formats.codestream import read_index, wrap_codestream
from loadtest.studies.formats.encoded_pyramid import Pixels, cut_level, decode_whole, open_coded
from loadtest.studies.formats.format_encoders import FORMATS, TILE, Rates, count_levels
from vitrine.errors import VitrineError

WIDTH, HEIGHT = TILE + 137, TILE + 9


@pytest.fixture(scope="module")
def picture() -> Pixels:
    """Smooth, with grain; its last tiles are narrow, and odd at every level."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    grain = np.random.default_rng(7).integers(0, 20, (HEIGHT, WIDTH, 3))
    slopes = np.stack([x * 200 // WIDTH, y * 200 // HEIGHT, (x + y) * 100 // WIDTH], axis=2)
    return (slopes + grain).astype(np.uint8)


def encoded(picture: Pixels, name: str, folder: Path) -> Path:
    path = folder / f"picture{FORMATS[name].suffix}"
    FORMATS[name].encode(picture, path, Rates())
    return path


@pytest.mark.parametrize("name", [one.name for one in FORMATS.values() if one.lossless])
def test_lossless_formats_give_every_pixel_back(picture: Pixels, name: str, tmp_path: Path) -> None:
    coded = open_coded(encoded(picture, name, tmp_path))
    assert np.array_equal(decode_whole(coded), picture)
    region = cut_level(coded, 0, (TILE - 30, TILE - 20, TILE + 50, TILE + 5))
    assert np.array_equal(region, picture[TILE - 20 : TILE + 5, TILE - 30 : TILE + 50])


@pytest.mark.parametrize("name", ["jp2-lossless", "htj2k-lossless"])
def test_tiles_at_every_level_are_those_of_the_whole(
    picture: Pixels, name: str, tmp_path: Path
) -> None:
    coded = open_coded(encoded(picture, name, tmp_path))
    assert len(coded.levels) == count_levels(picture) == 4
    assert max(coded.levels[-1]) <= 128
    for level, (width, height) in enumerate(coded.levels):
        shown = cut_level(coded, level, (0, 0, width, height)).astype(float)
        assert shown.shape == (height, width, 3)
        step = 1 << level
        rows, columns = height - 1, width - 1
        blocks = picture[: rows * step, : columns * step].reshape(rows, step, columns, step, 3)
        assert np.abs(shown[:-1, :-1] - blocks.mean(axis=(1, 3))).mean() < 8


def test_a_whole_file_of_ours_is_read_by_openjpeg(picture: Pixels, tmp_path: Path) -> None:
    data = encoded(picture, "htj2k-lossless", tmp_path).read_bytes()
    assert np.array_equal(imagecodecs.jpeg2k_decode(data), picture)


def test_tiles_of_odd_sizes_are_refused(picture: Pixels) -> None:
    untiled = imagecodecs.htj2k_encode(picture, reversible=True, rgb=True)
    with pytest.raises(VitrineError, match="power of two"):
        read_index(wrap_codestream(bytes(untiled), WIDTH, HEIGHT))


def test_what_holds_no_codestream_is_refused() -> None:
    with pytest.raises(VitrineError, match="no codestream"):
        read_index(b"\0\0\0\x0cjP  \r\n\x87\n")
