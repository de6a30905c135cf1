"""What iipsrv is believed to read. That it reads nothing else is tested on the real one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.render.pyramid_levels import Level, halved, request
from vitrine.deliver.render.iipsrv import iipsrv_query, safe_region
from vitrine.deliver.render.iipsrv_levels import predict_reading
from vitrine.iiif.region import Box

FLOOR = halved(7300, 4100, up=False)


def level(path: str, width: int = 7300, height: int = 4100) -> int:
    requested = request(path, width, height)
    return predict_reading(requested.region, requested, halved(width, height, up=False)).level


def test_the_smaller_of_the_levels_that_the_axes_want_is_read() -> None:
    assert level("full/912,512/0/default.jpg") == 3
    assert level("full/913,512/0/default.jpg") == 3
    assert level("full/913,513/0/default.jpg") == 2
    assert level("full/7300,5/0/default.jpg") == 5


def test_an_enlarged_or_unscaled_region_is_read_at_full_resolution() -> None:
    assert level("10,20,300,300/300,300/0/default.jpg") == 0
    assert level("10,20,30,30/^300,300/0/default.jpg") == 0


def test_a_request_becomes_numbers_only() -> None:
    requested = request("square/!500,500/!90/gray.jpg", 7300, 4100)
    query = iipsrv_query("00ff.tif", requested, safe_region(requested, FLOOR))
    assert query == "00ff.tif/1600,0,4100,4100/500,500/!90/gray.jpg"


def test_a_strip_beyond_a_smaller_level_starts_at_that_levels_last_pixel() -> None:
    requested = request("0,4096,4096,4/256,1/0/default.jpg", 7300, 4100)
    assert safe_region(requested, FLOOR) == Box(0, 4080, 4096, 20)


def test_an_unscaled_region_is_asked_as_it_is() -> None:
    requested = request("7299,4099,1,1/max/0/default.jpg", 7300, 4100)
    assert safe_region(requested, FLOOR) == requested.region


@given(data=st.data(), width=st.integers(1, 9_000), height=st.integers(1, 9_000))
def test_a_safe_region_starts_inside_every_level_that_may_be_read(
    data: st.DataObject, width: int, height: int
) -> None:
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    w, h = data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y))
    size = data.draw(st.integers(1, w)), data.draw(st.integers(1, h))
    check_safe_region(width, height, Box(x, y, w, h), size)


@pytest.mark.parametrize(
    ("width", "height", "region", "size"),
    [
        # iipsrv rounds, and reads a smaller level than the reduction of the region says.
        (1028, 19, Box(602, 17, 130, 2), (32, 1)),
        (1028, 19, Box(0, 18, 4, 1), (1, 1)),
        (1028, 19, Box(10, 16, 479, 2), (120, 1)),
        (7329, 19, Box(5586, 16, 1020, 2), (127, 1)),
        (7043, 44, Box(2552, 28, 1994, 16), (124, 1)),
    ],
)
def test_a_safe_region_starts_inside_the_level_that_iipsrv_chooses_by_rounding(
    width: int, height: int, region: Box, size: tuple[int, int]
) -> None:
    check_safe_region(width, height, region, size)


def check_safe_region(width: int, height: int, region: Box, size: tuple[int, int]) -> None:
    path = f"{region.x},{region.y},{region.width},{region.height}/{size[0]},{size[1]}"
    requested = request(f"{path}/0/default.jpg", width, height)
    stored: list[Level] = halved(width, height, up=False)
    box = safe_region(requested, stored)
    assert box.x + box.width == region.x + region.width
    assert box.y + box.height == region.y + region.height
    read = predict_reading(box, requested, stored)
    level = stored[read.level]
    assert 0 <= read.box.x < read.box.x + read.box.width <= level.width
    assert 0 <= read.box.y < read.box.y + read.box.height <= level.height
