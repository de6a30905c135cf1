"""A visitor finds what the texts of pages have, and is led to the page and the word on it."""

import os
import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import find_faults
from tests.e2e.conftest import EDGE_URL_VARIABLE
from tests.e2e.visit import OpenPage
from tests.integration.local.books_with_texts import publish_books

BOOKS = 12
"""More than one answer has."""
SOME = 10


@pytest.fixture(scope="module", autouse=True)
def _published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of books that the tests publish")
    publish_books(
        request.getfixturevalue("service"),
        tmp_path_factory.mktemp("texts"),
        "hearsay",
        {
            "one": "Nobody saw the wyvern & its <b>young</b> on the moor".replace("&", "&amp;")
            .replace("<", "&lt;")
            .replace(">", "&gt;"),
            "many": "A quagga was sold at the fair",
        },
        {"Tales": "one"} | {f"Ledger {number}": "many" for number in range(1, BOOKS + 1)},
        "wyvern",
        "quagga",
    )


def _section(page: Page) -> Locator:
    return page.get_by_role("region", name="In the texts")


def test_a_word_of_a_text_is_shown_in_its_sentence_and_its_title_leads_to_the_place(
    open_page: OpenPage,
) -> None:
    visit = open_page("/search?q=wyvern")
    page = visit.page
    expect(page.get_by_role("status")).to_have_text(
        "Nothing was found for “wyvern”. The text of 1 object has “wyvern”."
    )
    section = _section(page)
    expect(section.locator("p[dir]")).to_have_text(
        "Nobody saw the wyvern & its <b>young</b> on the moor"
    )
    expect(section.locator("mark")).to_have_text("wyvern")
    section.get_by_role("link", name="Tales").click()
    page.wait_for_url("**/objects/hearsay-1?iiif-content=*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Tales")
    expect(page.get_by_role("application")).to_be_visible()
    assert visit.complaints == []


def test_further_texts_come_when_they_are_asked_for_and_the_focus_goes_on(
    open_page: OpenPage,
) -> None:
    page = open_page("/search?q=quagga").page
    expect(page.get_by_role("status")).to_have_text(
        re.compile(f"The texts of {BOOKS} objects have “quagga”.$")
    )
    section = _section(page)
    expect(section.get_by_role("link")).to_have_count(SOME)
    section.get_by_role("button", name="Show more").click()
    expect(section.get_by_role("link")).to_have_count(BOOKS)
    expect(section.get_by_role("link").nth(SOME)).to_be_focused()
    expect(section.get_by_role("button")).to_be_hidden()


def test_texts_follow_what_is_typed_and_go_with_it(open_page: OpenPage) -> None:
    page = open_page("/search").page
    box = page.get_by_role("searchbox")
    box.fill("wyvern")
    expect(_section(page).get_by_role("link")).to_have_count(1)
    box.fill("")
    expect(_section(page)).to_be_hidden()


def test_a_site_without_texts_or_without_the_service_shows_nothing_of_them(
    open_page: OpenPage,
) -> None:
    page = open_page("/search?q=zebra").page
    expect(page.get_by_role("status")).to_have_text("Nothing was found for “zebra”.")
    expect(_section(page)).to_be_hidden()

    def take_away(page: Page) -> None:
        page.route("**/inside/**", lambda route: route.fulfill(status=404))

    page = open_page("/search?q=wyvern", prepare=take_away).page
    expect(page.get_by_role("status")).to_have_text("Nothing was found for “wyvern”.")
    expect(_section(page)).to_be_hidden()


def test_a_search_that_fails_says_so_and_titles_are_found_as_ever(open_page: OpenPage) -> None:
    def fail(page: Page) -> None:
        page.route("**/inside/**", lambda route: route.fulfill(status=503))

    page = open_page("/search?q=tales", prepare=fail).page
    expect(page.get_by_role("status")).to_have_text(
        re.compile(r"for “tales”.* Texts cannot be searched just now\.$")
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_texts(open_page: OpenPage, scheme: str) -> None:
    page = open_page("/search?q=quagga", scheme=scheme).page
    expect(_section(page).get_by_role("link")).to_have_count(SOME)
    assert find_faults(page) == []
    assert urlsplit(page.url).path == "/search"
