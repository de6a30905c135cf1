"""What a first look at each picture of the sample takes, and how true it is.

    python -m tests.e2e.first_looks [--url URL]

Opens every picture of the sample collection, which `vitrine up` publishes, in a profile of its own
as a desktop (1440 x 900) and as a phone (390 x 844, nine pixels to one of CSS), until the viewer
wants nothing more. Prints requests and bytes as they came over the network, headers with them, and
the mean ΔE00 between what the viewer has drawn and the scan, reduced to that place by Lanczos; of
looks that are drawn by several tiles it is too high, since each of them is a little too large.
Exit code 1 if a look takes more than 16 requests or 500 kB, or shows something else.
"""

import argparse
import base64
import csv
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from skimage.color import deltaE_ciede2000, rgb2lab

from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS, open_context
from vitrine.local.sample.wallpapers import TABLE, gather_wallpapers

MAX_REQUESTS, MAX_BYTES, MAX_DELTA_E = 16, 500_000, 4.0
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 3,
        "has_touch": True,
        "is_mobile": True,
    },
}
VIEWER = "OpenSeadragon.getViewer(document.querySelector('.stage'))"
DRAWN = f"""() => {{
  const {{ world }} = {VIEWER};
  return world.getItemCount() > 0 && world.getItemAt(0).getFullyLoaded();
}}"""
STAGE = f"""() => {{
  const {{ drawer, viewport, world }} = {VIEWER};
  const {{ canvas }} = drawer;
  const place = viewport.viewportToViewerElementRectangle(world.getItemAt(0).getBounds(true));
  const scale = canvas.width / canvas.clientWidth;
  return {{
    picture: canvas.toDataURL('image/png').split(',')[1],
    place: [place.x, place.y, place.width + 1, place.height + 1].map((length) => length * scale),
  }};
}}"""
"""OpenSeadragon draws a tile one pixel of CSS larger than its place, which leaves no seams."""


@dataclass(frozen=True)
class SamplePicture:
    """A picture of the sample: the path of its page, and its scan."""

    path: str
    scan: Path


@dataclass(frozen=True)
class FirstLook:
    """What came over the network until a picture was drawn, and how far it is from its scan."""

    path: str
    screen: str
    requests: int
    images: int
    """Requests for images, as a whole or for parts of them."""
    bytes: int
    image_bytes: int
    delta_e: float
    """Mean ΔE00 of the pixels of the screen that the picture takes."""

    @property
    def is_good(self) -> bool:
        """True if it keeps what is promised of it."""
        return (
            self.requests <= MAX_REQUESTS
            and self.bytes <= MAX_BYTES
            and self.delta_e <= MAX_DELTA_E
        )


def list_pictures() -> list[SamplePicture]:
    """Return the pictures of the sample; those of a series by their places on its page."""
    scans = gather_wallpapers().parent
    with (scans / TABLE).open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    found, views = [], dict[str, int]()
    for row in rows:
        if not row["File"]:
            continue
        path = f"/objects/{row['Identifier']}"
        if whole := row["Part of"]:
            views[whole] = views.get(whole, 0) + 1
            path = f"/objects/{whole}" + (f"#view-{views[whole]}" if views[whole] > 1 else "")
        found.append(SamplePicture(path, scans / "scans" / row["File"]))
    return found


def look(browser: Browser, edge_url: str, picture: SamplePicture, screen: str) -> FirstLook:
    """Open a picture's page and wait until its viewer wants nothing more."""
    context = open_context(browser, **SCREENS[screen])
    page = context.new_page()
    protocol = context.new_cdp_session(page)
    protocol.send("Network.enable")
    addresses: dict[str, str] = {}
    sizes: dict[str, int] = {}
    protocol.on(
        "Network.responseReceived",
        lambda event: (
            event["response"].get("fromDiskCache")
            or addresses.update({event["requestId"]: event["response"]["url"]})
        ),
    )
    protocol.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: int(event["encodedDataLength"])}),
    )
    page.goto(edge_url + picture.path)
    page.wait_for_selector("figure.ready")
    page.wait_for_function(DRAWN)
    page.wait_for_load_state("networkidle")
    page.wait_for_function(DRAWN)
    delta_e = compare_stage(page, picture.scan)
    context.close()
    images = [one for one, address in addresses.items() if "/iiif/" in address]
    return FirstLook(
        picture.path,
        screen,
        requests=len(addresses),
        images=len(images),
        bytes=sum(sizes.get(one, 0) for one in addresses),
        image_bytes=sum(sizes.get(one, 0) for one in images),
        delta_e=delta_e,
    )


def compare_stage(page: Page, scan: Path) -> float:
    """Return the mean ΔE00 between the whole pixels of a picture on the stage and its scan."""
    found = page.evaluate(STAGE)
    with Image.open(io.BytesIO(base64.b64decode(found["picture"]))) as stage:
        drawn = stage.convert("RGB")
    x, y, width, height = found["place"]
    left, top = max(0, int(np.ceil(x))), max(0, int(np.ceil(y)))
    right = min(drawn.width, int(np.floor(x + width)))
    bottom = min(drawn.height, int(np.floor(y + height)))
    with Image.open(scan) as master:
        across, down = master.width / width, master.height / height
        box = ((left - x) * across, (top - y) * down, (right - x) * across, (bottom - y) * down)
        target = master.convert("RGB").resize(
            (right - left, bottom - top), Image.Resampling.LANCZOS, box
        )
    seen = drawn.crop((left, top, right, bottom))
    differences = deltaE_ciede2000(rgb2lab(np.asarray(target)), rgb2lab(np.asarray(seen)))
    return float(differences.mean())


def main() -> None:
    """Look and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--url", default="http://127.0.0.1:8080", help="where the service runs [%(default)s]"
    )
    options = parser.parse_args()
    looks = []
    print("| screen | picture | requests | of images | kB | of images | ΔE00 |")
    print("|---|---|--:|--:|--:|--:|--:|")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for screen in SCREENS:
            for picture in list_pictures():
                one = look(browser, options.url.rstrip("/"), picture, screen)
                looks.append(one)
                print(
                    f"| {screen} | {one.path} | {one.requests} | {one.images} "
                    f"| {one.bytes / 1_000:.0f} | {one.image_bytes / 1_000:.0f} "
                    f"| {one.delta_e:.2f} |",
                    flush=True,
                )
        browser.close()
    for screen in SCREENS:
        seen = [one for one in looks if one.screen == screen]
        print(
            f"{screen}: at worst {max(one.requests for one in seen)} requests, "
            f"{max(one.bytes for one in seen) / 1_000:.0f} kB, "
            f"ΔE00 {max(one.delta_e for one in seen):.2f}; "
            f"means {mean(one.requests for one in seen):.1f}, "
            f"{mean(one.bytes for one in seen) / 1_000:.0f} kB, "
            f"{mean(one.delta_e for one in seen):.2f}"
        )
    sys.exit(not all(one.is_good for one in looks))


if __name__ == "__main__":
    main()
