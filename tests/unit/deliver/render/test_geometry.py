"""Which level and which of its pixels a derivative is made from."""

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.render.pyramid_levels import halved, request
from vitrine.deliver.render.geometry import (
    MAX_SOURCE_PIXELS,
    RenderPlan,
    plan_request,
    round_half_up,
)


def planned(path: str, width: int, height: int, *, up: bool = True) -> RenderPlan:
    return plan_request(halved(width, height, up=up), request(path, width, height))


def test_a_thumbnail_comes_from_the_smallest_level_that_is_large_enough() -> None:
    made = planned("full/!128,128/0/default.jpg", 3872, 2592)
    assert (made.level, made.across.length, made.down.length) == (4, 242, 162)


def test_a_whole_level_is_taken_as_it_is() -> None:
    made = planned("full/3000,2084/0/default.jpg", 12_000, 8_334)
    assert (made.level, made.box.width, made.box.height) == (2, 3000, 2084)
    assert not made.scales


def test_a_tile_of_a_level_rounded_down_that_lacks_a_pixel_comes_from_the_next() -> None:
    made = planned("full/3000,2084/0/default.jpg", 12_000, 8_334, up=False)
    assert made.level == 1


def test_a_strip_that_a_level_rounded_down_does_not_have_comes_from_a_larger_one() -> None:
    made = planned("0,4096,4096,4/256,1/0/default.jpg", 7300, 4100, up=False)
    assert made.level < 4
    assert made.down.stop <= 4100 >> made.level


def test_a_region_between_pixels_of_its_level_is_shifted() -> None:
    made = planned("1001,1002,2000,2000/500,500/0/default.jpg", 12_000, 8_334)
    assert made.level == 2
    assert (made.across.start, made.across.shift) == (250, 0.25)
    assert (made.down.start, made.down.shift) == (251, -0.5)


def test_full_resolution_is_never_shifted() -> None:
    made = planned("1001,1003,300,300/290,290/0/default.jpg", 12_000, 8_334)
    assert (made.level, made.across.shift, made.down.shift) == (0, 0, 0)


def test_each_axis_has_its_own_scale() -> None:
    made = planned("full/3872,100/0/default.jpg", 3872, 2592)
    assert (made.level, made.across.shrink, made.down.shrink) == (0, 1.0, 25.92)


def test_a_distorted_giant_is_enlarged_along_one_axis_rather_than_read_whole() -> None:
    made = planned("full/24000,1000/0/default.jpg", 24_000, 16_667)
    assert made.source_pixels <= MAX_SOURCE_PIXELS
    assert (made.level, made.across.shrink) == (1, 0.5)
    assert planned("full/5000,5000/0/default.jpg", 24_000, 16_667).level == 1
    right = planned("8000,0,16000,16667/16000,1000/0/default.jpg", 24_000, 16_667)
    assert (right.level, right.across.start, right.across.shrink) == (1, 4_000, 0.5)


@given(data=st.data(), up=st.booleans(), width=st.integers(1, 9000), height=st.integers(1, 9000))
def test_a_plan_reads_what_is_there_and_makes_what_is_asked(
    data: st.DataObject, up: bool, width: int, height: int
) -> None:
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    w, h = data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y))
    size = data.draw(st.integers(1, 2 * w)), data.draw(st.integers(1, 2 * h))
    levels = halved(width, height, up=up)
    made = plan_request(
        levels, request(f"{x},{y},{w},{h}/^{size[0]},{size[1]}/0/default.jpg", width, height)
    )
    level = levels[made.level]
    regions = ((x, w, size[0], level.width), (y, h, size[1], level.height))
    for cut, (start, length, target, stored) in zip((made.across, made.down), regions, strict=True):
        assert 0 <= cut.start < cut.stop <= stored
        assert cut.shrink < 1 or round_half_up(cut.length / cut.shrink) == target
        assert made.level == 0 or cut.shrink >= 1
        # What is cut shows the region, and its middle is the region's.
        factor = 1 << made.level
        middle = (cut.start + cut.stop) / 2 + cut.shift
        assert abs(middle - (start + length / 2) / factor) <= max(1.0, cut.shrink / 2)
