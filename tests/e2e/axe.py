"""axe-core, which judges how accessible a page is, on every kind of page of a running site.

    python -m tests.e2e.axe [--url URL] [PATH…]

Without PATHs: the pages of `tests/e2e/published_site.py`, which must be published, an address that
never was, and the desk. Judges each as a phone, a desktop and a wall of 3,840 pixels, light and
dark; prints what breaks a rule. Exit code 1 if anything does.
"""

import argparse
import sys
from itertools import product

from playwright.sync_api import Page, sync_playwright

from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS, open_context
from tests.e2e.published_site import PAGES
from vitrine.bootstrap.local_service import REPOSITORY

AXE = (REPOSITORY / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
SCREENS = {"phone": (390, 844), "desktop": (1440, 900), "wall": (3840, 2160)}
SCHEMES = ("light", "dark")
WHOLE = """() => [...document.querySelectorAll('figure.viewer, .results')]
  .every((one) => one.classList.contains('ready') || 'settled' in one.dataset)"""
Fault = tuple[str, str, list[str]]
"""A rule that is broken, what it asks for, and the elements that break it."""


def wait_until_whole(page: Page) -> None:
    """Wait until scripts have put on the page what they put there."""
    page.wait_for_function(WHOLE)
    page.wait_for_load_state("networkidle")


def find_faults(page: Page, within: str = "html") -> list[Fault]:
    """Return what axe-core finds in the elements of a selector.

    It is evaluated by the debugger, so that the page's policy stays as strict as it is.
    """
    page.evaluate(f"{AXE};0")
    found = page.evaluate("one => axe.run(one, {resultTypes: ['violations']})", within)
    assert len(found["passes"]) > 10, "axe-core judged next to nothing"
    return [
        (one["id"], one["help"], [node["html"] for node in one["nodes"]])
        for one in found["violations"]
    ]


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    options = parser.parse_args()
    paths = options.paths or [*PAGES.values(), "/objects/unknown", "/desk/"]
    total = 0
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for path, (screen, (width, height)), scheme in product(paths, SCREENS.items(), SCHEMES):
            context = open_context(
                browser, viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(options.url.rstrip("/") + path)
            wait_until_whole(page)
            for rule, needed, elements in find_faults(page):
                total += 1
                print(f"{path} ({screen}, {scheme}): {rule}: {needed}", *elements, sep="\n  ")
            context.close()
        browser.close()
    print(f"{len(paths)} pages, each {len(SCREENS) * len(SCHEMES)} times: {total} faults")
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
