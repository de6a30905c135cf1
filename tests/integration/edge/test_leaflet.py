"""Leaflet-IIIF, a viewer of version 2 that asks for edge tiles as `w,`, in a real browser."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.integration.edge.conftest import PICTURES
from tests.integration.edge.edge_client import EdgeClient

CHROMIUM = "/usr/bin/chromium"
MODULES = Path(__file__).parents[3] / "node_modules"
GREEN = (0, 255, 0)
"""Behind the picture, in which it does not occur: red and blue are 255 together."""
PAGE = """<style>body { margin: 0 } #map { width: 1600px; height: 1100px }
    .leaflet-container { background: rgb(0, 255, 0) }</style><div id="map"></div>"""
OPEN = """(address) => {
    window.map = L.map("map", {
        crs: L.CRS.Simple, center: [0, 0], zoom: 0, zoomControl: false, attributionControl: false,
        fadeAnimation: false, zoomAnimation: false,
    });
    window.layer = L.tileLayer.iiif(address);
    const loaded = new Promise((resolve) => layer.once("load", resolve));
    layer.addTo(map);
    return loaded.then(() => layer.maxNativeZoom);
}"""
ZOOM = """async ([zoom, right, down]) => {
    const size = layer._imageSizes[zoom + layer._imageSizes.length - 1 - layer.maxNativeZoom];
    const loaded = new Promise((resolve) => layer.once("load", resolve));
    map.setView(map.unproject([size.x * right, size.y * down], zoom), zoom, { animate: false });
    if (layer.isLoading()) await loaded;
    const corner = map.latLngToContainerPoint(map.unproject([0, 0], zoom));
    return {
        left: corner.x, top: corner.y, width: size.x, height: size.y,
        tiles: Object.values(layer._tiles)
            .filter(({ el, coords }) => coords.z === zoom && el.naturalWidth)
            .map(({ el, coords }) => [coords.x, coords.y, el.naturalWidth, el.naturalHeight]),
    };
}"""


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page(viewport={"width": 1600, "height": 1100})
        browser.close()


def picture_in(page: Page, shown: dict[str, Any]) -> Any:
    """Return what the screen shows of the picture, as an array."""
    screen = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    left, top = round(shown["left"]), round(shown["top"])
    return screen[
        max(top, 0) : max(top + shown["height"], 0), max(left, 0) : max(left + shown["width"], 0)
    ]


@pytest.mark.parametrize("name", ["odd.tif", "plain.tif"])
def test_no_line_of_the_background_runs_through_a_picture_in_leaflet(
    page: Page, edge: EdgeClient, name: str
) -> None:
    width, height = PICTURES[name]
    page.set_content(PAGE)
    page.add_script_tag(path=MODULES / "leaflet/dist/leaflet-src.js")
    page.add_style_tag(path=MODULES / "leaflet/dist/leaflet.css")
    page.add_style_tag(content=".leaflet-container { background: rgb(0, 255, 0) }")
    page.add_script_tag(path=MODULES / "leaflet-iiif/leaflet-iiif.js")
    address = f"http://127.0.0.1:{edge.port}/iiif/2/{name}/info.json"
    deepest = page.evaluate(OPEN, address)
    for zoom in range(deepest + 1):
        scale = 2 ** (deepest - zoom)
        seen = set()
        for right, down in ((0.2, 0.2), (0.9, 0.9)):
            shown = page.evaluate(ZOOM, [zoom, right, down])
            for column, row, tile_width, tile_height in shown["tiles"]:
                seen.add((column, row))
                left = -(-width // scale) - 256 * column
                below = -(-height // scale) - 256 * row
                assert (tile_width, tile_height) == (min(256, left), min(256, below))
            picture = picture_in(page, shown)
            assert picture.size
            assert not (picture == GREEN).all(axis=-1).any(), f"scale {scale}"
        assert (-(-width // scale) - 1) // 256 in {column for column, _ in seen}
