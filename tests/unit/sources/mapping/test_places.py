"""Places as tables write them."""

import pytest

from vitrine.iiif.presentation.model import Place
from vitrine.sources.mapping.places import find_place, is_degrees


@pytest.mark.parametrize(
    ("latitude", "longitude", "expected"),
    [
        ("52.01", "4.36", (52.01, 4.36)),
        ("-33,87", "+151,2", (-33.87, 151.2)),
        ("90", "-180", (90.0, -180.0)),
        ("0", "-0.19", (0.0, -0.19)),
    ],
)
def test_degrees_are_a_place(latitude: str, longitude: str, expected: tuple[float, float]) -> None:
    assert find_place(latitude, longitude) == Place(latitude=expected[0], longitude=expected[1])
    assert is_degrees(latitude)


@pytest.mark.parametrize(
    ("latitude", "longitude"),
    [
        ("0", "0.0"),
        ("91", "4"),
        ("52", "181"),
        ("52 N", "4"),
        ("", "4"),
        ("52", ""),
        ("1e1", "4"),
        ("nan", "4"),
    ],
)
def test_what_cannot_be_a_place_is_left_out(latitude: str, longitude: str) -> None:
    assert find_place(latitude, longitude) is None
