"""Pages of viewers for Chromium, and what each asked for. Pictures are answered by any picture."""

import io
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, Route

from tests.e2e import clover
from tests.integration.readers.documents import BASE
from tests.locked_packages import install_packages
from vitrine.bootstrap.local_service import REPOSITORY

LOCKED = Path(__file__).parent
MODULES = REPOSITORY / "node_modules"
VIEWERS = REPOSITORY / ".build" / "viewers"
SECONDS = 90
"""Until a viewer is given up that has not asked for what it is expected to."""
SIZE = {"width": 1200, "height": 900}
_HEAD = """<!doctype html><html lang="en"><title>A viewer</title><meta charset="utf-8">
<link rel="icon" href="data:,"><style>#viewer { width: 800px; height: 600px }</style>
<div id="viewer" class="uv"></div>"""
_OPENSEADRAGON = """<script src="openseadragon.min.js"></script><script>
const viewer = OpenSeadragon({ element: document.getElementById('viewer'), tileSources: ADDRESS,
  drawer: 'canvas', showNavigationControl: false });
viewer.addHandler('open', () => viewer.viewport.fitBounds(
  viewer.viewport.imageToViewportRectangle(2600, 1700, 400, 300), true));</script>"""
_LEAFLET = """<link rel="stylesheet" href="leaflet.css"><script src="leaflet-src.js"></script>
<script src="leaflet-iiif.js"></script><script>
const map = L.map('viewer', { crs: L.CRS.Simple, center: [0, 0], zoom: 0, zoomAnimation: false });
const layer = L.tileLayer.iiif(ADDRESS, { fitBounds: false }).addTo(map);
layer.once('load', () => {
  const { x, y } = layer._imageSizes.at(-1);
  map.setView(map.unproject([x, y], layer.maxNativeZoom), layer.maxNativeZoom);
});</script>"""
_MIRADOR = """<script src="mirador.min.js"></script>
<script>Mirador.viewer({ id: 'viewer', windows: [{ manifestId: ADDRESS }] });</script>"""
_UNIVERSAL = """<link rel="stylesheet" href="uv.css"><script src="umd/UV.js"></script>
<script>UV.init('viewer', { manifest: ADDRESS, iiifManifestId: ADDRESS });</script>"""
_CLOVER = """<script>history.replaceState(null, '', `?iiif-content=${ADDRESS}`);</script>
<script src="clover.js"></script>"""


@dataclass(frozen=True)
class ViewerPage:
    """A viewer's scripts, and the page that opens an address in it."""

    html: str
    folders: Callable[[], tuple[Path, ...]]
    """Where its scripts are; installs them."""


def _openseadragon(folder: Callable[[], Path]) -> ViewerPage:
    return ViewerPage(_OPENSEADRAGON, lambda: (folder() / "build" / "openseadragon",))


def _installed(name: str) -> Callable[[], Path]:
    return lambda: install_packages(LOCKED) / "node_modules" / name


PAGES: Mapping[str, ViewerPage] = {
    "openseadragon-4": _openseadragon(_installed("openseadragon-4")),
    "openseadragon-5": _openseadragon(_installed("openseadragon-5")),
    "openseadragon-6": _openseadragon(lambda: MODULES / "openseadragon"),
    "leaflet": ViewerPage(
        _LEAFLET, lambda: (MODULES / "leaflet-iiif", MODULES / "leaflet" / "dist")
    ),
    "mirador": ViewerPage(_MIRADOR, lambda: (VIEWERS / "mirador",)),
    "universalviewer": ViewerPage(_UNIVERSAL, lambda: (VIEWERS / "universalviewer",)),
    "clover": ViewerPage(_CLOVER, lambda: (clover.bundle().parent,)),
}


@dataclass
class Reading:
    """What a viewer asked for, in order."""

    page: Page
    pictures: set[str] | None
    """Paths of the pictures that there are; None for any."""
    requested: list[str] = field(default_factory=list)
    """Paths below /iiif/ and /presentation/."""
    missing: list[str] = field(default_factory=list)

    def wait_for(self, is_done: Callable[[str], bool]) -> str:
        """Return the first request of this kind, as soon as there is one."""
        deadline = time.monotonic() + SECONDS
        while True:
            for path in self.requested:
                if is_done(path):
                    return path
            assert time.monotonic() < deadline, self.requested
            self.page.wait_for_timeout(50)

    def wait_until_quiet(self) -> None:
        """Wait until it asks for nothing more."""
        self.page.wait_for_load_state("networkidle")


@contextmanager
def open_in_viewer(
    browser: Browser,
    viewer: str,
    path: str,
    documents: Mapping[str, str],
    pictures: set[str] | None = None,
) -> Iterator[Reading]:
    """Open the document at a path in a viewer. Raises AssertionError for a fault of its scripts."""
    shown = PAGES[viewer]
    folders = shown.folders()
    page = browser.new_page(viewport=SIZE)
    reading = Reading(page, pictures)
    html = _HEAD + shown.html.replace("ADDRESS", f"'{BASE}{path}'")

    def answer(route: Route) -> None:
        here = route.request.url.removeprefix(BASE).partition("?")[0]
        if here == "/viewer.html":
            route.fulfill(content_type="text/html", body=html)
        elif here.startswith(("/iiif/", "/presentation/")):
            reading.requested.append(here)
            _answer_reading(route, here, documents, reading)
        elif found := [one / here[1:] for one in folders if (one / here[1:]).is_file()]:
            route.fulfill(path=found[0])
        else:
            route.fulfill(status=404)

    page.route(f"{BASE}/**", answer)
    page.goto(f"{BASE}/viewer.html")
    yield reading
    page.unroute_all(behavior="ignoreErrors")
    page.close()


def _answer_reading(
    route: Route, path: str, documents: Mapping[str, str], reading: Reading
) -> None:
    if path in documents:
        route.fulfill(content_type="application/json", body=documents[path])
    elif path.endswith(".jpg") and (reading.pictures is None or path in reading.pictures):
        route.fulfill(content_type="image/jpeg", body=_PICTURE)
    else:
        reading.missing.append(path)
        route.fulfill(status=404)


def _draw_picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (90, 120, 60)).save(file, "JPEG")
    return file.getvalue()


_PICTURE = _draw_picture()
