"""Charts and reports of load tests, studies and simulations."""

import re

import pytest

from loadtest.report import charts, document

pytestmark = pytest.mark.slow


def _chart(name: str) -> str:
    return charts.line_chart(
        name, [charts.Series("a", 0, [1, 2], [3.0, 4.0], [0.1, 0.2])], "x", "y"
    )


def test_two_charts_on_a_page_share_no_id() -> None:
    ids = [set(re.findall(r'\bid="([^"]+)"', _chart(name))) for name in ("one", "two")]
    assert not ids[0] & ids[1]
    assert all(
        f'id="{target}"' in _chart("one")
        for target in re.findall(r'href="#([^"]+)"', _chart("one"))
    )


def test_equal_charts_are_equal_bytes() -> None:
    assert _chart("one") == _chart("one")


def test_a_page_asks_the_network_for_nothing_and_escapes_what_it_shows() -> None:
    table = document.Table("<b>", ("a", "b"), [("x & y", "1")])
    page = document.html_page("t", [table, document.Chart("one", 'say "a"', _chart("one"))])
    assert "<b>" not in page
    assert "x &amp; y" in page
    addresses = set(re.findall(r'(?:href|src)="(?!#)([^"]+)"', page))
    assert not addresses
    assert "<script" not in page
