"""What iipsrv is asked for, and believed to read. That it reads nothing else is tested on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.render.pyramid_levels import Level, halved, request
from vitrine.deliver.render.iipsrv import iipsrv_query, locate_reading
from vitrine.iiif.region import Box


def test_a_request_becomes_numbers_only() -> None:
    requested = request("square/!500,500/!90/gray.jpg", 7300, 4100)
    query = iipsrv_query("00ff.tif", requested, 2)
    assert query == "RES=2&IIIF=00ff.tif/1600,0,4100,4100/500,500/!90/gray.jpg"


@pytest.mark.parametrize(
    ("region", "number", "box"),
    [
        ("0,0,7300,4100", 0, Box(0, 0, 7300, 4100)),
        ("0,0,7300,4100", 3, Box(0, 0, 912, 512)),
        ("513,1023,7,8", 3, Box(64, 127, 1, 2)),
        ("7296,4096,4,4", 3, Box(911, 511, 1, 1)),
    ],
)
def test_a_region_is_read_where_it_touches_pixels_of_the_level(
    region: str, number: int, box: Box
) -> None:
    levels: list[Level] = halved(7300, 4100, up=False)
    requested = request(f"{region}/max/0/default.jpg", 7300, 4100)
    assert locate_reading(requested, number, levels[number]) == box


@given(data=st.data(), width=st.integers(1, 9_000), height=st.integers(1, 9_000))
def test_a_reading_is_inside_its_level_even_where_the_level_lacks_the_region(
    data: st.DataObject, width: int, height: int
) -> None:
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    w, h = data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y))
    levels: list[Level] = halved(width, height, up=data.draw(st.booleans()))
    number = data.draw(st.integers(0, len(levels) - 1))
    level = levels[number]
    box = locate_reading(
        request(f"{x},{y},{w},{h}/max/0/default.jpg", width, height), number, level
    )
    assert 0 <= box.x < box.x + box.width <= level.width
    assert 0 <= box.y < box.y + box.height <= level.height
