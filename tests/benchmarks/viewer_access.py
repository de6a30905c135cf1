"""Which viewers show restricted images to those who may see them: a table of Chromium's.

    python -m tests.benchmarks.viewer_access [--only client] [--raw runs/viewer-access.json]

It starts a service of its own with a certified provider of sign-in, and opens an image for staff
and one of a reading room in each viewer: on a page of the images' site and on one of another site,
in a browser that keeps back cookies of others and in one that does not. Nobody has a cookie before.
An image counts as shown if the window has its colour.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import msgspec
from playwright.sync_api import Error, Page, sync_playwright

from tests.e2e.access_museum import Museum, run_museum, sign_in, wait_for_the_services
from tests.e2e.viewers_of_version_1 import (
    LONG_SECONDS,
    PLUMS,
    Visitor,
    open_profile,
    publish_plums,
    write_pages,
)

SITES = {"127.0.0.1": "the same", "localhost": "another"}
"""Host of the viewer's page, and which site that is, seen from the images."""
VIEWERS = {
    "universal": "Universal Viewer 4.4.0, version 1.0",
    "mirador": "Mirador 4.0.0 with `let-in.js`, version 1.0",
    "mirador-alone": "Mirador 4.0.0 alone, version 1.0",
    "client": "a client of version 2.0",
    "ours": "our own pages",
}
OURS = "the images' own"


@dataclass(frozen=True)
class Case:
    """A viewer on a page, and whether those with each right saw the image."""

    viewer: str
    site: str
    cookies: bool
    staff: bool
    place: bool


def look_1(page: Page, museum: Museum, viewer: str, host: str, image: str) -> bool:
    """Look with a viewer of version 1.0."""
    visitor = Visitor.open(page, museum, viewer, host, image)
    if PLUMS[image] == "staff" and not visitor.log_in(viewer):
        return False
    return visitor.sees_image(LONG_SECONDS)


def look_2(page: Page, museum: Museum, viewer: str, host: str, image: str) -> bool:
    """Look with a client of version 2.0."""
    right = PLUMS[image]
    page.goto(museum.viewer(host))
    address = f"{museum.base}/restricted/{right}/iiif/3/{image}"
    page.evaluate(
        "([probe, image]) => { window.shown = window.show(probe, image); }",
        [museum.probe(right, image), address],
    )
    if right == "staff":
        with page.expect_popup() as opened:
            page.click("#open")
        with opened.value.expect_event("close"):
            sign_in(opened.value, "ada")
    page.evaluate("window.shown")
    return Visitor(page).sees_image(LONG_SECONDS)


def look_here(page: Page, museum: Museum, viewer: str, host: str, image: str) -> bool:
    """Look at the page of the image's object."""
    page.goto(f"{museum.base}/objects/{image}-object")
    if PLUMS[image] == "staff":
        with page.expect_popup() as opened:
            page.get_by_role("link", name="Sign in to the Museum").click()
        with opened.value.expect_event("close"):
            sign_in(opened.value, "ada")
    return Visitor(page).sees_image(LONG_SECONDS)


Look = Callable[[Page, Museum, str, str, str], bool]


def look_at_all(museum: Museum, viewers: Collection[str]) -> Iterator[Case]:
    """Yield every case of some viewers."""
    looks: dict[str, Look] = {"client": look_2, "ours": look_here}
    with sync_playwright() as playwright:
        for viewer, host, cookies in product(viewers, SITES, (True, False)):
            if viewer == "ours" and SITES[host] == "another":
                continue
            seen = {}
            for image, right in PLUMS.items():
                with (
                    tempfile.TemporaryDirectory(prefix="profile-") as profile,
                    open_profile(playwright, Path(profile), cookies=cookies) as page,
                ):
                    seen[right] = False
                    with suppress(Error):  # what a browser does not let happen is no image
                        look = looks.get(viewer, look_1)
                        seen[right] = look(page, museum, viewer, host, image)
            site = OURS if viewer == "ours" else SITES[host]
            case = Case(viewer, site, cookies, seen["staff"], seen["here"])
            print(case, file=sys.stderr, flush=True)
            yield case


def print_table(cases: list[Case]) -> None:
    """Print the cases as a table of Markdown."""
    print("| viewer | its page's site | cookies of others | staff, signed in | reading room |")
    print("|---|---|---|---|---|")
    for case in cases:
        words = ["allowed" if case.cookies else "blocked"]
        words += ["image" if seen else "nothing" for seen in (case.staff, case.place)]
        print(f"| {VIEWERS[case.viewer]} | {case.site} | {' | '.join(words)} |")


def main() -> int:
    """Print the table, and keep what it is made of."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--raw", type=Path, default=Path("runs/viewer-access.json"))
    parser.add_argument("--only", choices=VIEWERS, action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="viewer-access-") as scratch:
        folder, pages = Path(scratch) / "service", Path(scratch) / "pages"
        pages.mkdir()
        folder.mkdir()
        write_pages(pages)
        with run_museum(folder, pages) as museum:
            publish_plums(museum, Path(scratch))
            wait_for_the_services(museum, PLUMS)
            cases = list(look_at_all(museum, options.only or VIEWERS))
    options.raw.parent.mkdir(parents=True, exist_ok=True)
    options.raw.write_bytes(
        msgspec.json.format(msgspec.json.encode([asdict(one) for one in cases]))
    )
    print_table(cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
