"""Bytes and first paint of the desk, and the time from a key to its frame in a table of 2,000 rows.

On a busy machine, the same in a table of 20 rows says how much of it the rows are.
`python -m tests.e2e.desk_figures http://127.0.0.1:8080` prints them, of a service that runs. A slow
phone is one of Lighthouse's: 150 ms and 1.6 Mbit/s to the service, a CPU that is four times slower.
"""

import json
import statistics
import sys
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS, open_context

ROUNDS = 5
MANY, FEW = ROWS = 2_000, 20
KEYS = 40
PHONE = {"latency": 150, "downloadThroughput": 204_800, "uploadThroughput": 93_750}
"""Milliseconds, and bytes a second."""
SLOWER = 4
PAINTS = """() => new Promise((resolve) => {
  new PerformanceObserver((list) => resolve({
    first: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    largest: list.getEntries().at(-1).startTime
  })).observe({ type: 'largest-contentful-paint', buffered: true });
})"""
FILL = """(rows) => new Promise((resolve, reject) => {
  const opened = indexedDB.open('vitrine-desk');
  opened.onsuccess = () => {
    const writing = opened.result.transaction('drafts', 'readwrite');
    const keep = (record) =>
      writing.objectStore('drafts').put({ record, base: null, revision: 0 }, record.identifier);
    keep({ type: 'collection', identifier: 'many', label: { en: ['Many'] }, members: [] });
    for (let row = 1; row <= rows; row++) {
      const identifier = `many-${row}`;
      keep({ type: 'object', identifier, label: { en: [`Letter ${row}`] }, part_of: ['many'],
        canvases: [{ image: identifier }], metadata: [
          { label: { en: ['Photographer'] }, value: { en: [`Photographer ${row % 40}`] } },
          { label: { en: ['Place'] }, value: { en: [`Place ${row % 90}`] } }] });
    }
    writing.oncomplete = () => resolve();
    writing.onerror = () => reject(writing.error);
  };
})"""
WATCH = """() => {
  window.frames_ = [];
  window.redrawn_ = new Set();
  new MutationObserver((changes) => changes.forEach(({ target }) => {
    const row = (target.closest ? target : target.parentElement)?.closest('tbody tr');
    if (row) window.redrawn_.add(row);
  })).observe(document.querySelector('tbody'),
    { subtree: true, childList: true, attributes: true, characterData: true });
  addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const after = new MessageChannel();
      after.port1.onmessage = () => window.frames_.push(performance.now() - timeStamp);
      after.port2.postMessage(0);
    });
  }, true);
}"""


@dataclass
class DeskFigures:
    """What was measured, each key or round by itself."""

    kilobytes: float = 0.0
    """Bytes of all answers of the first page but for its pictures and the API's, in thousands."""
    first_paints: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds by screen."""
    largest_paints: dict[str, list[float]] = field(default_factory=dict)
    frames: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds from a key to the frame that shows what it does, by what it does."""
    redrawn_rows: int = 0
    """Rows of the long table that any key changed."""

    def lines(self) -> list[str]:
        """Return what a person reads."""
        found = [f"desk, without pictures: {self.kilobytes:.1f} kB"]
        for screen, paints in self.first_paints.items():
            largest = statistics.median(self.largest_paints[screen])
            first = statistics.median(paints)
            found.append(f"{screen}: first paint {first:.0f} ms, largest {largest:.0f} ms")
        for what, times in self.frames.items():
            middle = statistics.median(times)
            found.append(
                f"{what}: {middle:.0f} ms to its frame, {min(times):.0f} to {max(times):.0f}"
            )
        return [*found, f"rows of {MANY:,} that {2 * KEYS} keys changed: {self.redrawn_rows}"]


def measure_desk(browser: Browser, edge_url: str) -> DeskFigures:
    """Measure the desk of a service."""
    figures = DeskFigures()
    for screen in ("desktop", "phone"):
        figures.first_paints[screen], figures.largest_paints[screen] = [], []
        for _ in range(ROUNDS):
            _measure_visit(browser, edge_url, screen, figures)
    for rows in ROWS:
        _measure_keys(browser, edge_url, rows, figures)
    return figures


def _measure_visit(browser: Browser, edge_url: str, screen: str, figures: DeskFigures) -> None:
    size = {"width": 390, "height": 844} if screen == "phone" else {"width": 1440, "height": 900}
    context = open_context(browser, viewport=size)
    page = context.new_page()
    protocol = context.new_cdp_session(page)
    protocol.send("Network.enable")
    if screen == "phone":
        protocol.send("Network.emulateNetworkConditions", {"offline": False, **PHONE})
        protocol.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    names: dict[str, str] = {}
    sizes: dict[str, float] = {}
    protocol.on(
        "Network.responseReceived",
        lambda event: names.update({event["requestId"]: event["response"]["url"]}),
    )
    protocol.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(f"{edge_url}/desk/", wait_until="networkidle")
    paints = page.evaluate(PAINTS)
    figures.first_paints[screen].append(paints["first"])
    figures.largest_paints[screen].append(paints["largest"])
    own = [one for one, url in names.items() if "/iiif/" not in url and "/api/" not in url]
    figures.kilobytes = sum(sizes.get(one, 0) for one in own) / 1_000
    context.close()


def _measure_keys(browser: Browser, edge_url: str, rows: int, figures: DeskFigures) -> None:
    context = open_context(browser, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{edge_url}/desk/", wait_until="networkidle")
    page.evaluate(FILL, rows)
    page.goto(f"{edge_url}/desk/#/collections/many")
    page.reload()
    page.wait_for_function(
        "rows => document.querySelectorAll('tbody tr').length === rows", arg=rows
    )
    page.get_by_text("Checking …").wait_for(state="hidden")
    page.evaluate(WATCH)
    page.locator("[data-cell='10:1']").click()
    figures.frames[f"an arrow, {rows:,} rows"] = _press(page, ["ArrowDown"] * KEYS)
    page.keyboard.press("Enter")
    figures.frames[f"a letter, {rows:,} rows"] = _press(page, list("abcdefghij" * (KEYS // 10)))
    if rows == MANY:
        figures.redrawn_rows = page.evaluate("window.redrawn_.size")
    context.close()


def _press(page: Page, keys: list[str]) -> list[float]:
    page.evaluate("window.frames_.length = 0")
    for number, key in enumerate(keys, start=1):
        page.keyboard.press(key)
        page.wait_for_function("count => window.frames_.length >= count", arg=number)
    found: list[float] = page.evaluate("window.frames_")
    return found


def main(edge_url: str) -> None:
    """Print the figures of a service."""
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        figures = measure_desk(browser, edge_url.rstrip("/"))
        browser.close()
    print("\n".join(figures.lines()))
    print(json.dumps(vars(figures)))


if __name__ == "__main__":
    main(sys.argv[1])
