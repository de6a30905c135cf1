"""The static copy of a collection, shown by OpenSeadragon from a plain file server."""

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.e2e.visit import OpenPage
from tests.rigs.http_server import serve_folder
from vitrine.export.names import file_name
from vitrine.local.site_bundle import VIEWER

if TYPE_CHECKING:
    from conftest import Service

PAGE = """<!doctype html><title>copy</title><link rel="icon" href="data:,">
<div id="viewer" style="width: 900px; height: 700px"></div>
<script src="openseadragon.min.js"></script>
<script>
  const viewer = OpenSeadragon({
    id: 'viewer', drawer: 'canvas', showNavigationControl: false, tileSources: [SOURCE]
  });
  viewer.addHandler('open', () => {
    viewer.world.getItemAt(0).addHandler('fully-loaded-change', (event) => {
      document.title = event.fullyLoaded ? 'loaded' : 'loading';
    });
  });
  viewer.addHandler('tile-load-failed', (event) => { document.title = event.message; });
</script>
"""


@pytest.fixture(scope="module")
def served(
    service: "Service", image: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """The address of a plain file server, and the tree that it shows."""
    folder = tmp_path_factory.mktemp("copy")
    site = folder / "data" / "site"
    with serve_folder(site) as port:
        address = f"http://127.0.0.1:{port}"
        options = ("--static", "--base", address, "--pictures", "none")
        done = service.run("collection", "export", folder, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        shutil.copy(VIEWER / "openseadragon.min.js", site)
        yield address, site


@pytest.mark.parametrize("version", [2, 3])
def test_a_copy_is_zoomed_into_in_a_viewer_without_a_service(
    open_page: OpenPage, image: dict[str, Any], served: tuple[str, Path], version: int
) -> None:
    address, site = served
    source = f"{address}/iiif/{version}/{file_name(image['identifier'])}/info.json"
    (site / f"{version}.html").write_text(PAGE.replace("SOURCE", json.dumps(source)))
    visit = open_page("/")
    visit.page.goto("about:blank")
    visit.page.wait_for_timeout(500)
    visit.responses.clear()
    visit.complaints.clear()
    visit.page.goto(f"{address}/{version}.html")
    expect(visit.page).to_have_title("loaded")
    visit.page.evaluate("viewer.viewport.zoomTo(viewer.viewport.getMaxZoom(), null, true)")
    visit.wait_for_scales(lambda scales: version == 2 or len(scales) >= 2)
    expect(visit.page).to_have_title("loaded")
    assert all(response.status == 200 for response in visit.responses)
    assert visit.hosts() == {address.removeprefix("http://")}
    assert visit.complaints == []
    colours = visit.page.evaluate(
        "() => { const canvas = document.querySelector('.openseadragon-canvas canvas');"
        " const context = canvas.getContext('2d');"
        " const data = context.getImageData(0, 0, canvas.width, canvas.height).data;"
        " return new Set(data).size; }"
    )
    assert colours > 50


def test_a_tile_of_the_copy_is_that_of_the_service(
    image: dict[str, Any], served: tuple[str, Path], edge_url: str
) -> None:
    address, _ = served
    tiles = ("0,0,256,256/256,256", "2816,1792,184,208/184,208", "0,0,1024,1024/256,256")
    for tile in tiles:
        ours, copy = (
            f"{edge_url}/iiif/3/{quote(image['identifier'], safe=':')}",
            f"{address}/iiif/3/{file_name(image['identifier'])}",
        )
        bodies = [
            urllib.request.urlopen(f"{start}/{tile}/0/default.jpg", timeout=30).read()
            for start in (ours, copy)
        ]
        assert bodies[0] == bodies[1]
