"""A plain page of ten large images, in a real browser, through the edge."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.integration.edge.edge_client import EdgeClient
from tests.patience import SECONDS

CHROMIUM = "/usr/bin/chromium"
SHOWN = """() => [...document.images].map(
    (image) => image.complete ? [image.naturalWidth, image.naturalHeight] : null)"""


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu"],
            timeout=1_000 * SECONDS,
        )
        yield browser.new_page()
        browser.close()


def test_a_page_of_ten_large_images_shows_all_of_them_cold(page: Page, edge: EdgeClient) -> None:
    """A browser never asks again for an image that was refused."""
    base = f"http://127.0.0.1:{edge.port}/iiif/3/large.tif"
    images = "".join(
        f'<img src="{base}/{x * 7 + 1},9,2000,1500/max/0/default.jpg">' for x in range(10)
    )
    page.set_content(images, wait_until="load", timeout=1_000 * SECONDS)
    assert page.evaluate(SHOWN) == [[2000, 1500]] * 10
