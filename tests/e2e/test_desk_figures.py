"""What the desk costs who opens it, and who types into a long table."""

import pytest
from playwright.sync_api import Browser

from tests.e2e.desk_figures import KEYS, measure_desk

pytestmark = pytest.mark.slow
MAX_KILOBYTES = 120


def test_the_desk_is_small_and_a_key_redraws_its_row_alone(browser: Browser, edge_url: str) -> None:
    """Times are printed, and judged by people (`python -m tests.e2e.desk_figures`)."""
    figures = measure_desk(browser, edge_url)
    print("\n".join(figures.lines()))
    assert 0 < figures.kilobytes < MAX_KILOBYTES
    assert KEYS <= figures.redrawn_rows <= KEYS + 2, "an arrow leaves a row, and enters another"
