"""A page is read at the size at which reading is best, and never at one that has no room."""

from pathlib import Path

import pytest
import pyvips

from tests.unit.sources.ocr.page_rig import HEIGHT, WIDTH, PageRig
from vitrine.errors import ObjectMissing, TextRefused
from vitrine.sources.ocr import page_image
from vitrine.sources.ocr.page_image import choose_level, write_page

LEVELS = ((8_000, 12_000), (4_000, 6_000), (2_000, 3_000), (1_000, 1_500))


@pytest.mark.parametrize(
    ("pixels", "width_mm", "level", "dots"),
    [
        (100_000_000, 0, 0, 0),
        (40_000_000, 0, 1, 0),
        (1_000, 0, 3, 0),
        # 300 dots per inch are enough, of a page that was measured.
        (100_000_000, 169, 2, 301),
        (100_000_000, 200, 1, 508),
        (10_000_000, 500, 2, 102),
    ],
)
def test_the_level_is_chosen_by_its_size_and_that_of_the_page(
    pixels: int, width_mm: float, level: int, dots: int
) -> None:
    assert choose_level(LEVELS, pixels, width_mm) == (level, dots)


def test_the_level_is_grey(rig: PageRig, tmp_path: Path) -> None:
    image = rig.show("p3", "GREY")
    written = write_page(rig.access_masters, image, tmp_path, most_pixels=1_000_000)
    page = pyvips.Image.new_from_file(str(written.path))
    assert (page.width, page.height, page.bands) == (WIDTH, HEIGHT, 1)


def test_an_access_master_that_is_too_large_is_not_fetched(
    rig: PageRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_image, "MAX_BYTES", 99)
    with pytest.raises(TextRefused, match="is the most that is fetched"):
        write_page(rig.access_masters, rig.show("p3", "x"), tmp_path, most_pixels=1_000_000)


def test_a_level_that_is_larger_than_recorded_is_refused(rig: PageRig, tmp_path: Path) -> None:
    image = rig.show("p3", "x", levels=((10, 4),))
    with pytest.raises(TextRefused, match="has 400 x 160 pixels: 63,999 at most"):
        write_page(rig.access_masters, image, tmp_path, most_pixels=WIDTH * HEIGHT - 1)
    assert not [*tmp_path.glob("page.png")]


def test_a_damaged_access_master_is_refused_and_an_absent_one_is_no_reason(
    rig: PageRig, tmp_path: Path
) -> None:
    image = rig.show("p3", "x")
    rig.access_masters.put(image.access_master_key, b"no tiff", content_type="image/tiff")
    with pytest.raises(TextRefused, match="cannot be decoded"):
        write_page(rig.access_masters, image, tmp_path, most_pixels=1_000_000)
    rig.access_masters.delete(image.access_master_key)
    with pytest.raises(ObjectMissing):
        write_page(rig.access_masters, image, tmp_path, most_pixels=1_000_000)
