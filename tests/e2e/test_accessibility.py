"""Every kind of page, judged by axe-core in a real browser, and walked through by keyboard."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import SCHEMES, SCREENS, Fault, find_faults, wait_until_whole
from tests.e2e.conftest import EDGE_URL_VARIABLE
from tests.e2e.published_site import PAGES, publish_site
from tests.e2e.visit import OpenPage

MAX_STEPS = 120
"""Presses of the tab key that lead through any of these pages."""
FOCUS = """() => {
  const element = document.activeElement
  if (!element || element === document.body) return null
  const box = element.getBoundingClientRect(), style = getComputedStyle(element)
  return {
    name: element.outerHTML.slice(0, 160),
    number: [...document.querySelectorAll('*')].indexOf(element),
    interactive: element.matches('a, button, input, select, summary, textarea, [tabindex]'),
    marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
  }
}"""
IN_SIGHT = """() => {
  const box = document.activeElement.getBoundingClientRect()
  return box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight
}"""
REACHABLE = """() => [...document.querySelectorAll(
    'a[href], button, input, select, summary, textarea, [tabindex="0"]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled)
  .filter((one) => one.tabIndex >= 0 && !one.closest('[inert]'))
  .map((one) => [...document.querySelectorAll('*')].indexOf(one))"""


SMALL = """() => [...document.querySelectorAll(
    ':is(nav, .facets, .values, .chosen, .narrow, .downloads) :is(a, button), summary')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 160)])
  .filter(([box]) => box.width < 44 || box.height < 44)
  .map(([box, html]) => `${box.width} by ${box.height}: ${html}`)"""
"""Links of lists and other targets that stand by themselves, and are smaller than a finger."""


@pytest.fixture(scope="module", autouse=True)
def _published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of a collection that the tests publish")
    folder: Path = tmp_path_factory.mktemp("site")
    publish_site(request.getfixturevalue("service"), folder)


def _judge(page: Page) -> list[Fault]:
    """Return what axe-core finds on a whole page."""
    wait_until_whole(page)
    return find_faults(page)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", PAGES)
def test_axe_finds_no_fault(open_page: OpenPage, kind: str, scheme: str, screen: str) -> None:
    width, height = SCREENS[screen]
    visit = open_page(PAGES[kind], width=width, height=height, scheme=scheme)
    assert _judge(visit.page) == []
    assert visit.complaints == []


def test_a_fault_would_be_found(open_page: OpenPage) -> None:
    page = open_page(PAGES["object"]).page
    page.evaluate("document.documentElement.removeAttribute('lang')")
    assert [one[0] for one in _judge(page)] == ["html-has-lang"]


@pytest.mark.parametrize("kind", PAGES)
def test_the_tab_key_reaches_everything_and_shows_where_it_is(
    open_page: OpenPage, kind: str
) -> None:
    page = open_page(PAGES[kind]).page
    wait_until_whole(page)
    reachable = set(page.evaluate(REACHABLE))
    visited: list[int] = []
    for _ in range(MAX_STEPS):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus is None or focus["number"] in visited:
            break
        visited.append(focus["number"])
        assert focus["interactive"], focus["name"]
        page.wait_for_function(IN_SIGHT)  # once the page has scrolled
        assert focus["marked"], f"nobody sees where the focus is: {focus['name']}"
    assert reachable <= set(visited)
    assert visited == sorted(visited), "the order of the tab key is not that of the page"


@pytest.mark.parametrize("kind", [name for name in PAGES if name not in ("home", "embedded")])
def test_the_first_stop_skips_to_the_content(open_page: OpenPage, kind: str) -> None:
    page = open_page(PAGES[kind]).page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


@pytest.mark.parametrize("kind", PAGES)
def test_nothing_is_wider_than_a_small_phone(open_page: OpenPage, kind: str) -> None:
    page = open_page(PAGES[kind], width=320, height=640).page
    wait_until_whole(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("kind", PAGES)
def test_what_a_finger_touches_is_as_large_as_a_finger(open_page: OpenPage, kind: str) -> None:
    page = open_page(PAGES[kind], width=390, height=844).page
    wait_until_whole(page)
    assert page.evaluate(SMALL) == []
