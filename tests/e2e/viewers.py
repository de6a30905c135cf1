"""Mirador and Universal Viewer, downloaded from npm's registry once, and what they draw."""

import hashlib
import subprocess
import tarfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from playwright.sync_api import Page, TimeoutError

from tests.rigs.http_server import serve_folder
from vitrine.bootstrap.local_service import REPOSITORY

FOLDER = REPOSITORY / ".build" / "judging-viewers"
Colour = tuple[int, int, int]

MIRADOR_PAGE = """<!doctype html><html lang="en"><title>Mirador</title>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<div id="viewer" style="position: absolute; inset: 0"></div>
<script src="mirador/dist/mirador.min.js"></script>
<script>
  const [manifest, index] = location.hash.substring(1).split('/').map(decodeURIComponent);
  const viewer = Mirador.viewer({
    id: 'viewer', windows: [{ manifestId: manifest, canvasIndex: Number(index) }],
    osdConfig: { crossOriginPolicy: 'Anonymous' },  // or its canvas could not be read
  });
  window.show = (canvas) => {
    const state = viewer.store.getState();
    const [id] = Object.keys(state.windows);
    viewer.store.dispatch(Mirador.actions.setCanvas(id, canvas));
  };
</script>
"""
UNIVERSAL_PAGE = """<!doctype html><html lang="en"><title>UV</title>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="universalviewer/dist/uv.css">
<div id="uv" class="uv" style="position: absolute; width: 1200px; height: 800px"></div>
<script src="universalviewer/dist/umd/UV.js"></script>
<script>
  const [manifest, index] = location.hash.substring(1).split('/').map(decodeURIComponent);
  UV.init('uv', { manifest, iiifManifestId: manifest, canvasIndex: Number(index) });
</script>
"""
IS_DRAWN = """([colour, width, height]) => {
  const isPicture = (area, wide, high, isCut) => wide >= 8 && high >= 8
    && area >= 0.8 * wide * high
    && (isCut || Math.abs(wide - high * width / height) <= 2 + 0.05 * wide);
  for (const canvas of document.querySelectorAll('canvas')) {
    if (!canvas.width || !canvas.height || !canvas.getContext('2d')) continue;
    const across = canvas.width;
    const { data } = canvas.getContext('2d').getImageData(0, 0, across, canvas.height);
    const near = new Uint8Array(data.length / 4);
    for (let at = 0; at < near.length; at += 1) {
      near[at] = colour.every((part, index) => Math.abs(data[4 * at + index] - part) < 28);
    }
    const open = new Int32Array(near.length);
    for (let start = 0; start < near.length; start += 1) {
      if (!near[start]) continue;
      let area = 0, left = across, right = 0, top = canvas.height, bottom = 0, count = 0;
      const reach = (at) => { if (near[at]) { near[at] = 0; open[count] = at; count += 1; } };
      reach(start);
      while (count) {
        count -= 1;
        const at = open[count], x = at % across, y = (at - x) / across;
        area += 1;
        left = Math.min(left, x); right = Math.max(right, x);
        top = Math.min(top, y); bottom = Math.max(bottom, y);
        if (x > 0) reach(at - 1);
        if (x < across - 1) reach(at + 1);
        reach(at - across); reach(at + across);
      }
      const isCut = !left || !top || right === across - 1 || bottom === canvas.height - 1;
      if (isPicture(area, right - left + 1, bottom - top + 1, isCut)) return true;
    }
  }
  return false;
}"""
"""True if one of the page's canvases has an area of about this colour that fills a rectangle of the
picture's own shape, however small; of one that the window cuts, a rectangle. A picture of which a
tile is missing has neither."""


@dataclass(frozen=True)
class Picture:
    """What is seen of a canvas whose image has one colour, nearly; sizes in pixels."""

    colour: Colour
    width: int
    height: int


@dataclass(frozen=True)
class Viewer:
    """A package of npm, its page, and the errors that are its own."""

    name: str
    version: str
    sha512: str
    page: str
    can_turn: bool
    """True if the page can turn to another canvas; else it is loaded again for each."""
    known_errors: tuple[str, ...]
    """Beginnings of the paths, next to its own page, that it asks for by mistake."""
    cannot_show: tuple[str, ...]
    """Arrangements of more than two canvases of which it draws nothing, of anybody."""


VIEWERS = (
    Viewer(
        "mirador",
        "3.4.3",
        "yHoug0MHy4e9apykbbBhK+4CmbZS94zMxmugw2E2VX6iB0b2PKKY0JfYr/QfXh9P29YnWAbymaXJVpgbHVpTVw==",
        MIRADOR_PAGE,
        True,
        (),
        (),
    ),
    Viewer(
        "universalviewer",
        "4.4.0",
        "9OVs6uCzeQYw50jg8k2vEGq6hQFu7kEv9OOAlmqVH9duhrpg1xlIqcMIb2rhNQnAxTQd3R13gxJze9UYkiwdzg==",
        UNIVERSAL_PAGE,
        False,
        # A path of its own before a data URL; a thumbnail of an image that has no service.
        ("/images/data:image/gif;base64,", "/full/90,/0/default.jpg"),
        ("continuous bottom-to-top",),
    ),
)


def fetch(viewer: Viewer) -> None:
    """Download and unpack a viewer unless it is there; raise AssertionError for another package."""
    target = FOLDER / viewer.name
    if target.exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--silent", f"{viewer.name}@{viewer.version}"]
    subprocess.run(command, cwd=FOLDER, check=True, capture_output=True)
    packed = FOLDER / f"{viewer.name}-{viewer.version}.tgz"
    digest = b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
    assert digest == viewer.sha512, f"{packed} is not the package that we know"
    part = FOLDER / f"{viewer.name}.part"
    with tarfile.open(packed) as archive:
        archive.extractall(part, filter="data")
    (part / "package").rename(target)
    part.rmdir()


@contextmanager
def serve_viewers() -> Iterator[str]:
    """Serve the viewers' pages on this machine; yield the address."""
    for viewer in VIEWERS:
        fetch(viewer)
        (FOLDER / f"{viewer.name}.html").write_text(viewer.page)
    with serve_folder(FOLDER) as port:
        yield f"http://127.0.0.1:{port}"


def is_drawn(page: Page, picture: Picture, seconds: float) -> bool:
    """Return whether the page draws the whole picture within some seconds."""
    with suppress(TimeoutError):
        page.wait_for_function(
            IS_DRAWN,
            arg=[list(picture.colour), picture.width, picture.height],
            polling=100,
            timeout=seconds * 1_000,
        )
        return True
    return False


def collect_errors(page: Page) -> list[str]:
    """Return a list that grows with the errors of the page's console and of its scripts."""
    errors = list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda message: (
            errors.append(f"{message.text} ({message.location.get('url', '')})")
            if message.type == "error"
            else None
        ),
    )
    return errors
