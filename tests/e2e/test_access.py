"""A viewer of IIIF Authorization 2.0 and a certified provider let people in, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Playwright, sync_playwright

from tests.e2e.access_museum import Museum, run_museum, sign_in
from tests.e2e.viewers_of_version_1 import open_profile

pytestmark = pytest.mark.slow
ARTEFACTS = Path(__file__).parents[2] / "artefacts"
WITH_COOKIES, WITHOUT_COOKIES = "with cookies of others", "without cookies of others"


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Museum]:
    with run_museum(tmp_path_factory.mktemp("access"), tmp_path_factory.mktemp("viewer")) as museum:
        yield museum


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(params=[WITH_COOKIES, WITHOUT_COOKIES])
def page(request: pytest.FixtureRequest, playwright: Playwright, tmp_path: Path) -> Iterator[Page]:
    """A page of a profile of its own."""
    cookies = request.param == WITH_COOKIES
    with open_profile(playwright, tmp_path, cookies=cookies) as page:
        yield page


def start(page: Page, museum: Museum, right: str, image: str) -> None:
    """Begin to show an image; `window.shown` has the result."""
    page.evaluate(
        "([probe, image]) => { window.shown = window.show(probe, image); }",
        [museum.probe(right, image), f"{museum.base}/restricted/{right}/iiif/3/{image}"],
    )


def sign_in_from(page: Page, museum: Museum, host: str, account: str) -> Page:
    """Ask for the image of staff from a viewer on `host`, and sign in; return the popup."""
    page.goto(museum.viewer(host))
    start(page, museum, "staff", "first")
    with page.expect_popup() as opened:
        page.click("#open")
    sign_in(opened.value, account)
    return opened.value


def shown(page: Page) -> dict[str, Any]:
    """Return the result, once the image is there or is not to come."""
    result: dict[str, Any] = page.evaluate("window.shown")
    if result["where"]:
        page.wait_for_function("document.getElementById('image').complete")
        result["width"] = page.evaluate("document.getElementById('image').naturalWidth")
    page.screenshot(path=ARTEFACTS / f"access-{result['status']}.png")
    return result


def test_staff_signs_in_and_sees_the_image(museum: Museum, page: Page) -> None:
    """The viewer is on another port of the same host: of the same site, as browsers see it."""
    sign_in_from(page, museum, "127.0.0.1", "ada")
    result = shown(page)
    assert (result["status"], result.get("width")) == (200, 400)


def test_somebody_of_another_group_sees_nothing_and_reads_why(museum: Museum, page: Page) -> None:
    popup = sign_in_from(page, museum, "127.0.0.1", "bob")
    popup.wait_for_selector("text=This account does not open these images")
    popup.close()
    result = shown(page)
    assert (result["status"], result["where"]) == (401, "")
    message = page.evaluate("window.log.find((one) => one.step === 'token').data")
    assert message["profile"] == "missingAspect"


@pytest.mark.parametrize("page", [WITHOUT_COOKIES], indirect=True)
def test_a_viewer_of_another_site_that_gets_no_cookies_says_why(museum: Museum, page: Page) -> None:
    """`localhost` is another site than `127.0.0.1`."""
    sign_in_from(page, museum, "localhost", "ada")
    result = shown(page)
    assert (result["status"], result["where"]) == (401, "")
    message = page.evaluate("window.log.find((one) => one.step === 'token').data")
    assert message["profile"] == "missingAspect"
    assert "blocks those of other sites" in message["note"]["en"][0]


@pytest.mark.parametrize("page", [WITH_COOKIES], indirect=True)
def test_a_viewer_of_another_site_shows_the_image_where_browsers_let_it(
    museum: Museum, page: Page
) -> None:
    sign_in_from(page, museum, "localhost", "ada")
    result = shown(page)
    assert (result["status"], result.get("width")) == (200, 400)


def test_those_who_accept_the_terms_see_the_image(museum: Museum, page: Page) -> None:
    page.goto(museum.viewer("127.0.0.1"))
    start(page, museum, "registered", "bones")
    with page.expect_popup() as opened:
        page.click("#open")
    opened.value.wait_for_selector("text=This image shows human remains.")
    with opened.value.expect_event("close"):
        opened.value.get_by_role("button", name="I have read this").click()
    result = shown(page)
    assert (result["status"], result.get("width")) == (200, 400)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_in_the_reading_room_every_named_site_shows_the_image_without_cookies(
    museum: Museum, page: Page, host: str
) -> None:
    """The probe gives the image's address with a ticket in it."""
    page.goto(museum.viewer(host))
    start(page, museum, "here", "letter")
    result = shown(page)
    assert (result["status"], result.get("width")) == (302, 400)
    assert result["where"].startswith(f"{museum.base}/restricted/here/v1.")


def test_in_the_reading_room_no_other_site_gets_the_image(museum: Museum, page: Page) -> None:
    page.goto(museum.viewer("other.localhost"))
    start(page, museum, "here", "letter")
    result = shown(page)
    assert (result["status"], result["where"]) == (401, "")
    message = page.evaluate("window.log.find((one) => one.step === 'token').data")
    assert message["profile"] == "invalidOrigin"
