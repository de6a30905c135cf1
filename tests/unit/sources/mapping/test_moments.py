"""Dates of tables as places on a timeline."""

import pytest

from vitrine.sources.mapping.moments import first_moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1642", "1642-01-01T00:00:00Z"),
        ("1642-05", "1642-05-01T00:00:00Z"),
        ("1642-05-31T12:00:00Z", "1642-05-31T12:00:00Z"),
        ("1642-05-31T12:00", "1642-05-31T12:00:00Z"),
        ("1642-05-31 12:00:00.5", "1642-05-31T12:00:00Z"),
        ("1642-05-31t12:00:00+02:00", "1642-05-31T12:00:00+02:00"),
        ("1642-05-32T12:00:00Z", ""),
        ("1955; 1956; 1957", "1955-01-01T00:00:00Z"),
        ("1642-13", ""),
        ("about 1642", ""),
    ],
)
def test_the_first_moment_of_a_date(text: str, moment: str) -> None:
    assert first_moment(text) == moment
