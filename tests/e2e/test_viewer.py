"""The viewer of an object's page: tiles, keys, speech, and a policy that forbids what it can."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.viewer_page import (
    DESCRIPTION,
    STATE,
    faults,
    open_viewer,
    read_information,
    state,
    wait_until_at_rest,
    write_page,
)
from tests.e2e.visit import OpenPage, Visit


@pytest.fixture
def information(edge_url: str, image: dict[str, Any]) -> dict[str, Any]:
    return read_information(edge_url, image["identifier"])


@pytest.fixture
def html(edge_url: str, information: dict[str, Any]) -> str:
    return write_page(edge_url, information)


def _press(visit: Visit, *keys: str) -> None:
    for key in keys:
        visit.page.keyboard.press(key)


def _focus_image(visit: Visit) -> None:
    visit.page.get_by_role("application").first.focus()


def _spoken(visit: Visit) -> Any:
    return visit.page.locator("figure").get_by_role("status")


def test_tiles_are_shown_without_a_request_for_image_information(
    open_page: OpenPage, html: str, edge_url: str
) -> None:
    visit = open_viewer(open_page, html)
    visit.wait_for_tiles()
    expect(visit.page.locator(".canvases.covered")).to_be_attached()
    documents = [one.url for one in visit.responses if one.url.endswith((".json", "/presentation"))]
    assert [url for url in documents if "/viewer/words/" not in url] == []
    assert visit.hosts() == {edge_url.partition("://")[2]}


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_moves_and_no_policy_is_broken(open_page: OpenPage, html: str, width: int) -> None:
    visit = open_viewer(open_page, html, width=width)
    visit.wait_for_tiles()
    visit.page.wait_for_timeout(1000)
    assert visit.page.evaluate("window.shifted") == 0
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    assert faults(visit) == []


def test_on_a_phone_the_image_has_the_whole_width_and_the_tools_are_in_sight(
    open_page: OpenPage, html: str
) -> None:
    visit = open_viewer(open_page, html, width=390, height=820)
    picture = visit.page.locator(".canvas img").bounding_box()
    figure = visit.page.locator("figure.viewer").bounding_box()
    tools = visit.page.get_by_role("toolbar", name="Viewer tools").bounding_box()
    assert picture
    assert figure
    assert tools
    assert picture["width"] == figure["width"]
    assert tools["y"] + tools["height"] <= 820


def test_the_keyboard_walks_from_the_image_to_the_tools_and_on(
    open_page: OpenPage, html: str
) -> None:
    visit = open_viewer(open_page, html)
    _press(visit, "Tab")
    expect(visit.page.get_by_role("application")).to_be_focused()
    _press(visit, "Tab")
    expect(visit.page.get_by_role("button", name="Zoom out")).to_be_focused()
    _press(visit, "ArrowRight")
    expect(visit.page.get_by_role("button", name="Zoom in")).to_be_focused()
    _press(visit, "End")
    expect(visit.page.get_by_role("button", name="Keys and help")).to_be_focused()
    _press(visit, "Tab")
    expect(visit.page.get_by_role("link", name="After the viewer")).to_be_focused()


def test_every_button_and_image_has_a_name(open_page: OpenPage, html: str) -> None:
    visit = open_viewer(open_page, html)
    buttons = visit.page.get_by_role("toolbar", name="Viewer tools").get_by_role("button")
    names = [button.get_attribute("aria-label") for button in buttons.all()]
    assert len(names) == len(set(names)) == 11
    assert all(names)
    stage = visit.page.get_by_role("application")
    expect(stage).to_have_accessible_name(
        "Chart 1, zoomable image. Press question mark for the keys."
    )
    expect(stage).to_have_accessible_description(DESCRIPTION.format(number=1))


def test_keys_turn_and_mirror_the_image(open_page: OpenPage, html: str) -> None:
    visit = open_viewer(open_page, html)
    _focus_image(visit)
    _press(visit, "r", "r", "R", "m")
    found = state(visit)
    assert (found["turned"], found["mirrored"]) == (90, True)
    expect(_spoken(visit)).to_have_text("The whole image, turned by 90 degrees, mirrored")
    assert faults(visit) == []


def test_help_opens_by_its_key_and_gives_the_focus_back(open_page: OpenPage, html: str) -> None:
    visit = open_viewer(open_page, html)
    _focus_image(visit)
    _press(visit, "?")
    dialog = visit.page.get_by_role("dialog", name="Keys of the viewer")
    expect(dialog).to_contain_text("Turn right, turn left")
    _press(visit, "Escape")
    expect(dialog).to_have_count(0)
    expect(visit.page.get_by_role("application")).to_be_focused()


def test_where_the_view_is_is_spoken_once_it_rests(open_page: OpenPage, html: str) -> None:
    visit = open_viewer(open_page, html)
    _focus_image(visit)
    expect(_spoken(visit)).to_have_text("")
    _press(visit, "+", "+", "+")
    expect(_spoken(visit)).to_have_text("Zoomed to 4.1 \N{MULTIPLICATION SIGN}, centre")
    _press(visit, "0")
    expect(_spoken(visit)).to_have_text("The whole image")


def test_a_described_image_reads_its_description(open_page: OpenPage, html: str) -> None:
    visit = open_viewer(open_page, html)
    _focus_image(visit)
    _press(visit, "i")
    expect(_spoken(visit)).to_have_text(f"Chart 1. The whole image. {DESCRIPTION.format(number=1)}")


def test_nothing_is_animated_for_whom_motion_is_reduced(open_page: OpenPage, html: str) -> None:
    def calm(page: Page) -> None:
        page.emulate_media(reduced_motion="reduce")

    assert state(open_viewer(open_page, html, prepare=calm))["animationTime"] == 0
    assert state(open_viewer(open_page, html))["animationTime"] > 0


def test_the_scale_bar_is_as_long_as_it_says(
    open_page: OpenPage, edge_url: str, information: dict[str, Any]
) -> None:
    per_millimetre = 10
    page = write_page(edge_url, information, resolution=per_millimetre)
    visit = open_viewer(open_page, page)
    _focus_image(visit)
    for steps in range(3):
        _press(visit, *"+" * steps)
        wait_until_at_rest(visit)
        bar = visit.page.get_by_role("img", name="Scale: this bar is")
        number, unit = bar.inner_text().split()
        length = float(number) * {"mm": 1, "cm": 10, "m": 1000}[unit]
        box = bar.bounding_box()
        assert box is not None
        pixels = length * per_millimetre * state(visit)["scale"]
        assert box["width"] == pytest.approx(pixels, abs=0.6)
        assert 60 <= box["width"] <= 160


def test_without_a_known_resolution_there_is_no_scale_bar(open_page: OpenPage, html: str) -> None:
    expect(open_viewer(open_page, html).page.locator(".scale")).to_be_hidden()


def test_brightness_changes_what_is_on_the_stage_and_can_be_reset(
    open_page: OpenPage, html: str
) -> None:
    visit = open_viewer(open_page, html)
    _focus_image(visit)
    _press(visit, "b")
    slider = visit.page.get_by_role("slider", name="Brightness")
    expect(slider).to_be_focused()
    _press(visit, "ArrowRight", "ArrowRight")
    drawn = visit.page.locator(".stage canvas").first
    filters = "canvas => [...document.querySelectorAll('.stage canvas')].map(c => c.style.filter)"
    assert "brightness(110%)" in drawn.evaluate(filters)
    visit.page.get_by_role("button", name="Reset").click()
    assert set(drawn.evaluate(filters)) == {""}


def test_two_images_are_kept_in_step(
    open_page: OpenPage, edge_url: str, information: dict[str, Any]
) -> None:
    visit = open_viewer(open_page, write_page(edge_url, information, pages=2))
    _focus_image(visit)
    _press(visit, "c")
    visit.page.get_by_role("button", name="Compare", exact=True).click()
    expect(_spoken(visit)).to_have_text("Comparing with Chart 2")
    for number in (0, 1):  # either leads
        before = state(visit, 0)["zoom"]
        visit.page.get_by_role("application").nth(number).focus()
        _press(visit, "ArrowRight")
        visit.page.get_by_role("application").nth(number).hover()
        visit.page.mouse.wheel(0, -300)
        visit.page.wait_for_function(f"before => ({STATE})(0).zoom > 1.1 * before", arg=before)
        wait_until_at_rest(visit)
        first, second = state(visit, 0), state(visit, 1)
        assert first["bounds"] == pytest.approx(second["bounds"], abs=0.01)
    visit.page.get_by_role("button", name="End the comparison").click()
    expect(visit.page.get_by_role("application")).to_have_count(1)
    assert faults(visit) == []


@pytest.mark.parametrize("direction", ["left-to-right", "right-to-left"])
def test_pages_are_turned_in_the_direction_of_the_book(
    open_page: OpenPage, edge_url: str, information: dict[str, Any], direction: str
) -> None:
    page = write_page(edge_url, information, pages=3, direction=direction)
    visit = open_viewer(open_page, page)
    _focus_image(visit)
    _press(visit, "PageDown")
    expect(_spoken(visit)).to_contain_text("Page 2 of 3: Chart 2. Description 2")
    strip = visit.page.get_by_role("navigation", name="Pages").get_by_role("listitem")
    current = strip.get_by_role("button").and_(visit.page.locator("[aria-current]"))
    expect(current).to_have_accessible_name("Page 2 of 3: Chart 2")
    places = [box["x"] for one in strip.all() if (box := one.bounding_box())]
    assert places == sorted(places, reverse=direction == "right-to-left")
    _press(visit, "End")
    expect(current).to_have_accessible_name("Page 3 of 3: Chart 3")
    assert faults(visit) == []


def test_a_table_of_contents_leads_to_a_page(
    open_page: OpenPage, edge_url: str, information: dict[str, Any]
) -> None:
    visit = open_viewer(open_page, write_page(edge_url, information, pages=3), query="#view-2")
    current = visit.page.locator("[aria-current]")
    expect(current).to_have_accessible_name("Page 2 of 3: Chart 2")
    visit.page.evaluate("location.hash = '#view-3'")
    expect(current).to_have_accessible_name("Page 3 of 3: Chart 3")


def test_the_address_of_an_image_leads_to_the_page_that_shows_it(
    open_page: OpenPage, edge_url: str, information: dict[str, Any]
) -> None:
    visit = open_viewer(open_page, write_page(edge_url, information, pages=3), query="#image-2")
    current = visit.page.locator("[aria-current]")
    expect(current).to_have_accessible_name("Page 2 of 3: Chart 2")
    visit.page.evaluate("location.hash = '#image-3'")
    expect(current).to_have_accessible_name("Page 3 of 3: Chart 3")
