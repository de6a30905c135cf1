"""A book lies open: its cover alone, then two pages next to each other."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.viewer_page import faults, open_viewer, read_information, write_page
from tests.e2e.visit import OpenPage

SCRIPT = Path(__file__).parents[2] / "site" / "viewer" / "spreads.js"
CURRENT = """() => [...document.querySelectorAll('.strip [aria-current]')]
  .map((one) => one.getAttribute('aria-label').match(/\\d+/)[0]).join(' ')"""


@pytest.fixture
def information(edge_url: str, image: dict[str, Any]) -> dict[str, Any]:
    return read_information(edge_url, image["identifier"])


def shown(page: Page, pages: str) -> None:
    page.wait_for_function(f"() => ({CURRENT})() === '{pages}'")


@pytest.mark.parametrize(
    ("behaviours", "openings"),
    [
        (("", "", "", ""), [[0], [1, 2], [3]]),
        (("", "", "non-paged", "", ""), [[0], [1, 3], [2], [4]]),
        (("", "", "facing-pages", "", ""), [[0], [1], [2], [3, 4]]),
        (("non-paged", "", "", ""), [[0], [1], [2, 3]]),
        (("",), [[0]]),
    ],
)
def test_pages_lie_next_to_each_other_as_they_are_bound(
    behaviours: tuple[str, ...], openings: list[list[int]]
) -> None:
    canvases = json.dumps([{"alone": one} for one in behaviours])
    script = (
        f"import {{ arrangeOpenings }} from '{SCRIPT.as_uri()}';"
        f"console.log(JSON.stringify(arrangeOpenings({canvases})))"
    )
    command = ["node", "--no-warnings", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == openings


@pytest.mark.parametrize("direction", ["left-to-right", "right-to-left"])
def test_a_book_is_turned_opening_by_opening(
    open_page: OpenPage, edge_url: str, information: dict[str, Any], direction: str
) -> None:
    html = write_page(edge_url, information, pages=5, direction=direction, behaviour="paged")
    visit = open_viewer(open_page, html)
    page = visit.page
    shown(page, "1")
    page.get_by_role("application").focus()
    page.keyboard.press("PageDown")
    shown(page, "2 3")
    spoken = page.locator("figure").get_by_role("status")
    expect(spoken).to_contain_text("Page 2 of 5: Chart 2")
    expect(spoken).to_contain_text("Page 3 of 5: Chart 3")
    page.get_by_role("button", name="Next page").click()
    shown(page, "4 5")
    expect(page.get_by_role("button", name="Next page")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("application").focus()
    page.keyboard.press("Home")
    shown(page, "1")
    assert faults(visit) == []


@pytest.mark.parametrize(
    ("direction", "first"), [("left-to-right", "Chart 2"), ("right-to-left", "Chart 3")]
)
def test_a_link_to_a_detail_names_the_page_that_is_looked_at(
    open_page: OpenPage, edge_url: str, information: dict[str, Any], direction: str, first: str
) -> None:
    html = write_page(edge_url, information, pages=3, direction=direction, behaviour="paged")
    page = open_viewer(open_page, html, query="#view-2").page
    shown(page, "2 3")
    page.get_by_role("application").focus()
    for key in ("+", "+", "+", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    page.wait_for_timeout(1500)
    page.keyboard.press("i")
    expect(page.locator("figure").get_by_role("status")).to_contain_text(f"{first}. Zoomed")


def test_a_narrow_screen_shows_one_page_until_two_are_asked_for(
    open_page: OpenPage, edge_url: str, information: dict[str, Any]
) -> None:
    html = write_page(edge_url, information, pages=3, behaviour="paged")
    page = open_viewer(open_page, html, query="#view-2", width=390, height=844).page
    shown(page, "2")
    button = page.get_by_role("button", name="Two pages at once")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    shown(page, "2 3")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.get_by_role("application").focus()
    page.keyboard.press("d")
    shown(page, "2")


def test_pictures_that_are_no_book_have_no_openings(
    open_page: OpenPage, edge_url: str, information: dict[str, Any]
) -> None:
    page = open_viewer(open_page, write_page(edge_url, information, pages=3), query="#view-2").page
    shown(page, "2")
    expect(page.get_by_role("button", name="Two pages at once")).to_have_count(0)
