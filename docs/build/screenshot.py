"""Take pictures for the README and the desk's page: `python -m docs.build.screenshot EDGE_URL`.

Writes docs/object-page.webp and docs/desk.webp from a running service: the page of the sample's
only object that is under a Creative Commons licence, which NOTICE names, and the same object at the
desk.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import pyvips
from playwright.sync_api import FloatRect, ViewportSize, sync_playwright

from docs.build.saved_runs import ROOT

PICTURES: Mapping[Path, tuple[str, float]] = {
    ROOT / "docs" / "object-page.webp": ("/objects/ubuntu-mate", 1038),
    ROOT / "docs" / "desk.webp": ("/desk/#/objects/ubuntu-mate", 900),
}
"""Page and height of each picture, in CSS pixels."""
WIDTH, HEIGHT = 1100, 800
"""The window shows the viewer, and a picture what is below it as well."""
QUALITY = 85


def take_screenshot(address: str, height: float) -> bytes:
    """Return a page, once its pictures are drawn, as a PNG."""
    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=ViewportSize(width=WIDTH, height=HEIGHT))
        page.goto(address, wait_until="networkidle")
        clip = FloatRect(x=0, y=0, width=WIDTH, height=height)
        return page.screenshot(full_page=True, clip=clip)


if __name__ == "__main__":
    for path, (page, height) in PICTURES.items():
        taken = take_screenshot(sys.argv[1].rstrip("/") + page, height)
        picture = pyvips.Image.new_from_buffer(taken, "")
        picture.webpsave(str(path), Q=QUALITY, effort=6, keep="none")
