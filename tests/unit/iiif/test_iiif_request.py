"""Whole image requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.errors import InvalidRequest
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2, V3, Version

LIMITS = Limits(area=10_000_000)


def resolved(path: str, version: Version, width: int = 600, height: int = 400) -> ResolvedRequest:
    return resolve(parse_image_request(tuple(path.split("/")), version), width, height, LIMITS)


@pytest.mark.parametrize(
    ("path", "two", "three"),
    [
        ("pct:0,0,100,100/max/0/default.jpg", "full/full/0/default.jpg", "full/max/0/default.jpg"),
        ("full/300,200/0/default.jpg", "full/300,/0/default.jpg", "full/300,200/0/default.jpg"),
        ("full/300,/0/default.jpg", "full/300,/0/default.jpg", "full/300,200/0/default.jpg"),
        ("full/300,100/0/gray.jpg", "full/300,100/0/gray.jpg", "full/300,100/0/gray.jpg"),
        ("500,300,999,999/max/0.0/default.jpg", "500,300,100,100/full/0/default.jpg", None),
        ("square/!99,99/!22.50/color.png", "100,0,400,400/99,/!22.5/color.png", None),
        ("full/max/360/default.jpg", "full/full/0/default.jpg", "full/max/0/default.jpg"),
    ],
)
def test_the_canonical_form_is_the_specifications(path: str, two: str, three: str | None) -> None:
    assert resolved(path, V2).canonical == two
    if three:
        assert resolved(path, V3).canonical == three


def test_upscaling_is_marked_in_the_canonical_form_of_version_3() -> None:
    request = resolved("full/^1200,/0/default.jpg", V3)
    assert request.is_upscaled
    assert request.canonical == "full/^1200,800/0/default.jpg"


@pytest.mark.parametrize("rotation", ["-90", "361", "", "!", "!!90", "90deg", "1e1", "nan", "+90"])
def test_a_malformed_rotation_is_invalid(rotation: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_image_request(("full", "max", rotation, "default.jpg"), V3)


@pytest.mark.parametrize("last", ["default", "native.jpg", "default.bmp", ".jpg", "default.", ""])
def test_a_malformed_quality_or_format_is_invalid(last: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_image_request(("full", "max", "0", last), V3)


number = st.integers(0, 2_000).map(str)
percent = st.decimals(0, 100, places=3).map(str)
regions = st.one_of(
    st.sampled_from(["full", "square"]),
    st.tuples(number, number, number, number).map(",".join),
    st.tuples(percent, percent, percent, percent).map(lambda parts: "pct:" + ",".join(parts)),
)
sizes = st.one_of(
    st.sampled_from(["max", "^max"]),
    number.map(lambda n: f"{n},"),
    number.map(lambda n: f",{n}"),
    percent.map(lambda n: f"pct:{n}"),
    st.tuples(st.sampled_from(["", "!", "^", "^!"]), number, number).map(
        lambda t: f"{t[0]}{t[1]},{t[2]}"
    ),
)
rotations = st.tuples(st.sampled_from(["", "!"]), st.integers(0, 360)).map(
    lambda t: f"{t[0]}{t[1]}"
)


@given(
    parameters=st.tuples(regions, sizes, rotations, st.just("default.jpg")),
    version=st.sampled_from([V2, V3]),
    width=st.integers(1, 1500),
    height=st.integers(1, 1500),
)
def test_the_canonical_form_asks_for_the_same_and_is_its_own(
    parameters: tuple[str, ...], version: Version, width: int, height: int
) -> None:
    try:
        first = resolve(parse_image_request(parameters, version), width, height, LIMITS)
    except InvalidRequest:
        return
    assert resolved(first.canonical, version, width, height) == first
