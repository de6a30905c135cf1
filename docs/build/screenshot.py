"""Take the README's picture from a running service: `python -m docs.build.screenshot EDGE_URL`.

Writes docs/object-page.webp: the page of the sample's only object that is under a Creative Commons
licence, which NOTICE names.
"""

import sys

import pyvips
from playwright.sync_api import FloatRect, ViewportSize, sync_playwright

from docs.build.saved_runs import ROOT

PICTURE = ROOT / "docs" / "object-page.webp"
PAGE = "/objects/ubuntu-mate"
WINDOW = ViewportSize(width=1100, height=800)
CLIP = FloatRect(x=0, y=0, width=1100, height=1038)
"""The window shows the viewer, and the picture the record below it as well; in CSS pixels."""
QUALITY = 85


def take_screenshot(edge_url: str) -> bytes:
    """Return the object's page, once its picture is drawn, as a PNG."""
    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=WINDOW)
        page.goto(edge_url.rstrip("/") + PAGE, wait_until="networkidle")
        return page.screenshot(full_page=True, clip=CLIP)


if __name__ == "__main__":
    picture = pyvips.Image.new_from_buffer(take_screenshot(sys.argv[1]), "")
    picture.webpsave(str(PICTURE), Q=QUALITY, effort=6, keep="none")
