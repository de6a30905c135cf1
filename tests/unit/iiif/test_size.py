"""The size parameter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.errors import InvalidRequest
from vitrine.iiif.region import Box
from vitrine.iiif.size import Confined, Largest, Limits, Size, parse_size, resolve_size
from vitrine.iiif.version import V2, V3, Version

REGION = Box(0, 0, 600, 400)
LIMITS = Limits(area=1_000_000)
boxes = st.builds(Box, st.just(0), st.just(0), st.integers(1, 50_000), st.integers(1, 50_000))


def sized(text: str, version: Version, region: Box = REGION, limits: Limits = LIMITS) -> object:
    return resolve_size(parse_size(text, version), region, version, limits)


@pytest.mark.parametrize(
    ("text", "two", "three"),
    [
        ("full", (600, 400), None),
        ("max", (600, 400), (600, 400)),
        ("300,", (300, 200), (300, 200)),
        (",100", (150, 100), (150, 100)),
        ("pct:50", (300, 200), (300, 200)),
        ("pct:0.5", (3, 2), (3, 2)),
        ("pct:0.1", None, None),
        ("pct:0.01", None, None),
        ("100,100", (100, 100), (100, 100)),
        ("!100,100", (100, 67), (100, 67)),
        ("!900,100", (150, 100), (150, 100)),
        ("!900,900", (600, 400), (600, 400)),
        ("900,", (900, 600), None),
        ("pct:150", (900, 600), None),
        ("601,400", (601, 400), None),
        ("^900,", None, (900, 600)),
        ("^,600", None, (900, 600)),
        ("^300,", None, (300, 200)),
        ("^pct:150", None, (900, 600)),
        ("^!900,900", None, (900, 600)),
        ("^601,500", None, (601, 500)),
        ("^max", None, (1224, 816)),
        ("^pct:100", None, (600, 400)),
        ("^!300,300", None, (300, 200)),
        ("^!99999,99999", None, (1224, 816)),
        ("pct:33.333", (200, 133), (200, 133)),
        ("pct:100.01", (600, 400), None),
        ("1,", (1, 1), (1, 1)),
        (",1", (2, 1), (2, 1)),
        ("1,1", (1, 1), (1, 1)),
        ("!1,1", (1, 1), (1, 1)),
        ("^1,400", None, (1, 400)),
        ("MAX", None, None),
        ("PCT:50", None, None),
        ("Full", None, None),
        (",^600", None, None),
        ("!^9,9", None, None),
        ("^^max", None, None),
        ("!max", None, None),
        ("!pct:50", None, None),
        ("^full", None, None),
        ("0,", None, None),
        ("pct:0", None, None),
        ("pct:0.0", None, None),
        ("pct:.5", None, None),
        ("pct:10.", None, None),
        ("", None, None),
        (",", None, None),
        ("100", None, None),
        ("!100,", None, None),
        ("!", None, None),
        ("max,", None, None),
        ("100,100,", None, None),
        ("-5,", None, None),
        ("1.5,", None, None),
        ("pct:a", None, None),
        ("2000,1000", None, None),
        ("^2000,1000", None, None),
    ],
)
def test_each_version_has_its_sizes(
    text: str, two: tuple[int, int] | None, three: tuple[int, int] | None
) -> None:
    for version, expected in ((V2, two), (V3, three)):
        if expected:
            assert sized(text, version) == expected
        else:
            with pytest.raises(InvalidRequest):
                sized(text, version)


def test_max_is_as_large_as_the_limit_allows_in_the_regions_shape() -> None:
    width, height = resolve_size(Size(Largest()), REGION, V3, Limits(area=60_000))
    assert (width, height) == (300, 200)


def test_no_side_is_longer_than_the_limit() -> None:
    limits = Limits(area=1_000_000, side=500)
    assert sized("max", V3, limits=limits) == (500, 333)
    assert sized("^max", V3, limits=limits) == (500, 333)
    assert sized("^!900,900", V3, limits=limits) == (500, 333)
    for text in ("501,", "501,1", "1,501"):
        with pytest.raises(InvalidRequest):
            sized(text, V2, limits=limits)


def test_a_size_of_the_other_version_names_the_one_to_ask_for() -> None:
    with pytest.raises(InvalidRequest, match="full is version 2's: in version 3 it is max"):
        parse_size("full", V3)


def test_an_image_longer_than_a_jpeg_can_be_is_delivered_smaller() -> None:
    assert sized("max", V3, Box(0, 0, 131_000, 100), Limits(area=25_000_000)) == (65_500, 50)


def test_a_small_image_fits_a_larger_box_unscaled() -> None:
    """Image API 3.0, section 4.2; so a viewer's thumbnail of a small image is no error."""
    assert sized("!2000,3000", V3, Box(0, 0, 1000, 1000), Limits(area=10**7)) == (1000, 1000)
    assert sized("!2000,3000", V2, Box(0, 0, 1000, 1000), Limits(area=10**7)) == (1000, 1000)


def test_a_thin_region_keeps_one_pixel_of_its_short_side() -> None:
    assert sized("10,", V3, Box(0, 0, 5000, 3)) == (10, 1)
    assert sized("!10,10", V3, Box(0, 0, 5000, 3)) == (10, 1)


@pytest.mark.parametrize("text", ["pct:0.04", "pct:1", "^pct:1"])
def test_a_percentage_that_rounds_a_side_to_nothing_is_refused(text: str) -> None:
    """Image API 3.0, section 4.2."""
    with pytest.raises(InvalidRequest, match="less than one pixel"):
        sized(text, V3, Box(0, 0, 1001, 701) if text == "pct:0.04" else Box(0, 0, 5000, 3))


@given(text=st.text(alphabet="fulmaxpct:!^,.0123456789-+e ", max_size=14) | st.text(max_size=14))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    for version in (V2, V3):
        try:
            parse_size(text, version)
        except InvalidRequest:
            continue


@given(
    region=boxes,
    area=st.integers(1, 10**9),
    side=st.integers(1, 70_000),
    box=st.tuples(st.integers(1, 99_999), st.integers(1, 99_999)),
    upscale=st.booleans(),
    largest=st.booleans(),
)
def test_max_and_confined_sizes_never_fail_and_respect_every_bound(
    region: Box, area: int, side: int, box: tuple[int, int], upscale: bool, largest: bool
) -> None:
    form = Largest() if largest else Confined(*box)
    limits = Limits(area=area, side=side)
    width, height = resolve_size(Size(form, upscale), region, V3, limits)
    assert 1 <= width <= side
    assert 1 <= height <= side
    assert width * height <= area
    if not largest:
        assert width <= box[0]
        assert height <= box[1]
    if not upscale:
        assert width <= region.width
        assert height <= region.height
