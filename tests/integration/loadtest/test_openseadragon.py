"""OpenSeadragon itself, in Chromium, asks for just the tiles that the generator says."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image as Picture
from playwright.sync_api import Page, Route, sync_playwright

from loadtest.workload.sources import image_from_info
from loadtest.workload.tiles import GridTile, VisibleArea, places_for, tile_target
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.size import Limits
from vitrine.iiif.version import VERSIONS

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "node_modules/openseadragon/build/openseadragon/openseadragon.min.js"
CHROMIUM = "/usr/bin/chromium"
HOST = "http://viewer.test"
PAGE = "<body style='margin: 0'><div id='viewer' style='width: 800px; height: 600px'></div>"
OPEN = """async (address) => {
    window.viewer = OpenSeadragon({
        element: document.getElementById('viewer'), tileSources: address, drawer: 'canvas',
        showNavigationControl: false });
    await new Promise((done) => viewer.addOnceHandler('open', done));
}"""
SETTLED = """() => new Promise((done) => {
    const looks = setInterval(() => {
        const image = viewer.world.getItemAt(0);
        if (!image.getFullyLoaded()) return;
        clearInterval(looks);
        const box = image.viewportToImageRectangle(viewer.viewport.getBounds(true));
        const scale = viewer.viewport.getContainerSize().x / box.width;
        done([box.x, box.y, box.width, box.height, scale]);
    }, 20);
})"""
MOVES = (
    "zoomBy(2, null, true)",
    "panBy(new OpenSeadragon.Point(0.2, 0.1), true)",
    "zoomBy(4, null, true)",
    "panBy(new OpenSeadragon.Point(0.1, 0.05), true)",
    "zoomBy(0.5, null, true)",
    "panBy(new OpenSeadragon.Point(-0.3, -0.1), true)",
    "goHome(true)",
)


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page(viewport={"width": 900, "height": 700})
        browser.close()


def document(width: int, height: int, version: int, rounded_up: bool) -> dict[str, object]:
    levels = [(width, height)]
    while max(levels[-1]) > 256:
        scale = 1 << len(levels)
        down = (width // scale, height // scale)
        levels.append((-(-width // scale), -(-height // scale)) if rounded_up else down)
    information = ImageInformation(
        uri=f"{HOST}/iiif/{version}/x",
        width=width,
        height=height,
        tile_width=256,
        tile_height=256,
        levels=levels,
        limits=Limits(area=10**9),
    )
    return information.document(VERSIONS[str(version)])


def serve(page: Page, information: dict[str, object], requested: list[str]) -> None:
    file = io.BytesIO()
    Picture.new("RGB", (8, 8)).save(file, "JPEG")

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(HOST)
        if path == "/":
            route.fulfill(content_type="text/html", body=PAGE)
        elif path.endswith("/info.json"):
            route.fulfill(content_type="application/json", body=json.dumps(information))
        elif path.endswith(".jpg"):
            requested.append(path)
            route.fulfill(content_type="image/jpeg", body=file.getvalue())
        else:
            route.fulfill(status=404)

    page.unroute_all()
    page.route("**/*", answer)


@pytest.mark.parametrize(
    ("size", "version", "rounded_up"),
    [
        ((7300, 4100), 3, True),
        ((5003, 7001), 2, True),
        ((7300, 4100), 2, False),
        ((200, 300), 3, True),
        ((250, 256), 2, True),
    ],
)
def test_a_viewer_asks_for_what_the_generator_says(
    browser_page: Page, size: tuple[int, int], version: int, rounded_up: bool
) -> None:
    information = document(*size, version, rounded_up)
    address = f"{HOST}/iiif/{version}/x/info.json"
    image = image_from_info(information, address)
    requested: list[str] = []
    seen: set[GridTile] = set()
    serve(browser_page, information, requested)
    browser_page.goto(HOST)
    browser_page.evaluate(SCRIPT.read_text())
    browser_page.evaluate(OPEN, address)
    for move in ("", *MOVES):
        if move:
            browser_page.evaluate(
                f"() => {{ viewer.viewport.{move}; viewer.viewport.applyConstraints(true);"
                " viewer.forceRedraw(); }"
            )
            # Two frames: in the first it notices.
            browser_page.evaluate(
                "() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"
            )
        view = VisibleArea(*browser_page.evaluate(SETTLED))
        places = places_for(image, view, seen)
        seen.update(places)
        assert sorted(requested) == sorted(tile_target(image, place).path for place in places), (
            move,
            view,
        )
        requested.clear()
