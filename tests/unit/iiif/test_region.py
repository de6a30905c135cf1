"""The region parameter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.errors import InvalidRequest
from vitrine.iiif.region import Box, parse_region, resolve_region

sides = st.integers(1, 200_000)


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("full", Box(0, 0, 300, 200)),
        ("square", Box(50, 0, 200, 200)),
        ("10,20,30,40", Box(10, 20, 30, 40)),
        ("290,190,30,40", Box(290, 190, 10, 10)),
        ("pct:50,50,25,25", Box(150, 100, 75, 50)),
        ("pct:0,0,200,0.5", Box(0, 0, 300, 1)),
        ("pct:41.6,7.5,40,70", Box(125, 15, 120, 140)),
        ("pct:41.6,7.5,66.6,100", Box(125, 15, 175, 185)),
        ("pct:0,0,0.1,0.1", Box(0, 0, 1, 1)),
        ("pct:99.9,99.99,50,50", Box(299, 199, 1, 1)),
        ("299,199,1,1", Box(299, 199, 1, 1)),
        ("0,0,999999999,999999999", Box(0, 0, 300, 200)),
    ],
)
def test_a_region_is_clipped_to_the_image(text: str, box: Box) -> None:
    assert resolve_region(parse_region(text), 300, 200) == box


@pytest.mark.parametrize(
    "text",
    [
        *("", "Full", "1,2,3", "1,2,3,4,5", "-1,0,1,1", "1.5,0,1,1", "1e3,0,1,1", "٣,0,1,1"),
        *(" 1,0,1,1", "1,,1,1", "9999999999,0,1,1", "pct:", "pct:1,2,3", "pct:a,0,1,1"),
        *(
            "pct:1.,1,1,1",
            "pct:.5,1,1,1",
            "FULL",
            "Square",
            "PCT:0,0,1,1",
            "pct:-1,0,1,1",
            "pct:1e1,0,1,1",
        ),
    ],
)
def test_a_malformed_region_is_invalid(text: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_region(text)


@pytest.mark.parametrize(
    "text", ["300,0,1,1", "0,200,1,1", "0,0,0,1", "0,0,1,0", "pct:0,0,0,1", "pct:100,0,1,1"]
)
def test_an_empty_region_is_invalid(text: str) -> None:
    with pytest.raises(InvalidRequest):
        resolve_region(parse_region(text), 300, 200)


@given(text=st.text(max_size=40))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse_region(text)
    except InvalidRequest:
        return


@given(
    numbers=st.tuples(*[st.integers(0, 300_000)] * 4),
    width=sides,
    height=sides,
    percent=st.booleans(),
)
def test_a_resolved_region_lies_inside_the_image(
    numbers: tuple[int, ...], width: int, height: int, percent: bool
) -> None:
    text = ",".join(str(number % 101 if percent else number) for number in numbers)
    try:
        box = resolve_region(parse_region(("pct:" if percent else "") + text), width, height)
    except InvalidRequest:
        return
    assert box.width >= 1
    assert box.height >= 1
    assert 0 <= box.x <= box.x + box.width <= width
    assert 0 <= box.y <= box.y + box.height <= height
