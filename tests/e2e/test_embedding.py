"""The page for frames, in a page of another origin that copied its code from the object's page."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Frame, expect

from tests.e2e.conftest import EDGE_URL_VARIABLE
from tests.e2e.published_site import SINGLE, publish_site
from tests.e2e.viewer_page import STATE
from tests.e2e.visit import OpenPage, Visit
from tests.rigs.http_server import QuietHandler, run_server

TALL = '<!doctype html><title>Other</title><body style="height: 4000px"><h1>Other</h1>{code}'


@pytest.fixture(scope="module", autouse=True)
def _published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of a collection that the tests publish")
    folder: Path = tmp_path_factory.mktemp("site")
    publish_site(request.getfixturevalue("service"), folder)


@pytest.fixture
def code(open_page: OpenPage) -> str:
    """What the object's page offers to copy."""
    return open_page(f"/objects/{SINGLE}").page.locator("section.share pre code").inner_text()


@pytest.fixture
def other_page(code: str) -> Iterator[str]:
    """The address of a page elsewhere that shows the object."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            body = TALL.format(code=code).encode()
            self.send(200, {"Content-Type": "text/html; charset=utf-8"}, body)

    with run_server(Handler) as port:
        # Another site than the service's, not only another port.
        yield f"http://localhost:{port}/page"


STOPPED_BELOW = """() => {
  const hasStopped = scrollY > 0 && scrollY === window.scrolledBefore;
  window.scrolledBefore = scrollY;
  return hasStopped;
}"""


@pytest.fixture
def embedded(open_page: OpenPage, other_page: str) -> Visit:
    visit = open_page("/about")
    visit.responses.clear()
    visit.page.goto(other_page)
    visit.page.frame_locator("iframe").locator("figure.ready").wait_for()
    return visit


def _frame(visit: Visit) -> Frame:
    (frame,) = [one for one in visit.page.frames if "/embed/" in one.url]
    return frame


def _zoom(visit: Visit) -> float:
    return float(_frame(visit).evaluate(STATE, 0)["zoom"])


def _hover(visit: Visit) -> None:
    box = visit.page.frame_locator("iframe").locator(".stage").bounding_box()
    assert box
    visit.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_copied_code_shows_the_object_on_another_site(embedded: Visit, edge_url: str) -> None:
    assert _frame(embedded).url == f"{edge_url}/embed/{SINGLE}"
    frame = next(one for one in embedded.responses if one.url == _frame(embedded).url)
    policy = frame.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert embedded.complaints == []


def test_a_frame_sets_no_cookie(embedded: Visit) -> None:
    assert embedded.page.context.cookies() == []
    assert [one.url for one in embedded.responses if "set-cookie" in one.headers] == []


def test_scrolling_passes_a_frame_by_and_zooms_with_the_control_key(embedded: Visit) -> None:
    before = _zoom(embedded)
    _hover(embedded)
    embedded.page.mouse.wheel(0, 300)
    embedded.page.wait_for_function(STOPPED_BELOW, polling=250)
    assert _zoom(embedded) == pytest.approx(before)
    embedded.page.evaluate("scrollTo(0, 0)")
    embedded.page.wait_for_function("scrollY === 0")
    _hover(embedded)
    embedded.page.keyboard.down("Control")
    embedded.page.mouse.wheel(0, -300)
    embedded.page.keyboard.up("Control")
    _frame(embedded).wait_for_function(f"before => ({STATE})(0).zoom > 1.1 * before", arg=before)
    assert embedded.page.evaluate("scrollY") == 0


def test_a_frame_leads_to_the_page_of_its_object(embedded: Visit, edge_url: str) -> None:
    link = embedded.page.frame_locator("iframe").get_by_role("link", name="Open the page of")
    expect(link).to_have_attribute("href", f"{edge_url}/objects/{SINGLE}")
    with embedded.page.expect_popup() as opened:
        link.click()
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("A picture")
