"""Mirador 4 and Universal Viewer 4 let people in by IIIF Authentication 1.0, in a real browser."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, sync_playwright

from tests.e2e.access_museum import Museum, run_museum, sign_in, wait_for_the_services
from tests.e2e.conftest import EXPECT_SECONDS
from tests.e2e.foreign_manifest import (
    ELSEWHERE,
    HERE,
    Foreigner,
    ask_from,
    run_foreigner,
)
from tests.e2e.viewers_of_version_1 import (
    LONG_SECONDS,
    PLUMS,
    SOON_SECONDS,
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
    assert not visitor.sees_image(SOON_SECONDS)
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
    assert not visitor.sees_image(LONG_SECONDS)


@pytest.fixture
def foreigner(museum: Museum) -> Iterator[Foreigner]:
    with run_foreigner(museum) as foreigner:
        yield foreigner


@pytest.fixture
def staff_page(museum: Museum, playwright: Playwright, tmp_path: Path) -> Iterator[Page]:
    """A page of somebody of the staff, who has signed in."""
    with open_profile(playwright, tmp_path, cookies=True) as page:
        page.goto(f"{museum.base}/auth/staff/login")
        sign_in(page, "ada")
        page.wait_for_url(f"{museum.base}/auth/callback*")
        yield page


def test_a_token_that_universal_viewer_gave_away_opens_nothing_elsewhere(
    museum: Museum, foreigner: Foreigner, staff_page: Page
) -> None:
    """It gives it away without a click, and has no setting that prevents it."""
    own = f"http://{SAME_SITE}:{museum.viewer_port}"
    staff_page.goto(f"{own}/universal.html#{foreigner.manifest}")
    wait_for_a_token(staff_page, foreigner)
    info = f"{museum.base}/restricted/staff/iiif/2/plum/info.json"
    stolen = {"authorization": foreigner.tokens[0]}
    assert ask_from(ELSEWHERE, info, **stolen)[0] == 401
    assert ask_from(ELSEWHERE, info, **stolen, origin=own)[0] == 401
    assert ask_from(HERE, info, **stolen, origin=foreigner.base)[0] == 401, "a page in this browser"
    status, body = ask_from(HERE, info, **stolen, origin=own)
    tile = f"{json.loads(body)['@id']}/full/256,/0/default.jpg"
    assert (status, ask_from(HERE, tile)[0], ask_from(ELSEWHERE, tile)[0]) == (200, 200, 401)


def wait_for_a_token(page: Page, foreigner: Foreigner) -> None:
    """Open the page again if need be: Universal Viewer gives up what takes more than 5 s."""
    for look in range(1, 2 * EXPECT_SECONDS):
        if foreigner.tokens:
            break
        page.wait_for_timeout(500)
        if look % 40 == 0:
            page.reload()
    assert foreigner.tokens


def test_mirador_keeps_tokens_from_servers_of_others(
    museum: Museum, foreigner: Foreigner, staff_page: Page
) -> None:
    staff_page.goto(f"http://{SAME_SITE}:{museum.viewer_port}/mirador.html#{foreigner.manifest}")
    for _ in range(2 * EXPECT_SECONDS):
        if foreigner.refused.is_set():
            break
        staff_page.wait_for_timeout(500)
    assert foreigner.refused.is_set()
    staff_page.wait_for_timeout(3 * SOON_SECONDS * 1_000)  # as long as it takes to ask with a token
    assert foreigner.tokens == []


def test_mirador_keeps_a_token_that_it_has_from_servers_of_others(
    museum: Museum, foreigner: Foreigner, visit: Visit
) -> None:
    visitor = visit("mirador", SAME_SITE, "plum", False)
    assert visitor.log_in("mirador")
    assert visitor.sees_image()
    visitor.page.evaluate(
        "(manifestId) => mirador.store.dispatch(Mirador.addWindow({ manifestId }))",
        foreigner.manifest,
    )
    visitor.page.get_by_role("button", name="OK").click()  # of the error in its window
    assert foreigner.tokens == []
    assert visitor.sees_image()


def test_mirador_alone_draws_nothing_for_those_who_were_let_in(visit: Visit) -> None:
    """If this fails with a newer version of it, `site/viewers/let-in.js` can go."""
    visitor = visit("mirador-alone", SAME_SITE, "plum", True)
    assert visitor.log_in("mirador-alone")
    assert not visitor.sees_image(LONG_SECONDS)
