#!/bin/sh
# openseadragon 6.1.1 (npm), drawer `canvas`, in Chromium: a tile of a source without overlap is
# drawn one pixel of CSS wider and higher than its place, which hides seams between tiles, also where
# it is the only tile of its image. So an image in one tile is stretched: on a screen with three
# pixels to one of CSS it has three rows too many, and what is compared with it pixel by pixel does
# not lie on it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check playwright==1.65.2
npm install --silent --prefix "$folder" openseadragon@6.1.1
"$folder/venv/bin/python" - "$folder" "$(command -v chromium)" <<'PY'
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

folder, chromium = sys.argv[1:]
script = Path(folder, "node_modules/openseadragon/build/openseadragon/openseadragon.min.js")
DRAW = """() => new Promise((resolve) => {
  const paint = document.createElement('canvas');
  [paint.width, paint.height] = [400, 200];
  const brush = paint.getContext('2d');
  brush.fillStyle = 'red';
  brush.fillRect(0, 0, 400, 200);
  const address = paint.toDataURL();
  const source = { width: 400, height: 200, tileSize: 400, minLevel: 9, getTileUrl: () => address };
  const viewer = OpenSeadragon({
    id: 'stage', drawer: 'canvas', showNavigationControl: false, tileSources: source,
  });
  const count = () => {
    const item = viewer.world.getItemAt(0);
    if (!item || !item.getFullyLoaded()) return setTimeout(count, 50);
    const { canvas, context } = viewer.drawer;
    const { data } = context.getImageData(canvas.width / 2, 0, 1, canvas.height);
    let rows = 0;
    for (let row = 0; row < canvas.height; row += 1) rows += data[4 * row + 3] > 0;
    const place = viewer.viewport.viewportToViewerElementRectangle(item.getBounds(true));
    resolve([place.height * devicePixelRatio, rows]);
  };
  setTimeout(count, 500);
})"""
with sync_playwright() as running:
    browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    for scale in (1, 3):
        page = browser.new_page(device_scale_factor=scale)
        page.set_content('<div id="stage" style="width: 400px; height: 300px"></div>')
        page.add_script_tag(path=script)
        place, rows = page.evaluate(DRAW)
        print(f"pixels to one of CSS: {scale}; rows of its place: {place:g}; rows drawn: {rows}")
        assert (place, rows) == (200 * scale, 201 * scale), "this has changed"
    browser.close()
PY
