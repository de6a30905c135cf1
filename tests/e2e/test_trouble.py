"""What the viewer says of tiles that do not arrive, and when it stops saying so."""

import threading
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.viewer_page import open_viewer, read_information, write_page
from tests.e2e.visit import OpenPage, Visit


@pytest.fixture
def html(edge_url: str, image: dict[str, Any]) -> str:
    return write_page(edge_url, read_information(edge_url, image["identifier"]))


def zoom_in(visit: Visit) -> None:
    """Zoom so far that the viewer needs further tiles."""
    visit.page.get_by_role("application").focus()
    for _ in range(4):
        visit.page.keyboard.press("+")


def test_an_image_that_is_gone_is_explained(open_page: OpenPage, html: str) -> None:
    def withdraw(page: Page) -> None:
        page.route("**/iiif/3/**", lambda route: route.fulfill(status=410))

    visit = open_viewer(open_page, html, prepare=withdraw)
    expect(visit.page.get_by_role("alert")).to_have_text(
        "The image “Chart 1” is not available: it may have been withdrawn."
    )


def test_a_lost_connection_is_explained_and_mended_by_itself(
    open_page: OpenPage, html: str
) -> None:
    visit = open_viewer(open_page, html)
    visit.wait_for_tiles()
    visit.page.context.set_offline(True)
    zoom_in(visit)
    alert = visit.page.get_by_role("alert")
    expect(alert).to_contain_text("You are offline")
    visit.responses.clear()
    visit.page.context.set_offline(False)
    expect(alert).to_be_hidden()
    visit.wait_for_scales(lambda scales: 1 in scales)


def test_what_fails_late_after_the_connection_is_back_is_loaded_without_a_word(
    open_page: OpenPage, html: str
) -> None:
    visit = open_viewer(open_page, html)
    visit.wait_for_tiles()
    page, held, is_back = visit.page, list[Route](), threading.Event()
    page.route(
        "**/iiif/3/**/default.jpg",
        lambda route: route.continue_() if is_back.is_set() else held.append(route),
    )
    zoom_in(visit)
    while len(held) < 2:
        page.wait_for_timeout(100)
    page.context.set_offline(True)
    held.pop().abort()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("You are offline")
    is_back.set()
    page.context.set_offline(False)
    expect(alert).to_be_hidden()
    late = {route.request.url for route in held}
    for route in held:
        route.abort()
    # Those of its way there, which the view needs no more, do not come.
    visit.wait_until(lambda: any(one.url in late and one.status == 200 for one in visit.responses))
    assert alert.is_hidden()
