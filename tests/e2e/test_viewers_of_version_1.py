"""Mirador 4 and Universal Viewer 4 let people in by IIIF Authentication 1.0, in a real browser.

`python -m tests.benchmarks.viewer_access` prints all cases as a table.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, sync_playwright

from tests.e2e.access_museum import Museum, run_museum, wait_for_the_services
from tests.e2e.viewers_of_version_1 import (
    PLUMS,
    Visitor,
    open_profile,
    publish_plums,
    write_pages,
)

pytestmark = pytest.mark.slow
ARTEFACTS = Path(__file__).parents[2] / "artefacts"
VIEWERS = ("mirador", "universal")
SAME_SITE, OTHER_SITE = "127.0.0.1", "localhost"
Open = Callable[[bool], AbstractContextManager[Page]]


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Museum]:
    pages = tmp_path_factory.mktemp("viewer")
    write_pages(pages)
    with run_museum(tmp_path_factory.mktemp("access"), pages) as museum:
        publish_plums(museum, tmp_path_factory.mktemp("plums"))
        wait_for_the_services(museum, PLUMS)
        yield museum


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture
def visit(museum: Museum, playwright: Playwright, tmp_path: Path) -> Iterator["Visit"]:
    with ExitStack() as stack:
        yield partial(_visit, museum, playwright, tmp_path, stack)


Visit = Callable[[str, str, str, bool], Visitor]


def _visit(
    museum: Museum,
    playwright: Playwright,
    profile: Path,
    stack: ExitStack,
    viewer: str,
    host: str,
    image: str,
    cookies: bool,
) -> Visitor:
    page = stack.enter_context(open_profile(playwright, profile, cookies=cookies))
    return Visitor.open(page, museum, viewer, host, image)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_staff_signs_in_and_sees_the_image_on_a_page_of_the_same_site(
    visit: Visit, viewer: str
) -> None:
    """Though the browser blocks cookies of others, and Universal Viewer sends none with tiles."""
    visitor = visit(viewer, SAME_SITE, "plum", False)
    assert not visitor.sees_image(soon=True)
    assert visitor.log_in(viewer)
    assert visitor.sees_image()
    visitor.page.screenshot(path=ARTEFACTS / f"version-1-{viewer}.png")
    assert visitor.was_shown_by_ticket()


@pytest.mark.parametrize("viewer", VIEWERS)
def test_in_the_reading_room_every_named_site_shows_the_image_without_cookies(
    visit: Visit, viewer: str
) -> None:
    visitor = visit(viewer, OTHER_SITE, "plum-here", False)
    assert visitor.sees_image()


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_site_that_is_not_named_shows_nothing(visit: Visit, viewer: str) -> None:
    visitor = visit(viewer, f"other.{OTHER_SITE}", "plum-here", True)
    assert not visitor.sees_image()


def test_mirador_alone_draws_nothing_for_those_who_were_let_in(visit: Visit) -> None:
    """If this fails with a newer version of it, `site/viewers/let-in.js` can go."""
    visitor = visit("mirador-alone", SAME_SITE, "plum", True)
    assert visitor.log_in("mirador-alone")
    assert not visitor.sees_image()
