"""Our own pages let people in to restricted images, in a real browser."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from tests.e2e.access_museum import Museum, run_museum, sign_in, wait_for_the_services
from tests.e2e.axe import find_faults
from tests.e2e.conftest import open_context

pytestmark = pytest.mark.slow
ARTEFACTS = Path(__file__).parents[2] / "artefacts"
NAMES = ("first", "sketch")
PIXELS_SECONDS = 60
LOOKS, LOOK_MILLISECONDS = 4, 15_000


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Museum]:
    with run_museum(tmp_path_factory.mktemp("access"), tmp_path_factory.mktemp("viewer")) as museum:
        wait_for_the_services(museum, dict.fromkeys(NAMES, "staff"))
        yield museum


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = open_context(browser)
    yield context.new_page()
    context.close()


def _watch_tiles(page: Page) -> list[str]:
    """Return the list in which the addresses of restricted pixels appear as they come."""
    tiles: list[str] = []
    page.on(
        "response",
        lambda answer: (
            tiles.append(answer.url)
            if "/restricted/" in answer.url and answer.ok and answer.url.endswith(".jpg")
            else None
        ),
    )
    return tiles


def _wait_for_pixels(page: Page, tiles: list[str], seconds: float = PIXELS_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not tiles:
        assert time.monotonic() < deadline, "no restricted pixel came"
        page.wait_for_timeout(100)


def _show_the_way_in(page: Page, address: str) -> Locator:
    """Open a page, again if it asked a process that had not read the table, and return its link."""
    link = page.get_by_role("link", name="Sign in to the Museum (in a new tab)")
    for _ in range(LOOKS):
        page.goto(address)
        try:
            link.wait_for(timeout=LOOK_MILLISECONDS)
        except TimeoutError:
            continue
        break
    return link


@pytest.mark.parametrize("name", NAMES)
def test_our_own_page_shows_the_way_in_and_then_the_image(
    museum: Museum, page: Page, name: str
) -> None:
    """`first` shows nothing to everybody, `sketch` a small image."""
    tiles = _watch_tiles(page)
    link = _show_the_way_in(page, f"{museum.base}/objects/{name}-object")
    expect(link).to_be_visible()
    expect(page.locator(".way-in")).to_contain_text("This image is shown to the museum's staff.")
    expect(page.locator(".spoken")).to_contain_text("Staff only")
    picture = page.locator(".canvas img")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("one => one.naturalWidth > 0"), "a broken image"
    assert find_faults(page) == []
    page.screenshot(path=ARTEFACTS / f"way-in-{name}.png")
    assert tiles == []
    link.focus()
    with page.expect_popup() as opened:
        page.keyboard.press("Enter")
    sign_in(opened.value, "ada")
    expect(page.locator(".way-in")).to_be_hidden()
    expect(page.locator(".spoken")).to_contain_text("is shown now")
    _wait_for_pixels(page, tiles)
    assert all(f"/restricted/staff/iiif/3/{name}/" in tile for tile in tiles)
    assert find_faults(page) == []
    page.screenshot(path=ARTEFACTS / f"let-in-{name}.png")


def test_our_own_page_lets_nobody_of_another_group_in_and_says_so(
    museum: Museum, page: Page
) -> None:
    tiles = _watch_tiles(page)
    link = _show_the_way_in(page, f"{museum.base}/objects/first-object")
    with page.expect_popup() as opened:
        link.click()
    sign_in(opened.value, "bob")
    opened.value.wait_for_selector("text=This account does not open these images")
    opened.value.close()
    expect(page.locator(".way-in")).to_contain_text("You have not been let in.")
    assert tiles == []


def test_our_own_page_shows_the_image_in_the_reading_room_without_a_word(
    museum: Museum, page: Page
) -> None:
    tiles = _watch_tiles(page)
    answers: list[tuple[int, str]] = []
    page.on("response", lambda answer: answers.append((answer.status, answer.url)))
    for _ in range(2 * LOOKS):
        # Again if it asked a process that had not read the table, which each does once a minute.
        page.goto(f"{museum.base}/objects/letter-object")
        page.wait_for_selector("figure.ready")
        with suppress(AssertionError):
            _wait_for_pixels(page, tiles, seconds=LOOK_MILLISECONDS / 1000)
            break
    assert tiles, [one for one in answers if "/restricted/" in one[1] or "/auth/" in one[1]]
    expect(page.locator(".way-in")).to_be_hidden()
