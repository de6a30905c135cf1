"""The form of docs/howto/photo-door.md in a browser, on a page of another site."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import run_service
from tests.e2e.conftest import open_context
from tests.e2e.viewer_page import faults
from tests.e2e.visit import Visit
from tests.integration.local.photo_sender import wait_for, wait_for_body
from tests.rigs.http_server import serve_folder
from tests.unit.photos.photo_bench import photograph
from vitrine.bootstrap.local_service import REPOSITORY

FORM = re.compile(r"^```html\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Site:
    """A museum's site with the form, and the image service that it sends to."""

    address: str
    edge_url: str


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with run_service(tmp_path_factory.mktemp("door"), "--photos") as service:
        edge_url = service.addresses.edge_url
        signed = service.run("photos", "sign", "--subject", "reading-room")
        assert signed.returncode == 0, signed.stderr
        [form] = FORM.findall((REPOSITORY / "docs/howto/photo-door.md").read_text())
        form = form.replace("https://images.example.org", edge_url)
        form = form.replace("TOKEN FROM YOUR SERVER", signed.stdout.strip())
        head = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'
        )
        (folder / "index.html").write_text(f"{head}<title>Send</title>{form}")
        with serve_folder(folder) as port:
            yield Site(f"http://127.0.0.1:{port}/", edge_url)


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Visit]:
    context = open_context(browser)
    visit = Visit(context.new_page())
    visit.watch()
    visit.page.goto(site.address)
    yield visit
    context.close()


def send(page: Page, path: Path, body: bytes) -> None:
    """Choose a file in the form, and press its button."""
    path.write_bytes(body)
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Send").click()


def test_a_page_shows_thumbnails_and_camera_and_leads_to_the_zoomable_image(
    visit: Visit, site: Site, tmp_path: Path
) -> None:
    page = visit.page
    send(page, tmp_path / "a.jpg", photograph(2_400, 1_600))
    result = page.get_by_role("status")
    thumbnails = result.get_by_role("img")
    expect(thumbnails).to_have_count(3, timeout=180_000)
    drawn = "all => all.every(one => one.complete && one.naturalWidth === one.width)"
    page.wait_for_function(f"() => ({drawn})([...document.images])")
    widths = [one.evaluate("image => image.naturalWidth") for one in thumbnails.all()]
    assert widths == [150, 500, 1_600]
    expect(result).to_contain_text("Vitrine, Door, 2026:11:24 12:00:00")
    zoom = result.get_by_role("link")
    address = zoom.get_attribute("href") or ""
    assert address.startswith(f"{site.edge_url}/iiif/3/photo-")
    wait_for(f"{address}/info.json")
    # The image's own page is written after the image is published.
    wait_for_body(f"{site.edge_url}/objects/{address.rpartition('/')[2]}")
    zoom.click()
    page.wait_for_selector("figure.ready", timeout=90_000)
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    visit.wait_for_scales(lambda scales: 1 in scales)
    assert not faults(visit)


def test_a_page_says_why_a_file_is_refused(visit: Visit, tmp_path: Path) -> None:
    send(visit.page, tmp_path / "a.jpg", b"no photograph")
    result = visit.page.get_by_role("status")
    expect(result).to_contain_text("This is no photograph. Send a JPEG", timeout=180_000)
    expect(result.get_by_role("img")).to_have_count(0)
