"""The page in a real browser, with the real service behind it."""

import re
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


def _work(page: Page, image: dict[str, Any]) -> Any:
    """The link of this image in the gallery."""
    return page.get_by_role("link", name=image["identifier"], exact=True)


def _wait_for_tiles(visit: Visit, count: int) -> None:
    """Until tiles of `count` scale factors have arrived."""
    for _ in range(100):
        if len(visit.tile_scales()) >= count:
            return
        visit.page.wait_for_timeout(100)
    raise AssertionError(f"tiles of these scale factors only: {visit.tile_scales()}")


def test_the_gallery_shows_what_was_published(open_page: OpenPage, image: dict[str, Any]) -> None:
    visit = open_page()
    work = _work(visit.page, image)
    work.scroll_into_view_if_needed()
    picture = work.locator("img")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("picture => picture.naturalWidth") > 0
    address = visit.page.get_by_title("/info.json").filter(has_text=quote(image["identifier"], ":"))
    expect(address.first).to_be_visible()
    _keep(visit, "gallery")
    assert visit.complaints == []


def test_the_viewer_zooms_in_through_three_levels(
    open_page: OpenPage, image: dict[str, Any]
) -> None:
    visit = open_page()
    _work(visit.page, image).click()
    _wait_for_tiles(visit, 1)
    for _ in range(8):
        visit.page.get_by_role("button", name="Zoom in").click()
        visit.page.wait_for_timeout(150)
    _wait_for_tiles(visit, 3)
    visit.page.wait_for_timeout(1500)
    _keep(visit, "viewer-zoomed")
    assert [(one.url, one.status) for one in visit.responses if one.status >= 400] == []
    assert visit.complaints == []


def test_every_request_stays_with_us(
    open_page: OpenPage, image: dict[str, Any], edge_url: str
) -> None:
    visit = open_page()
    _work(visit.page, image).click()
    _wait_for_tiles(visit, 1)
    assert visit.hosts() == {edge_url.partition("://")[2]}


def test_a_deep_link_opens_the_image(open_page: OpenPage, image: dict[str, Any]) -> None:
    visit = open_page(f"/#{quote(image['identifier'], '')}")
    expect(visit.page.get_by_role("heading", name=image["identifier"])).to_be_visible()
    _wait_for_tiles(visit, 1)
    assert visit.page.title() == f"{image['identifier']} · Vitrine"


def test_the_info_json_address_can_be_copied(open_page: OpenPage, image: dict[str, Any]) -> None:
    visit = open_page()
    name = f"Copy the info.json address of {image['identifier']}"
    visit.page.get_by_role("button", name=name, exact=True).first.click()
    expect(visit.page.locator("#announcement")).to_contain_text("Copied")
    copied = visit.page.evaluate("navigator.clipboard.readText()")
    answer = visit.page.request.get(copied)
    assert answer.status == 200
    assert (answer.json()["width"], answer.json()["height"]) == (image["width"], image["height"])
    assert f"{answer.json()['id']}/info.json" == copied


def test_the_keyboard_is_enough(open_page: OpenPage, image: dict[str, Any]) -> None:
    visit = open_page()
    work = _work(visit.page, image)
    work.focus()
    visit.page.keyboard.press("Enter")
    stage = visit.page.get_by_role("application")
    expect(stage).to_be_focused()
    _wait_for_tiles(visit, 1)
    for _ in range(5):  # each as much as a press of the button
        visit.page.keyboard.press("+")
        visit.page.wait_for_timeout(150)
    for _ in range(100):
        if 1 in visit.tile_scales():
            break
        visit.page.wait_for_timeout(100)
    assert 1 in visit.tile_scales(), "tiles of full resolution"
    visit.page.keyboard.press("Escape")
    expect(work).to_be_focused()
    expect(visit.page).not_to_have_url(re.compile("#"))


def test_back_leads_from_the_viewer_to_the_gallery(
    open_page: OpenPage, image: dict[str, Any]
) -> None:
    visit = open_page()
    _work(visit.page, image).click()
    expect(visit.page.get_by_role("dialog")).to_be_visible()
    visit.page.go_back()
    expect(visit.page.get_by_role("dialog")).to_be_hidden()


def test_an_image_that_was_closed_leaves_one_step_of_the_history(
    open_page: OpenPage, image: dict[str, Any]
) -> None:
    visit = open_page("/#")
    dialog = visit.page.get_by_role("dialog")
    before = visit.page.evaluate("history.length")
    for _ in range(3):
        _work(visit.page, image).click()
        expect(dialog).to_be_visible()
        visit.page.get_by_role("button", name="Back to the gallery").click()
        expect(dialog).to_be_hidden()
        expect(visit.page).not_to_have_url(re.compile("#."))
    # The last one can be had again by Forward: that is the only entry that came.
    assert visit.page.evaluate("history.length") == before + 1
    visit.page.go_forward()
    expect(dialog).to_be_visible()
    visit.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(visit.page).not_to_have_url(re.compile("#."))  # it goes a step back by itself
    visit.page.go_back()
    expect(visit.page).to_have_url("about:blank")


def test_closing_an_image_that_a_link_led_to_shows_the_gallery(
    open_page: OpenPage, image: dict[str, Any]
) -> None:
    visit = open_page(f"/#{quote(image['identifier'], '')}")
    before = visit.page.evaluate("history.length")
    visit.page.get_by_role("button", name="Back to the gallery").click()
    expect(visit.page.get_by_role("dialog")).to_be_hidden()
    expect(_work(visit.page, image)).to_be_visible()
    assert visit.page.evaluate("history.length") == before


def test_an_images_base_address_opens_its_page(open_page: OpenPage, image: dict[str, Any]) -> None:
    visit = open_page(f"/iiif/3/{quote(image['identifier'], '')}")
    expect(visit.page.get_by_role("heading", name=image["identifier"])).to_be_visible()
    _wait_for_tiles(visit, 1)


def _dark_edges(picture: bytes) -> set[str]:
    """The sides of a picture whose outermost line has no colour of the chart."""
    import numpy as np
    import pyvips

    pixels = pyvips.Image.new_from_buffer(picture, "").numpy()[:, :, :3].astype(int)
    lines = {
        "left": pixels[:, 0],
        "right": pixels[:, -1],
        "top": pixels[0],
        "bottom": pixels[-1],
    }
    return {name for name, line in lines.items() if np.median(line.max(axis=1)) < 20}


@pytest.mark.parametrize(
    "viewport", [{"width": 1440, "height": 900}, {"width": 1283, "height": 771}]
)
def test_the_image_fills_the_stage_to_its_edges(
    open_page: OpenPage, image: dict[str, Any], viewport: dict[str, int]
) -> None:
    visit = open_page(**viewport)
    _work(visit.page, image).click()
    _wait_for_tiles(visit, 1)
    stage = visit.page.locator("#stage")
    for _ in range(6):  # up to three screen pixels for one of the image
        visit.page.get_by_role("button", name="Zoom in").click()
        visit.page.wait_for_timeout(1500)
    assert _dark_edges(stage.screenshot()) == set()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(open_page: OpenPage, image: dict[str, Any], scheme: str) -> None:
    visit = open_page(**PHONE, scheme=scheme)
    expect(_work(visit.page, image)).to_be_visible()
    assert visit.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    _keep(visit, f"phone-{scheme}")
    _work(visit.page, image).click()
    _wait_for_tiles(visit, 1)
    visit.page.wait_for_timeout(1000)
    for button in visit.page.get_by_role("dialog").get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
        assert box["height"] >= 36
    _keep(visit, f"phone-viewer-{scheme}")


def test_an_unknown_image_is_explained(open_page: OpenPage, edge_url: str) -> None:
    visit = open_page("/#no-such-image")
    reason = visit.page.request.get(f"{edge_url}/iiif/3/no-such-image/info.json").json()["reason"]
    expect(visit.page.get_by_role("alert")).to_have_text(reason)


def test_an_empty_gallery_says_how_to_fill_it(open_page: OpenPage) -> None:
    visit = open_page(
        prepare=lambda page: page.route(
            "**/gallery.json", lambda route: route.fulfill(json={"images": []})
        )
    )
    expect(visit.page.get_by_text("vitrine ingest painting.tif")).to_be_visible()
    _keep(visit, "gallery-empty")
    assert visit.complaints == []


def test_a_gallery_that_does_not_arrive_can_be_asked_for_again(
    open_page: OpenPage, image: dict[str, Any]
) -> None:
    visit = open_page(
        prepare=lambda page: page.route(
            "**/gallery.json", lambda route: route.fulfill(status=503), times=1
        )
    )
    visit.page.get_by_role("button", name="Try again").click()
    expect(_work(visit.page, image)).to_be_visible()
