"""Links to a detail: IIIF Content State 1.0, and what else can be taken along."""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import expect

from tests.e2e.viewer_page import (
    MANIFEST,
    PATH,
    canvas_address,
    faults,
    open_viewer,
    read_information,
    wait_until_at_rest,
    write_page,
)
from tests.e2e.visit import OpenPage, Visit

REGION = re.compile(r"/(\d+),(\d+),(\d+),(\d+)/")


@pytest.fixture
def html(edge_url: str, image: dict[str, Any]) -> str:
    return write_page(edge_url, read_information(edge_url, image["identifier"]), pages=2)


def _shared(visit: Visit, name: str) -> str:
    """What the dialog offers to copy under a name."""
    if not visit.page.get_by_role("dialog").count():
        visit.page.get_by_role("button", name="Share and open elsewhere").click()
    return visit.page.get_by_role("textbox", name=name).input_value()


def _shown(visit: Visit) -> list[int]:
    """The region on the screen: x, y, width, height."""
    found = REGION.search(_shared(visit, "Address of the image on the screen"))
    assert found
    return [int(number) for number in found.groups()]


def _encode(state: object) -> str:
    text = quote(json.dumps(state), safe="!'()*")
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def test_a_detail_that_is_shared_opens_again(open_page: OpenPage, html: str, edge_url: str) -> None:
    visit = open_viewer(open_page, html)
    visit.page.get_by_role("application").focus()
    for key in ("+", "+", "+", "ArrowRight", "ArrowUp"):
        visit.page.keyboard.press(key)
    wait_until_at_rest(visit)
    link = _shared(visit, "Link to this detail")
    shown = ",".join(map(str, _shown(visit)))
    assert link == f"{edge_url}{PATH}#canvas=1&xywh={shown}"
    again = open_viewer(open_page, html, query=link.removeprefix(edge_url + PATH))
    assert _shown(again) == pytest.approx(_shown(visit), abs=4)


def test_the_address_of_a_detail_of_one_image_is_its_rectangle(
    open_page: OpenPage, edge_url: str, image: dict[str, Any]
) -> None:
    html = write_page(edge_url, read_information(edge_url, image["identifier"]))
    visit = open_viewer(open_page, html, query="#xywh=600,400,300,200")
    x, y, width, height = _shown(visit)
    assert x <= 600 <= 900 <= x + width
    assert y <= 400 <= 600 <= y + height
    assert (width < 320) or (height < 220)
    link = _shared(visit, "Link to this detail")
    assert re.fullmatch(rf"{re.escape(edge_url + PATH)}#xywh=\d+,\d+,\d+,\d+", link)


def test_another_detail_in_the_address_is_shown_at_once(
    open_page: OpenPage, html: str, edge_url: str
) -> None:
    visit = open_viewer(open_page, html, query="#canvas=1&xywh=0,0,300,200")
    visit.page.evaluate("location.hash = '#canvas=2&xywh=percent:50,50,10,10'")
    expect(visit.page.get_by_role("alert")).to_have_count(0)
    assert _shared(visit, "Citation").startswith("Viewed, Chart 2")
    x, y, width, height = _shown(visit)
    information = visit.page.locator("#view-2").evaluate("(item) => ({...item.dataset})")
    left, top = int(information["width"]) / 2, int(information["height"]) / 2
    assert x <= left <= x + width
    assert y <= top <= y + height
    visit.page.keyboard.press("Escape")
    visit.page.evaluate("location.hash = '#canvas=3&xywh=0,0,1,1'")
    expect(visit.page.get_by_role("alert")).to_contain_text("it is about another object")


def test_the_image_on_the_screen_has_an_address(open_page: OpenPage, html: str) -> None:
    visit = open_viewer(open_page, html)
    visit.page.get_by_role("application").focus()
    for key in ("+", "+", "r"):
        visit.page.keyboard.press(key)
    wait_until_at_rest(visit)
    address = _shared(visit, "Address of the image on the screen")
    assert address.endswith("/90/default.jpg")
    answer = visit.page.request.get(address)
    assert (answer.status, answer.headers["content-type"]) == (200, "image/jpeg")


def test_a_citation_is_copied_and_said(open_page: OpenPage, html: str, edge_url: str) -> None:
    visit = open_viewer(open_page, html)
    citation = _shared(visit, "Citation")
    assert citation.startswith(f"Viewed, Chart 1. {edge_url}{PATH} (accessed ")
    visit.page.get_by_role("button", name="Copy: Citation").click()
    expect(visit.page.locator("figure").get_by_role("status")).to_have_text("Copied")
    assert visit.page.evaluate("navigator.clipboard.readText()") == citation


def test_a_link_to_drag_into_other_viewers_names_manifest_and_canvas(
    open_page: OpenPage, html: str, edge_url: str
) -> None:
    visit = open_viewer(open_page, html)
    visit.page.get_by_role("button", name="Share and open elsewhere").click()
    link = visit.page.get_by_role("link", name="Drag this link into a IIIF viewer")
    manifest = quote(edge_url + MANIFEST, safe="")
    canvas = quote(canvas_address(edge_url, 1), safe="")
    expect(link).to_have_attribute(
        "href", f"{edge_url}{MANIFEST}?manifest={manifest}&canvas={canvas}"
    )


@pytest.mark.parametrize("viewer", ["Mirador", "Universal Viewer"])
def test_the_dialog_leads_to_other_viewers_at_the_detail(
    open_page: OpenPage, html: str, edge_url: str, viewer: str
) -> None:
    visit = open_viewer(open_page, html)
    visit.page.get_by_role("application").focus()
    for key in ("+", "+", "+"):
        visit.page.keyboard.press(key)
    wait_until_at_rest(visit)
    shown = ",".join(map(str, _shown(visit)))
    link = visit.page.get_by_role("link", name=f"Open in {viewer}").get_attribute("href") or ""
    page, _, state = link.partition("?iiif-content=")
    assert page == f"/viewers/{viewer.replace(' ', '').lower()}.html"
    text = unquote(urlsafe_b64decode(state + "=" * (-len(state) % 4)).decode())
    assert json.loads(text)["id"] == f"{canvas_address(edge_url, 1)}#xywh={shown}"
    assert json.loads(text)["partOf"] == [{"id": edge_url + MANIFEST, "type": "Manifest"}]


@pytest.mark.parametrize("form", ["plain", "target", "annotation", "selector"])
def test_every_form_of_a_content_state_opens(
    open_page: OpenPage, html: str, edge_url: str, form: str
) -> None:
    canvas = canvas_address(edge_url, 2)
    part_of = [{"id": edge_url + MANIFEST, "type": "Manifest"}]
    target = {"id": f"{canvas}#xywh=600,400,300,200", "type": "Canvas", "partOf": part_of}
    selected = {
        "type": "SpecificResource",
        "source": {"id": canvas, "type": "Canvas", "partOf": part_of},
        "selector": {"type": "FragmentSelector", "value": "xywh=600,400,300,200"},
    }
    states = {
        "plain": quote(str(target["id"]), safe=""),
        "target": _encode(target),
        "annotation": _encode({"type": "Annotation", "target": [target]}),
        "selector": _encode({"type": "Annotation", "target": selected}),
    }
    visit = open_viewer(open_page, html, query=f"?iiif-content={states[form]}")
    x, y, width, height = _shown(visit)
    assert x <= 600 <= 900 <= x + width
    assert y <= 400 <= 600 <= y + height
    assert (width < 320) or (height < 220)
    assert _shared(visit, "Citation").startswith("Viewed, Chart 2")
    assert faults(visit) == []


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("%%%", "it is damaged"),
        ("bm90IGpzb24", "it is damaged"),
        ("A" * 5000, "it is too long"),
        ("https%3A%2F%2Felsewhere.example%2Fmanifest.json", "it is about another object"),
        ("{canvas}%23xywh%3D999999%2C0%2C10%2C10", "its region lies outside the image"),
        ("{canvas}%23xywh%3Dleft", "it is damaged"),
        ("#canvas=1&xywh=999999,0,10,10", "its region lies outside the image"),
        ("#xywh=left", "it is damaged"),
        ("#canvas=9&xywh=0,0,10,10", "it is about another object"),
    ],
)
def test_a_link_that_cannot_be_read_is_explained_and_the_image_is_shown(
    open_page: OpenPage, html: str, edge_url: str, value: str, reason: str
) -> None:
    canvas = quote(canvas_address(edge_url, 1), safe="")
    state = f"?iiif-content={value.replace('{canvas}', canvas)}"
    query = value if value.startswith("#") else state
    visit = open_viewer(open_page, html, query=query)
    expect(visit.page.get_by_role("alert")).to_contain_text(reason)
    assert _shared(visit, "Link to this detail") == edge_url + PATH
    assert faults(visit) == []
