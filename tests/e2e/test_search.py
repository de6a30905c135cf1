"""A visitor searches in a real browser: by words, by their beginnings, by facets."""

import os
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import EDGE_URL_VARIABLE, open_context
from tests.e2e.published_site import BOOK, COLLECTION, SINGLE, publish_site
from tests.e2e.viewer_page import COUNT_SHIFTS
from tests.e2e.visit import OpenPage

LOOKS = 10
SHOWN_ANYWAY_MILLISECONDS = 5_000
"""Time after which the page shows what stands below results that are late (`site/style.css`)."""


@pytest.fixture(scope="module", autouse=True)
def _published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of a collection that the tests publish")
    publish_site(request.getfixturevalue("service"), tmp_path_factory.mktemp("site"))


def _titles(page: Page) -> list[str]:
    return page.locator(".results .card .title").all_inner_texts()


def _status(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("status")).to_have_text(text)


def test_the_first_page_leads_to_what_was_asked_for(open_page: OpenPage) -> None:
    visit = open_page("/")
    page = visit.page
    page.get_by_role("searchbox").fill("pictures")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=pictures")
    _status(page, "2 entries for “pictures”")
    assert sorted(_titles(page)) == ["A picture", "Described pictures"]
    page.get_by_role("link", name="A picture").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A picture")
    assert visit.complaints == []


def test_results_follow_what_is_typed_and_the_focus_stays(open_page: OpenPage) -> None:
    page = open_page("/search").page
    box = page.get_by_role("searchbox")
    box.press_sequentially("boo")
    # Other tests publish books of their own in the same service.
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^\d+ entr(y|ies) for “boo”$"))
    assert "A book" in _titles(page)
    assert page.url.endswith("/search?q=boo")
    assert page.evaluate("document.activeElement.matches('input')")
    box.fill("zebra")
    _status(page, "Nothing was found for “zebra”.")
    assert _titles(page) == []


@pytest.mark.parametrize("address", ["/search", "/search?q=pictures"])
def test_nothing_moves_while_results_come(open_page: OpenPage, address: str) -> None:
    for _ in range(LOOKS):
        page = open_page(address, prepare=lambda page: page.add_init_script(COUNT_SHIFTS)).page
        expect(page.locator(".results[data-settled]")).to_be_attached()
        if page.evaluate("performance.now()") < SHOWN_ANYWAY_MILLISECONDS:
            break
    else:
        raise AssertionError("no results came before the page stopped waiting for them")
    expect(page.get_by_role("contentinfo")).to_be_visible()
    page.wait_for_timeout(500)
    assert page.evaluate("window.shifted") == 0


def test_a_facet_counts_and_narrows_the_results(open_page: OpenPage) -> None:
    visit = open_page("/search?q=maker")
    page = visit.page
    _status(page, "2 entries for “maker”")
    page.get_by_text("Maker", exact=True).first.click()
    page.get_by_role("link", name="B. Maker").click()
    page.wait_for_url("**/search?q=maker&in=maker%3Ab-maker")
    _status(page, "1 entry for “maker”")
    assert _titles(page) == ["A book"]
    page.get_by_role("link", name="Remove Maker: B. Maker").click()
    _status(page, "2 entries for “maker”")
    assert visit.complaints == []


def test_a_search_that_was_never_built_says_so(open_page: OpenPage) -> None:
    def take_away(page: Page) -> None:
        page.route("**/search/index/directory.json", lambda route: route.fulfill(status=404))

    page = open_page("/search", prepare=take_away).page
    _status(page, re.compile("^There is no search yet"))
    page.get_by_role("searchbox").fill("picture")
    expect(page).to_have_url(re.compile("q=picture"))
    _status(page, re.compile("^There is no search yet"))


def test_facets_work_without_javascript(browser: Browser, edge_url: str) -> None:
    context = open_context(browser, base_url=edge_url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("searchbox").fill("picture")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=picture")
    expect(page.locator("noscript p")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Browse").click()
    page.get_by_role("link", name="Maker", exact=True).click()
    page.get_by_role("link", name="C. Maker").click()
    expect(page.locator(".card .title")).to_have_text(["A book"])
    page.get_by_role("link", name="A book").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A book")
    context.close()


def test_a_collection_is_searched_by_itself_and_put_in_order(open_page: OpenPage) -> None:
    visit = open_page(f"/collections/{COLLECTION}")
    page = visit.page
    page.get_by_role("link", name="Search among these").click()
    _status(page, "2 entries")
    assert sorted(_titles(page)) == ["A book", "A picture"]
    expect(page.get_by_role("link", name="Remove Collection: Described pictures")).to_be_visible()
    assert visit.complaints == []


def test_browsing_leads_to_every_list(open_page: OpenPage) -> None:
    visit = open_page("/")
    page = visit.page
    page.get_by_role("link", name="Browse").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Browse")
    page.get_by_role("link", name="B. Maker").click()
    expect(page.locator(".card .title").first).to_have_text("A book")
    assert visit.complaints == []


def test_an_object_shows_what_shares_most_with_it(open_page: OpenPage) -> None:
    visit = open_page(f"/objects/{BOOK}", prepare=lambda page: page.add_init_script(COUNT_SHIFTS))
    page = visit.page
    similar = page.locator(".similar")
    assert similar.locator(".card").count() == 0  # nothing is fetched before somebody scrolls
    similar.scroll_into_view_if_needed()
    expect(similar.locator(".note, .card").first).to_be_visible()
    assert "A book" not in similar.locator(".title").all_inner_texts()
    assert page.evaluate("window.shifted") == 0
    assert visit.complaints == []


def test_an_object_is_compared_with_one_that_is_found_by_its_title(open_page: OpenPage) -> None:
    visit = open_page(f"/objects/{SINGLE}")
    page = visit.page
    page.locator(".viewer.ready").wait_for()
    page.get_by_role("button", name="Compare with another image").click()
    page.get_by_label("Or another object: its title, or its address").fill("A boo")
    page.get_by_role("dialog").get_by_role("button", name="A book").first.click()
    expect(page.locator(".stages.two .stage")).to_have_count(2)
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert visit.complaints == []


def test_a_place_on_the_map_leads_to_its_objects(open_page: OpenPage) -> None:
    visit = open_page("/browse")
    page = visit.page
    page.get_by_role("link", name="Map", exact=True).click()
    place = page.get_by_role("button", name="1 object near 35°, 136°")
    place.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".map .card .title")).to_have_text(["A book"])
    page.get_by_role("button", name="Zoom in").click()
    expect(place).to_be_hidden()
    assert visit.complaints == []


def test_places_are_a_list_without_javascript(browser: Browser, edge_url: str) -> None:
    context = open_context(browser, base_url=edge_url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/map")
    page.get_by_role("link", name="All places as a list").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Place on the map")
    places = page.locator(".values a")
    expect(places).to_have_text(["35°\u201335°30\u2032 N, 135°30\u2032\u2013136° E", "Delft"])
    places.first.press("Enter")
    expect(page.locator(".card .title")).to_have_text(["A book"])
    page.goto("/browse/decade")
    page.get_by_role("link", name="1640s").press("Enter")
    expect(page.locator(".card .title")).to_have_text(["A picture"])
    context.close()
