"""Seconds of a visitor's first look over a slow line, by the recipe of the access master.

    python -m tests.benchmarks.first_look_seconds [--screenshots FOLDER]

As `first_look`, but over HTTP/1.1 from this machine, while Chromium's own throttling lets through
1.6 Mbit/s after 150 ms for each request. Prints requests, bytes, seconds until nothing of the look
is missing, and how far the two screens are from each other.
"""

import argparse
import io
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from skimage.color import deltaE_ciede2000, rgb2lab

from loadtest.corpora.photographs import DRAGONFLY, KLEIBER, SEEDING
from tests.benchmarks.first_look import (
    HEIGHT,
    HOST,
    OPEN,
    SCRIPT,
    STAGE,
    WIDTH,
    Pyramid,
    Variant,
    write,
)
from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS
from vitrine.local.debian_files import fetch

RECIPES = {"standard": Variant(256, 90, 90, "444"), "light": Variant(512, 90, 80, "444")}
LINE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
}


@contextmanager
def serving(pyramid: Pyramid, answers: list[int]) -> Iterator[str]:
    """Serve a pyramid's information and tiles; yield the base, and note the bytes of each."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body, kind = STAGE.encode(), "text/html"
            if self.path.endswith("info.json"):
                document = json.dumps(pyramid.information()).replace(HOST, base)
                body, kind = document.encode(), "application/json"
            elif self.path.startswith("/iiif/"):
                body, kind = pyramid.tile(self.path), "image/jpeg"
            if self.path.startswith("/iiif/"):
                answers.append(len(body))
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Keep the table clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield base
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def look(browser: Browser, pyramid: Pyramid) -> tuple[list[int], float, bytes]:
    """Open a pyramid over the slow line; return bytes of the answers, seconds and a screenshot."""
    answers: list[int] = []
    with serving(pyramid, answers) as base:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(f"{base}/")
        page.add_script_tag(content=SCRIPT.read_text())
        page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", LINE)
        begun = time.perf_counter()
        page.evaluate(OPEN, f"{base}/iiif/3/x/info.json")
        # The viewer waits 0.3 s for its last frame.
        seconds = time.perf_counter() - begun - 0.3
        shot = page.locator("#stage").screenshot()
        page.close()
    return answers, seconds, shot


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--screenshots", type=Path, help="folder that gets the screenshots")
    folder: Path | None = parser.parse_args().screenshots
    with sync_playwright() as running, tempfile.TemporaryDirectory() as scratch:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for file in (DRAGONFLY, KLEIBER, SEEDING):
            photograph, screens = fetch(file), {}
            for name, variant in RECIPES.items():
                path = Path(scratch) / "pyramid.tif"
                write(photograph, variant, path)
                answers, seconds, shot = look(browser, Pyramid(path))
                screens[name] = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))
                if folder:
                    (folder / f"{photograph.stem}-{name}.png").write_bytes(shot)
                print(
                    f"{photograph.stem:10} {name:9} {len(answers):4} requests"
                    f" {sum(answers) / 1000:6.0f} kB {seconds:5.1f} s",
                    flush=True,
                )
            colours = deltaE_ciede2000(  # type: ignore[no-untyped-call]
                *(rgb2lab(screen) for screen in screens.values())
            )
            print(f"{photograph.stem:10} dE00 of the two {np.mean(colours):.2f}", flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
