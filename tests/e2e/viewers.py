"""Mirador and Universal Viewer, fetched from npm's registry once, and what they draw."""

import hashlib
import http.server
import subprocess
import tarfile
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from playwright.sync_api import Page

from tests.e2e.visit import Visit
from vitrine.bootstrap.local_service import REPOSITORY

FOLDER = REPOSITORY / ".build" / "viewers"
Colour = tuple[int, int, int]

MIRADOR_PAGE = """<!doctype html><html lang="en"><title>Mirador</title>
<link rel="icon" href="data:,">
<div id="viewer" style="position: absolute; inset: 0"></div>
<script src="mirador/dist/mirador.min.js"></script>
<script>
  const manifest = decodeURIComponent(location.hash.substring(1));
  const viewer = Mirador.viewer({ id: 'viewer', windows: [{ manifestId: manifest }] });
  window.show = (canvas) => {
    const state = viewer.store.getState();
    const [id] = Object.keys(state.windows);
    viewer.store.dispatch(Mirador.actions.setCanvas(id, canvas));
  };
</script>
"""
UNIVERSAL_PAGE = """<!doctype html><html lang="en"><title>UV</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="universalviewer/dist/uv.css">
<div id="uv" class="uv" style="position: absolute; width: 1200px; height: 800px"></div>
<script src="universalviewer/dist/umd/UV.js"></script>
<script>
  const manifest = decodeURIComponent(location.hash.substring(1));
  const viewer = UV.init('uv', { manifest, iiifManifestId: manifest, canvasIndex: 0 });
  window.show = (canvas, index) => viewer.set({ canvasIndex: index });
</script>
"""
SHARE = """(colour) => {
  const near = (data, at) => Math.abs(data[at] - colour[0]) < 28
    && Math.abs(data[at + 1] - colour[1]) < 28 && Math.abs(data[at + 2] - colour[2]) < 28;
  let best = 0;
  for (const canvas of document.querySelectorAll('canvas')) {
    if (canvas.width < 100 || !canvas.getContext('2d')) continue;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0, all = 0;
    for (let at = 0; at < data.length; at += 4 * 97) { all += 1; found += near(data, at); }
    best = Math.max(best, found / all);
  }
  return best;
}"""
"""The share of a drawn canvas' pixels that have about this colour."""
DRAWN = 0.002
"""A share from which on a picture is seen: a very long one takes little of the window."""


@dataclass(frozen=True)
class Viewer:
    """A package of npm's, and how it complains without our doing."""

    name: str
    version: str
    sha512: str
    page: str
    known_complaints: tuple[str, ...]


VIEWERS = (
    Viewer(
        "mirador",
        "3.4.3",
        "yHoug0MHy4e9apykbbBhK+4CmbZS94zMxmugw2E2VX6iB0b2PKKY0JfYr/QfXh9P29YnWAbymaXJVpgbHVpTVw==",
        MIRADOR_PAGE,
        ("GL Driver Message", "WebGL"),
    ),
    Viewer(
        "universalviewer",
        "4.4.0",
        "9OVs6uCzeQYw50jg8k2vEGq6hQFu7kEv9OOAlmqVH9duhrpg1xlIqcMIb2rhNQnAxTQd3R13gxJze9UYkiwdzg==",
        UNIVERSAL_PAGE,
        (),
    ),
)


def fetch(viewer: Viewer) -> None:
    """Unpack a viewer next to the others, unless it is there. Raises AssertionError."""
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


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def serve_viewers() -> Iterator[str]:
    """Serve the viewers' pages on this machine; yield the address."""
    for viewer in VIEWERS:
        fetch(viewer)
        (FOLDER / f"{viewer.name}.html").write_text(viewer.page)
    handler = partial(_Files, directory=str(FOLDER))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def wait_until_drawn(page: Page, colour: Colour, seconds: float) -> bool:
    """Whether a picture of this colour is drawn within so many seconds."""
    for _ in range(int(seconds * 5)):
        if page.evaluate(SHARE, list(colour)) >= DRAWN:
            return True
        page.wait_for_timeout(200)
    return False


def unknown_complaints(visit: Visit, viewer: Viewer) -> list[str]:
    """What the browser complained of, but for what the viewer is known for."""
    return [
        text
        for text in visit.complaints
        if not any(known in text for known in viewer.known_complaints)
    ]
