"""How soon a page shows its image on a slow phone, from the edge's cache.

    python -m tests.benchmarks.first_tile ADDRESS... [--rounds 5] [--save FILE]

ADDRESSes are pages of an object at the edge, or of other software: they are opened in turns. Each
visit has a fresh profile of Chromium with a screen of 412 by 823 pixels (1.75 of the display's for
one of CSS); one visit before the first round fills the caches of servers. There are two networks:
Lighthouse's Slow 4G as it is simulated (150 ms, 1.6 Mbit/s down, 0.75 up) and as DevTools applies
it (562.5 ms for each request, 1.44 Mbit/s down, 0.675 up). The CPU is slowed down four times.
DevTools delays requests, not connections: a real visitor pays one or two more round trips once.
Times are milliseconds from the start of the navigation:

- `image`: the first answer with an image of the object has come.
- `picture`: the page's own picture, which has the place of the whole image, is painted.
- `tile`: OpenSeadragon has drawn its first tile.
- `sharp`: every tile of the first view is drawn.
- `tools`: the viewer's buttons can be used.
- `largest`: the largest paint (LCP), whatever it is.
- `shifted`: the layout shift of the whole visit, without a unit.
- `kB`, `requests`: what came until nothing did for three seconds.
- `floor`: of a page of ours, what its line alone takes until the picture is there: two requests one
  after the other, the bytes of the page, its style sheets and scripts, and the picture.
- `tile_floor`: the same until the viewer has its first tile, which is that picture: one request
  more, and the bytes of the viewer.

What a page does not have is null.
"""

import argparse
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, sync_playwright

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
    seen.largest = entry.startTime;
    if (entry.element?.closest('.canvas')) seen.picture ??= entry.startTime;
  }
}).observe({ type: 'largest-contentful-paint', buffered: true });
const watch = () => {
  if (document.querySelector('figure.ready .tools')) seen.tools ??= performance.now();
  else requestAnimationFrame(watch);
};
requestAnimationFrame(watch);
const watchStage = () => {
  const stage = document.querySelector('.stage');
  const viewer = stage && window.OpenSeadragon?.getViewer(stage);
  if (!viewer) return requestAnimationFrame(watchStage);
  viewer.addHandler('tile-drawn', () => { seen.tile ??= performance.now(); });
  const wait = () => {
    const image = viewer.world.getItemAt(0);
    if (image?.getFullyLoaded()) seen.sharp ??= performance.now();
    else requestAnimationFrame(wait);
  };
  wait();
};
requestAnimationFrame(watchStage);
"""
LOADED = """
() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ name, responseEnd, transferSize }) => ({ name, responseEnd, transferSize }))
"""
IMAGE = re.compile(r"/iiif/.*/default\.\w+$")
LATER = re.compile(r"/openseadragon/|/viewer/(?!start)|/icon\.svg$")
"""What comes after the picture."""
FIGURES = (
    *("image", "picture", "tile", "sharp", "tools", "largest", "shifted", "kB", "requests"),
    *("floor", "tile_floor"),
)
QUIET_SECONDS, MOST_SECONDS = 3, 90


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("addresses", nargs="+", metavar="ADDRESS")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--save", type=Path, help="where every round is kept, as JSON")
    parser.add_argument("--network", choices=NETWORKS, action="append")
    options = parser.parse_args()
    networks = options.network or list(NETWORKS)
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for address in options.addresses:
            _visit(browser, address, None)
        rounds = list(_measure(browser, options.addresses, networks, options.rounds))
        browser.close()
    if options.save:
        options.save.parent.mkdir(parents=True, exist_ok=True)
        options.save.write_text(json.dumps(rounds, indent=1) + "\n")
    for address, network in product(options.addresses, networks):
        several = [one for one in rounds if (one["address"], one["network"]) == (address, network)]
        medians = {name: _median([one[name] for one in several]) for name in FIGURES}
        print(json.dumps({"address": address, "network": network, "median": medians}))


def _median(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(median(known), 3) if known else None


def _measure(
    browser: Browser, addresses: list[str], networks: list[str], rounds: int
) -> Iterator[dict[str, Any]]:
    for number, network, address in product(range(1, rounds + 1), networks, addresses):
        found = {"round": number, "network": network, "address": address}
        found |= _visit(browser, address, network)
        print(json.dumps(found), flush=True)
        yield found


def _visit(browser: Browser, address: str, network: str | None) -> dict[str, Any]:
    context = browser.new_context(
        viewport=SCREEN, device_scale_factor=1.75, is_mobile=True, has_touch=True
    )
    page = context.new_page()
    if network:
        _slow_down(context.new_cdp_session(page), network)
    page.add_init_script(WATCH)
    page.goto(address)
    loaded: list[dict[str, Any]] = []
    quiet = 0
    for _ in range(MOST_SECONDS):  # the page's policy forbids what wait_for_function does
        page.wait_for_timeout(1_000)
        before, loaded = len(loaded), page.evaluate(LOADED)
        quiet = quiet + 1 if len(loaded) == before else 0
        if quiet == QUIET_SECONDS:
            break
    seen: dict[str, Any] = page.evaluate("window.seen")
    context.close()
    images = [one["responseEnd"] for one in loaded if IMAGE.search(one["name"])]
    seen |= {"image": min(images, default=None), "requests": len(loaded)}
    seen["kB"] = sum(one["transferSize"] for one in loaded) / 1_000
    if network and "picture" in seen:
        seen |= _floors(loaded, network)
    return {name: round(seen[name], 3) if seen.get(name) is not None else None for name in FIGURES}


def _slow_down(devtools: CDPSession, network: str) -> None:
    latency, down, up = NETWORKS[network]
    conditions = {
        "offline": False,
        "latency": latency,
        "downloadThroughput": down / 8,
        "uploadThroughput": up / 8,
    }
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", conditions)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})


def _floors(loaded: list[dict[str, Any]], network: str) -> dict[str, float]:
    """Return what the line alone takes, in milliseconds."""
    latency, down, _ = NETWORKS[network]
    later = sum(one["transferSize"] for one in loaded if LATER.search(one["name"]))
    all_bytes = sum(one["transferSize"] for one in loaded)
    in_line = 8_000 / down
    return {
        "floor": 2 * latency + (all_bytes - later) * in_line,
        "tile_floor": 3 * latency + all_bytes * in_line,
    }


if __name__ == "__main__":
    main()
