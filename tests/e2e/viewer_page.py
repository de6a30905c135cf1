"""A page of an object as the viewer expects it, of images that the service really has."""

import json
import urllib.request
from collections.abc import Mapping
from html import escape
from typing import Any

from playwright.sync_api import Page

from tests.e2e.visit import OpenPage, Visit
from vitrine.edge.policies import content_security_policy
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import V3

PATH = "/objects/viewed"
MANIFEST = "/presentation/3/viewed/manifest.json"
DESCRIPTION = "Description {number}: colours that change from one edge to the other."


def read_information(edge_url: str, identifier: str) -> dict[str, Any]:
    """Return an image's info.json."""
    address = f"{edge_url}{image_path(V3, identifier)}/info.json"
    with urllib.request.urlopen(address, timeout=60) as answer:
        information: dict[str, Any] = json.load(answer)
        return information


def canvas_address(edge_url: str, number: int) -> str:
    """Return the address of a canvas, from 1."""
    return f"{edge_url}{MANIFEST.removesuffix('manifest.json')}canvas/{number}"


def write_page(
    edge_url: str,
    information: Mapping[str, Any],
    *,
    pages: int = 1,
    resolution: float | None = None,
    direction: str = "left-to-right",
    behaviour: str = "",
) -> str:
    """Return the HTML of an object in which every canvas shows the same image."""
    numbers = range(1, pages + 1)
    items = "".join(_item(edge_url, information, number, resolution) for number in numbers)
    described = "".join(
        f'<p id="description-{number}">{DESCRIPTION.format(number=number)}</p>'
        for number in numbers
    )
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Viewed</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/viewer/viewer.css">
<script type="module" src="/viewer/viewer.js"></script></head>
<body><main><h1>Viewed</h1>
<figure class="viewer" data-viewer data-manifest="{edge_url}{MANIFEST}"
 data-direction="{direction}" data-behaviour="{behaviour}">
<ol class="canvases">{items}</ol></figure>
{described}<p><a href="/">After the viewer</a></p></main></body></html>"""


def _item(
    edge_url: str, information: Mapping[str, Any], number: int, resolution: float | None
) -> str:
    service, sizes = information["id"], information["sizes"]
    choices = [
        (f"{service}/full/{size['width']},{size['height']}/0/default.jpg", size["width"])
        for size in sizes
    ]
    attributes = {
        "data-image": service,
        "data-canvas": canvas_address(edge_url, number),
        "data-width": information["width"],
        "data-height": information["height"],
        "data-tile": information["tiles"][0]["width"],
        "data-sizes": json.dumps(sizes),
        "data-label": f"Chart {number}",
        **({"data-resolution": resolution} if resolution else {}),
    }
    written = " ".join(f'{name}="{escape(str(value))}"' for name, value in attributes.items())
    srcset = ", ".join(f"{address} {width}w" for address, width in choices)
    return (
        f'<li class="canvas" id="view-{number}" {written}>'
        f'<img id="image-{number}" src="{choices[0][0]}" srcset="{srcset}" sizes="100vw"'
        f' width="{information["width"]}" height="{information["height"]}" alt="A chart"'
        f' aria-describedby="description-{number}"></li>'
    )


def open_viewer(
    open_page: OpenPage, html: str, *, query: str = "", prepare: Any = None, **how: Any
) -> Visit:
    """Open the page, under the site's policy, and wait until its image can be used."""

    def answer(page: Page) -> None:
        headers = {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": content_security_policy("'self'"),
        }
        page.route(f"**{PATH}*", lambda route: route.fulfill(body=html, headers=headers))
        page.add_init_script(COUNT_SHIFTS)
        if prepare:
            prepare(page)

    visit = open_page(PATH + query, prepare=answer, **how)
    visit.page.wait_for_selector("figure.ready", timeout=90_000)
    return visit


COUNT_SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifted += entry.value;
}).observe({ type: 'layout-shift', buffered: true });"""


def faults(visit: Visit) -> list[str]:
    """Return the browser's complaints, without what OpenSeadragon says of tiles it drops."""
    return [line for line in visit.complaints if not line.startswith("Ignoring ")]


STATE = """(number) => {
  const stage = document.querySelectorAll('.stage')[number];
  const { viewport, world, animationTime } = OpenSeadragon.getViewer(stage);
  const image = world.getItemAt(0), { x, y, width, height } = viewport.getBounds();
  return {
    bounds: [x, y, width, height], zoom: viewport.getZoom(), turned: viewport.getRotation(),
    mirrored: viewport.getFlip(), scale: image.viewportToImageZoom(viewport.getZoom()),
    animationTime,
  };
}"""


def state(visit: Visit, number: int = 0) -> dict[str, Any]:
    """Return what a stage shows, as OpenSeadragon has it."""
    found: dict[str, Any] = visit.page.evaluate(STATE, number)
    return found


AT_REST = """() => {
  const now = [...document.querySelectorAll('.stage')].map((stage) => {
    const { viewport } = OpenSeadragon.getViewer(stage);
    const shown = viewport.getBounds(true), meant = viewport.getBounds();
    return { at: shown.toString(), moves: !shown.equals(meant) };
  });
  const places = now.map(({ at }) => at).join();
  const isAtRest = places === window.placesBefore && !now.some(({ moves }) => moves);
  window.placesBefore = places;
  return isAtRest;
}"""


def wait_until_at_rest(visit: Visit) -> None:
    """Wait until each stage shows what it is meant to, twice in a quarter of a second."""
    visit.page.wait_for_function(AT_REST, polling=250)
