"""The site's pages in a real browser, with the real service behind them."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.visit import OpenPage, Visit

ARTEFACTS = Path(__file__).parents[2] / "artefacts"
PHONE = {"width": 390, "height": 844}


def _keep(visit: Visit, name: str) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    visit.page.screenshot(path=ARTEFACTS / f"{name}.png")


def _link(page: Page, image: dict[str, Any]) -> Any:
    """The link of this image on the first page."""
    return page.get_by_role("link", name=image["identifier"], exact=True)


def _path(image: dict[str, Any]) -> str:
    return f"/objects/{quote(image['identifier'], ':')}"


def test_the_first_page_shows_what_was_published(
    open_page: OpenPage, image: dict[str, Any]
) -> None:
    visit = open_page()
    link = _link(visit.page, image)
    link.scroll_into_view_if_needed()
    picture = link.locator("img")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("picture => picture.naturalWidth") > 0
    _keep(visit, "home")
    assert visit.complaints == []


def test_the_first_page_leads_to_the_page_of_an_image(
    open_page: OpenPage, image: dict[str, Any], edge_url: str
) -> None:
    visit = open_page()
    visit.page.wait_for_load_state("networkidle")  # what leaving cuts off would be a complaint
    _link(visit.page, image).click()
    expect(visit.page.get_by_role("heading", level=1)).to_have_text(image["identifier"])
    picture = visit.page.locator(".canvas img").first
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("picture => picture.naturalWidth") > 0
    download = visit.page.get_by_role("link", name="Full resolution")
    answer = visit.page.request.get(edge_url + str(download.get_attribute("href")))
    assert (answer.status, answer.headers["content-type"]) == (200, "image/jpeg")
    assert visit.hosts() == {edge_url.partition("://")[2]}
    assert visit.complaints == []


def test_an_images_base_address_opens_its_page(open_page: OpenPage, image: dict[str, Any]) -> None:
    visit = open_page(f"/iiif/3/{quote(image['identifier'], '')}")
    expect(visit.page.get_by_role("heading", level=1)).to_have_text(image["identifier"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["home", "object", "about"])
def test_pages_fit_a_phone(
    open_page: OpenPage, image: dict[str, Any], scheme: str, page: str
) -> None:
    path = {"home": "/", "object": _path(image), "about": "/about"}[page]
    visit = open_page(path, **PHONE, scheme=scheme)
    expect(visit.page.get_by_role("heading", level=1)).to_be_visible()
    assert visit.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    _keep(visit, f"phone-{page}-{scheme}")
    assert visit.complaints == []


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_a_phone_shows_an_image_as_a_whole_without_tiles(
    open_page: OpenPage, image: dict[str, Any], scale: int
) -> None:
    """The picture that the browser chooses is sharp enough for the viewer."""
    visit = open_page(_path(image), **PHONE, scale=scale)
    visit.page.wait_for_selector("figure.ready")
    visit.page.wait_for_function(
        "OpenSeadragon.getViewer(document.querySelector('.stage'))"
        ".world.getItemAt(0)?.getFullyLoaded()"
    )
    images = [one.url for one in visit.responses if "/iiif/3/" in one.url]
    assert images
    assert all("/full/" in one for one in images)


def test_the_first_step_of_the_keyboard_is_to_the_content(open_page: OpenPage) -> None:
    visit = open_page()
    visit.page.keyboard.press("Tab")
    skip = visit.page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator("main")).to_be_focused()
