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
        ("square/!99,99/!90.0/color.png", "100,0,400,400/99,/!90/default.png", None),
        ("full/,1/!0/bitonal.gif", "full/2,/!0/bitonal.gif", "full/2,1/!0/bitonal.gif"),
        ("1,0,1,1/pct:50.0/270/gray.tif", "1,0,1,1/full/270/gray.tif", None),
        ("pct:99.9,99.9,1,1/max/0/color.webp", "599,399,1,1/full/0/default.webp", None),
        ("0,0,600,401/max/0/default.jpg", "full/full/0/default.jpg", "full/max/0/default.jpg"),
        ("full/pct:33.3/0/default.jpg", "full/200,/0/default.jpg", "full/200,133/0/default.jpg"),
        ("full/max/360/default.jpg", "full/full/0/default.jpg", "full/max/0/default.jpg"),
    ],
)
def test_the_canonical_form_is_the_specifications(path: str, two: str, three: str | None) -> None:
    assert resolved(path, V2).canonical == two
    if three:
        assert resolved(path, V3).canonical == three


@pytest.mark.parametrize(
    ("size", "canonical"),
    [
        ("^1200,", "^1200,800"),
        ("^601,400", "^601,400"),
        ("^300,", "300,200"),
        ("^600,", "max"),
        ("^pct:200", "^1200,800"),
        ("^!1200,1200", "^1200,800"),
        ("^max", "^max"),
        ("^3162,2108", "^max"),
    ],
)
def test_upscaling_is_marked_in_the_canonical_form_of_version_3_where_it_happens(
    size: str, canonical: str
) -> None:
    request = resolved(f"full/{size}/0/default.jpg", V3)
    assert request.canonical == f"full/{canonical}/0/default.jpg"
    assert request.is_upscaled == canonical.startswith("^")


def test_version_2_takes_sizes_above_full_unmarked() -> None:
    assert resolved("full/1200,/0/default.jpg", V2).canonical == "full/1200,/0/default.jpg"
    assert resolved("full/pct:150/0/default.jpg", V2).canonical == "full/900,/0/default.jpg"


def test_max_is_canonical_where_the_limits_make_it_smaller() -> None:
    request = parse_image_request(("full", "300,200", "0", "default.jpg"), V3)
    assert resolve(request, 600, 400, Limits(area=90_000)).canonical == "full/max/0/default.jpg"
    request = parse_image_request(("full", "max", "0", "default.jpg"), V2)
    assert resolve(request, 600, 400, Limits(area=90_000)).canonical == "full/300,/0/default.jpg"


def test_color_is_the_default_quality() -> None:
    color, default = (resolved(f"full/max/0/{name}.jpg", V3) for name in ("color", "default"))
    assert color == default


@pytest.mark.parametrize(
    "rotation", ["-90", "361", "", "!", "!!90", "90deg", "1e1", "nan", "+90", "90.", ".0", "!."]
)
def test_a_malformed_rotation_is_invalid(rotation: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_image_request(("full", "max", rotation, "default.jpg"), V3)


@pytest.mark.parametrize("rotation", ["1", "22.5", "!45", "359.99999999999999999999", "360.1"])
def test_a_turn_that_is_not_offered_is_invalid_as_the_specification_recommends(
    rotation: str,
) -> None:
    for version in (V2, V3):
        with pytest.raises(InvalidRequest):
            parse_image_request(("full", "max", rotation, "default.jpg"), version)


@pytest.mark.parametrize(
    "last",
    [
        *("default", "native.jpg", "default.bmp", ".jpg", "default.", "", "Default.jpg"),
        *("default.JPG", "default.jp2", "default.pdf", "default.jpeg", "default.jpg.png"),
    ],
)
def test_a_malformed_quality_or_an_unsupported_format_is_invalid(last: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_image_request(("full", "max", "0", last), V3)


def test_a_quality_of_version_1_names_the_one_to_ask_for() -> None:
    with pytest.raises(InvalidRequest, match="native is version 1's: since version 2 it is defau"):
        parse_image_request(("full", "max", "0", "native.jpg"), V2)


number = st.integers(0, 2_000).map(str)
percent = st.decimals(0, 100, places=3).map(str)
regions = st.one_of(
    st.sampled_from(["full", "square"]),
    st.tuples(number, number, number, number).map(",".join),
    st.tuples(percent, percent, percent, percent).map(lambda parts: "pct:" + ",".join(parts)),
)
sizes = st.one_of(
    st.sampled_from(["max", "^max"]),
    st.sampled_from(["full", "^pct:150", "pct:150", "^pct:99.9", "pct:100.01"]),
    number.map(lambda n: f"{n},"),
    number.map(lambda n: f",{n}"),
    percent.map(lambda n: f"pct:{n}"),
    st.tuples(st.sampled_from(["", "!", "^", "^!"]), number, number).map(
        lambda t: f"{t[0]}{t[1]},{t[2]}"
    ),
)
rotations = st.tuples(
    st.sampled_from(["", "!"]), st.sampled_from(["0", "90", "180.0", "270", "360", "45"])
).map("".join)
lasts = st.tuples(
    st.sampled_from(["default", "color", "gray", "bitonal"]),
    st.sampled_from(["jpg", "png", "webp", "gif", "tif", "avif", "jxl"]),
).map(".".join)
limits = st.builds(Limits, area=st.integers(1, 10_000_000), side=st.integers(1, 5_000))


@given(
    parameters=st.tuples(regions, sizes, rotations, lasts),
    version=st.sampled_from([V2, V3]),
    width=st.integers(1, 1500),
    height=st.integers(1, 1500),
    within=limits,
)
def test_the_canonical_form_asks_for_the_same_and_is_its_own(
    parameters: tuple[str, ...], version: Version, width: int, height: int, within: Limits
) -> None:
    """Equal in every number, so in every pixel; its canonical form included."""
    try:
        first = resolve(parse_image_request(parameters, version), width, height, within)
    except InvalidRequest:
        return
    canonical = tuple(first.canonical.split("/"))
    assert resolve(parse_image_request(canonical, version), width, height, within) == first


@given(
    parameters=st.tuples(regions, sizes, rotations, lasts),
    version=st.sampled_from([V2, V3]),
    width=st.integers(1, 1500),
    height=st.integers(1, 1500),
    within=limits,
)
def test_whatever_is_resolved_is_inside_the_image_and_the_limits(
    parameters: tuple[str, ...], version: Version, width: int, height: int, within: Limits
) -> None:
    try:
        request = resolve(parse_image_request(parameters, version), width, height, within)
    except InvalidRequest:
        return
    region = request.region
    assert 0 <= region.x < region.x + region.width <= width
    assert 0 <= region.y < region.y + region.height <= height
    assert 1 <= request.width <= within.side
    assert 1 <= request.height <= within.side
    assert request.width * request.height <= within.area
    if version is V3 and "^" not in parameters[1]:
        assert not request.is_upscaled
