"""Mirador and Universal Viewer as our site serves them: on demand, for our objects, sandboxed."""

import json
import os
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec
import pytest
import pyvips
from playwright.sync_api import Page, expect

from tests.e2e.axe import AXE
from tests.e2e.conftest import EDGE_URL_VARIABLE, wait_for_page
from tests.e2e.visit import OpenPage, Visit
from tests.unit.catalogue.object_bench import book
from vitrine.iiif.presentation.model import Canvas

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Service

NAME = "halves"
RED, GREEN = (200, 60, 60), (40, 150, 70)
WIDTH, HEIGHT = 2400, 1600
MIDDLE = (500, 200, 400, 400)
"""Left, top, width and height of what both viewers leave to the image in the tests' window."""
SECONDS = 90
VIEWERS = {"mirador": "Mirador", "universalviewer": "Universal Viewer"}
THEIR_COMPLAINTS = ("Accessing element.ref", "The result function returned", "[.WebGL-", "WebGL")
"""Beginnings of what they write into the console by themselves."""
THEIR_MISTAKE = "/images/data:image/gif;base64,"
"""Universal Viewer puts a path before a data URL."""
THEIR_FAULTS = {
    "mirador": {"label-content-name-mismatch"},
    "universalviewer": set[str](),
}
"""Rules of axe-core that the viewers' own elements break, on any site."""


@dataclass(frozen=True)
class Halves:
    """An object whose left half is red and its right half green."""

    edge: str

    @property
    def manifest(self) -> str:
        return f"{self.edge}/presentation/3/{NAME}/manifest.json"


@pytest.fixture(scope="module")
def halves(
    edge_url: str,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Halves:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of an image that the tests publish")
    service: Service = request.getfixturevalue("service")
    path: Path = tmp_path_factory.mktemp("halves") / "halves.png"
    left, right = (
        (pyvips.Image.black(WIDTH // 2, HEIGHT).bandjoin([0, 0]) + list(colour)).cast("uchar")
        for colour in (RED, GREEN)
    )
    left.join(right, "horizontal").copy(interpretation="srgb").pngsave(str(path))
    done = service.run("ingest", path, "--identifier", NAME)
    assert done.returncode == 0, done.stdout + done.stderr
    wait_for_page(f"{edge_url}/objects/{NAME}")
    return Halves(edge_url)


@pytest.fixture(scope="module")
def begun(
    halves: Halves, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """An object that begins at its second image, which is green; the first is the halves."""
    service: Service = request.getfixturevalue("service")
    folder: Path = tmp_path_factory.mktemp("begun")
    green = (pyvips.Image.black(WIDTH, HEIGHT).bandjoin([0, 0]) + list(GREEN)).cast("uchar")
    green.copy(interpretation="srgb").pngsave(str(folder / "green.png"))
    done = service.run("ingest", folder / "green.png", "--identifier", "halves-green")
    assert done.returncode == 0, done.stdout + done.stderr
    wait_for_page(f"{halves.edge}/objects/halves-green")
    canvases = (Canvas(image=NAME), Canvas(image="halves-green"))
    item = book("halves-begun", "Begun", canvases=canvases, start=1)
    (folder / "object.json").write_bytes(msgspec.json.encode(item))
    done = service.run("object", "put", folder / "object.json")
    assert done.returncode == 0, done.stdout + done.stderr
    return item.identifier


def _shares(page: Page) -> tuple[float, float]:
    """Return how much of the middle of the window is red, and how much green."""
    left, top, width, height = MIDDLE
    clip = {"x": left, "y": top, "width": width, "height": height}
    shot = pyvips.Image.new_from_buffer(page.screenshot(clip=clip), "")[0:3]
    red, green = (
        float((abs(shot - list(colour)) < 28).bandand().avg() / 255) for colour in (RED, GREEN)
    )
    return red, green


def _wait(page: Page, is_right: Callable[[float, float], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_right(*_shares(page)):
        assert time.monotonic() < deadline, _shares(page)
        page.wait_for_timeout(250)


def _open_object(open_page: OpenPage, query: str = "") -> Visit:
    visit = open_page(f"/objects/{NAME}{query}")
    visit.page.wait_for_selector("figure.ready")
    return visit


def _complaints(visit: Visit) -> list[str]:
    return [
        one
        for one in visit.complaints
        if not one.startswith(THEIR_COMPLAINTS) and THEIR_MISTAKE not in one
    ]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_page_of_an_object_opens_it_in_another_viewer(
    open_page: OpenPage, halves: Halves, viewer: str
) -> None:
    visit = _open_object(open_page)
    assert not [one.url for one in visit.responses if "/viewers/" in one.url]
    visit.page.get_by_role("link", name=VIEWERS[viewer], exact=True).click()
    _wait(visit.page, lambda red, green: red > 0.3 and green > 0.3)
    assert visit.hosts() == {halves.edge.partition("://")[2]}
    assert _complaints(visit) == []


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_detail_opens_there_as_the_same_detail(
    open_page: OpenPage, halves: Halves, viewer: str
) -> None:
    canvas = f"{halves.edge}/presentation/3/{NAME}/canvas/1"
    detail = quote(f"{canvas}#xywh=1700,600,400,300", safe="")
    visit = _open_object(open_page, f"?iiif-content={detail}")
    visit.page.get_by_role("link", name=VIEWERS[viewer], exact=True).click()
    _wait(visit.page, lambda red, green: red == 0 and green > 0.95)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_content_state_that_others_wrote_opens_there(
    open_page: OpenPage, halves: Halves, viewer: str
) -> None:
    """An annotation with a selector (Content State 1.0, section 2.2.3), encoded as 6.2 says."""
    source = {
        "id": f"{halves.edge}/presentation/3/{NAME}/canvas/1",
        "type": "Canvas",
        "partOf": [{"id": halves.manifest, "type": "Manifest"}],
    }
    selector = {"type": "FragmentSelector", "value": "xywh=100,600,400,300"}
    target = {"type": "SpecificResource", "source": source, "selector": selector}
    state = json.dumps({"type": "Annotation", "motivation": ["contentState"], "target": target})
    encoded = urlsafe_b64encode(quote(state, safe="!'()*").encode()).decode().rstrip("=")
    visit = open_page(f"/viewers/{viewer}.html?iiif-content={encoded}")
    _wait(visit.page, lambda red, green: green == 0 and red > 0.95)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("viewer", VIEWERS)
def test_an_object_opens_there_where_its_manifest_begins(
    open_page: OpenPage, halves: Halves, begun: str, viewer: str, version: int
) -> None:
    manifest = f"{halves.edge}/presentation/{version}/{begun}/manifest.json"
    visit = open_page(f"/viewers/{viewer}.html?iiif-content={quote(manifest, safe='')}")
    _wait(visit.page, lambda red, green: red == 0 and green > 0.95)


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(
    "state", ["", "https%3A%2F%2Felsewhere.example%2Fpresentation%2Fmanifest.json", "%%%"]
)
def test_what_is_not_of_this_site_is_not_opened(
    open_page: OpenPage, halves: Halves, viewer: str, state: str
) -> None:
    visit = open_page(f"/viewers/{viewer}.html?iiif-content={state}")
    expect(visit.page.get_by_role("alert")).to_have_text("This link names no object of this site.")
    assert visit.hosts() == {halves.edge.partition("://")[2]}


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_viewer_of_others_has_nothing_of_our_origin(
    open_page: OpenPage, halves: Halves, viewer: str
) -> None:
    visit = open_page(f"/viewers/{viewer}.html?iiif-content={quote(halves.manifest, safe='')}")
    _wait(visit.page, lambda red, green: red > 0.3 and green > 0.3)
    assert visit.page.evaluate("self.origin") == "null"
    with pytest.raises(Exception, match="sandboxed"):
        visit.page.evaluate("document.cookie")


@pytest.mark.parametrize("viewer", VIEWERS)
def test_what_axe_finds_there_is_in_the_viewer_and_known(
    open_page: OpenPage, halves: Halves, viewer: str
) -> None:
    visit = open_page(f"/viewers/{viewer}.html?iiif-content={quote(halves.manifest, safe='')}")
    _wait(visit.page, lambda red, green: red > 0.3 and green > 0.3)
    visit.page.evaluate(AXE)
    ours = visit.page.evaluate("axe.run({ exclude: '#viewer' }).then((found) => found.violations)")
    assert [one["id"] for one in ours] == []
    deadline = time.monotonic() + SECONDS
    while (theirs := _find_faults(visit.page)) != THEIR_FAULTS[viewer]:
        assert time.monotonic() < deadline, theirs
        visit.page.wait_for_timeout(1_000)  # It may be drawn in part only.


def _find_faults(page: Page) -> set[str]:
    violations = page.evaluate("axe.run().then((found) => found.violations)")
    return {one["id"] for one in violations}
