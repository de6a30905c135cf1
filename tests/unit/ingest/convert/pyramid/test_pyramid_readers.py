"""Every reader in the field opens an access master and sees each level as it is."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import openslide
import pytest
import pyvips
import tifffile
from PIL import Image

from tests.unit.ingest.made_pyramids import PROFILE, box_levels, image_of, picture
from vitrine.ingest.convert.access_master import to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.recipe import LIGHT, STANDARD, Recipe

WIDTH, HEIGHT = 1101, 777


@pytest.fixture(scope="module")
def levels() -> list[Any]:
    """Odd sizes at every level: 1101 x 777, 551 x 389, 276 x 195, 138 x 98."""
    return box_levels(picture(WIDTH, HEIGHT))


@pytest.fixture(scope="module", params=[STANDARD, LIGHT], ids=lambda recipe: recipe.name)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An access master of each recipe of ours."""
    target = tmp_path_factory.mktemp("readers") / "a.tif"
    write(request.param, target)
    return target


def write(recipe: Recipe, target: Path) -> None:
    image = image_of(picture(WIDTH, HEIGHT))
    output, scratch = to_file(target), target.parent
    write_access_master(image, Metadata(), recipe, output, scratch, lambda rows: None)


def assert_same(found: Any, expected: Any) -> None:
    assert found.shape == expected.shape
    assert np.abs(found.astype(int) - expected).mean() < 3


@pytest.mark.slow
def test_libtiff_has_nothing_to_say_against_it(path: Path, levels: list[Any]) -> None:
    result = subprocess.run(["tiffinfo", "-d", "-c", path], capture_output=True, text=True)
    assert result.returncode == 0
    assert result.stderr == ""
    assert result.stdout.count("TIFF Directory at") == len(levels)
    assert result.stdout.count("reduced-resolution image") == len(levels) - 1
    assert "Resolution:" in result.stdout


def test_tifffile_reads_every_level(path: Path, levels: list[Any]) -> None:
    with tifffile.TiffFile(path) as file:
        assert not file.is_bigtiff
        assert len(file.pages) == len(levels)
        for page, expected in zip(file.pages, levels, strict=True):
            assert_same(page.asarray(), expected)


def test_pillow_reads_every_level(path: Path, levels: list[Any]) -> None:
    with Image.open(path) as image:
        assert image.n_frames == len(levels)
        assert image.info["icc_profile"] == PROFILE
        for number, expected in enumerate(levels):
            image.seek(number)
            assert_same(np.asarray(image.convert("RGB")), expected)


def test_libvips_reads_every_level(path: Path, levels: list[Any]) -> None:
    for number, expected in enumerate(levels):
        image = pyvips.Image.tiffload(str(path), page=number, fail_on="warning")
        assert_same(image.numpy(), expected)


def test_openslide_sees_a_pyramid(path: Path, levels: list[Any]) -> None:
    with openslide.OpenSlide(path) as slide:
        assert slide.properties["openslide.vendor"] == "generic-tiff"
        sizes = [(level.shape[1], level.shape[0]) for level in levels]
        assert list(slide.level_dimensions) == sizes
        for number, (size, expected) in enumerate(zip(sizes, levels, strict=True)):
            region = slide.read_region((0, 0), number, size).convert("RGB")
            assert_same(np.asarray(region), expected)


def test_one_read_opens_it(path: Path) -> None:
    with tifffile.TiffFile(path) as file:
        [last] = [file.pages[-1].dataoffsets[0]]
        first_tile = min(offset for page in file.pages for offset in page.dataoffsets)
        assert last == first_tile, "the smallest level comes first"
        assert max(page.offset for page in file.pages) < first_tile
        offsets = [page.dataoffsets[0] for page in file.pages]
        assert offsets == sorted(offsets, reverse=True)


def test_the_light_recipe_saves_below_full_resolution_only(tmp_path: Path) -> None:
    pages: dict[str, list[tuple[Any, int]]] = {}
    for recipe in (STANDARD, LIGHT):
        write(recipe, tmp_path / recipe.name)
        with tifffile.TiffFile(tmp_path / recipe.name) as file:
            assert [page.tile for page in file.pages] == [(recipe.tile_size,) * 2] * 4
            pages[recipe.name] = [(page.asarray(), sum(page.databytecounts)) for page in file.pages]
    standard, light = pages["standard"], pages["light"]
    assert np.array_equal(light[0][0], standard[0][0])
    assert light[1][1] < 0.8 * standard[1][1]
