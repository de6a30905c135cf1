"""How soon an object's page shows its image on a slow phone, from the edge's cache.

    python -m tests.benchmarks.first_tile ADDRESS [--rounds 7]

ADDRESS is an object's page at the edge. Each round opens it in a fresh profile of Chromium with a
screen of 412 by 823 pixels (1.75 of the display's for one of CSS), after one visit that fills the
edge's cache, under two networks in turn: Lighthouse's Slow 4G as it is simulated (150 ms, 1.6
Mbit/s down, 0.75 up) and as DevTools applies it (562.5 ms for each request, 1.44 Mbit/s down,
0.675 up); the CPU is slowed down four times. Times are milliseconds from the start of the
navigation:

- `picture`: the page's own picture, which has the place of the whole image, is painted.
- `tile`: OpenSeadragon has drawn its first tile.
- `sharp`: every tile of the first view is drawn.
- `shifted`: the layout shift of the whole visit, without a unit.
"""

import argparse
import json
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from loadtest.figures.order_statistics import median
from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS

NETWORKS = {
    "slow-4g-simulated": (150.0, 1_600_000, 750_000),
    "slow-4g-applied": (562.5, 1_440_000, 675_000),
}
"""Latency of a request in milliseconds; bits in a second down and up."""
CPU_SLOWDOWN = 4
SCREEN = {"width": 412, "height": 823}
WATCH = """
const seen = window.seen = { shifted: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) seen.shifted += entry.value;
}).observe({ type: 'layout-shift', buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.element?.closest('.canvas')) seen.picture ??= entry.startTime;
  }
}).observe({ type: 'largest-contentful-paint', buffered: true });
const watch = () => {
  const stage = document.querySelector('.stage');
  const viewer = stage && window.OpenSeadragon?.getViewer(stage);
  if (!viewer) return requestAnimationFrame(watch);
  const drawn = () => { seen.tile ??= performance.now(); };
  viewer.addHandler('tile-drawn', drawn);
  const wait = () => {
    const image = viewer.world.getItemAt(0);
    if (image?.getFullyLoaded()) seen.sharp ??= performance.now();
    else requestAnimationFrame(wait);
  };
  wait();
};
requestAnimationFrame(watch);
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        _visit(browser, options.address, None)
        rounds = list(_measure(browser, options.address, options.rounds))
        browser.close()
    for network in NETWORKS:
        of_network = [one for one in rounds if one["network"] == network]
        medians = {
            name: round(median([one[name] for one in of_network]), 3)
            for name in ("picture", "tile", "sharp", "shifted")
        }
        print(json.dumps({"network": network, "median": medians}))


def _measure(browser: Browser, address: str, rounds: int) -> Iterator[dict[str, Any]]:
    for number in range(1, rounds + 1):
        for network in NETWORKS:
            found = {"round": number, "network": network, **_visit(browser, address, network)}
            print(json.dumps(found), flush=True)
            yield found


def _visit(browser: Browser, address: str, network: str | None) -> dict[str, Any]:
    context = browser.new_context(
        viewport=SCREEN, device_scale_factor=1.75, is_mobile=True, has_touch=True
    )
    page = context.new_page()
    if network:
        latency, down, up = NETWORKS[network]
        devtools = context.new_cdp_session(page)
        devtools.send("Network.enable")
        conditions = {
            "offline": False,
            "latency": latency,
            "downloadThroughput": down / 8,
            "uploadThroughput": up / 8,
        }
        devtools.send("Network.emulateNetworkConditions", conditions)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    page.add_init_script(WATCH)
    page.goto(address)
    for _ in range(120):  # the page's policy forbids what wait_for_function does
        if page.evaluate("Boolean(window.seen.sharp && window.seen.picture)"):
            break
        page.wait_for_timeout(500)
    seen: dict[str, Any] = page.evaluate("window.seen")
    context.close()
    return {name: round(value, 3) for name, value in seen.items()}


if __name__ == "__main__":
    main()
