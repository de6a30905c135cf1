"""Rows of docs/reference/viewers-and-tools.md: viewers, in Chromium."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from docs.build.viewers_page import READERS, ROWS, Row
from tests.integration.readers.documents import (
    HEIGHT,
    WIDTH,
    build_information,
    documents_of_copy,
    documents_of_service,
    pictures_of_copy,
)
from tests.integration.readers.viewer_pages import Reading, open_in_viewer

MINE = [row for row in ROWS if READERS[row.reader].runs_in == "Chromium"]
VERSIONS = (3, 2)
CORNER = "2816,1792,185,211"
"""Region of the last tile at full size."""
TILE = re.compile(r"/\d+,\d+,\d+,\d+/")
PICTURE = re.compile(r"/iiif/(\d)/(\w+)/(.+)/0/default\.jpg")
READ_IMAGES = ("openseadragon-4", "openseadragon-5", "openseadragon-6", "leaflet")
"""Readers that open an image; the others open a manifest."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        yield started
        started.close()


def path_for(reader: str, version: int) -> str:
    if reader in READ_IMAGES:
        return f"/iiif/{version}/one/info.json"
    return f"/presentation/{version}/read/manifest.json"


def request_of(path: str) -> str:
    """Return region and size."""
    found = PICTURE.fullmatch(path)
    assert found, path
    return found[3]


def in_both(browser: Browser, reader: str, see: Callable[[Reading], str]) -> str:
    """Return what is seen of the service, of version 3 and of version 2."""
    seen = []
    for version in VERSIONS:
        path = path_for(reader, version)
        with open_in_viewer(browser, reader, path, documents_of_service(version)) as reading:
            seen.append(f"{version}: {see(reading)}")
    return "; ".join(seen)


def see_tiles(browser: Browser, reader: str) -> str:
    def see(reading: Reading) -> str:
        coarsest = request_of(reading.wait_for(lambda path: "/188," in path))
        corner = request_of(reading.wait_for(lambda path: f"/{CORNER}/" in path))
        return f"{coarsest} and {corner.removeprefix(f'{CORNER}/')}"

    return in_both(browser, reader, see)


def see_sizes(browser: Browser, reader: str) -> str:
    information = build_information(3)
    information["sizes"] = [
        {"width": WIDTH >> level, "height": HEIGHT >> level} for level in (4, 3, 2, 1, 0)
    ]
    path = path_for(reader, 3)
    with open_in_viewer(browser, reader, path, {path: json.dumps(information)}) as reading:
        return request_of(reading.wait_for(lambda one: "/full/" in one))


def see_files(browser: Browser, reader: str) -> str:
    seen = []
    for version in VERSIONS:
        path, documents = path_for(reader, version), documents_of_copy(version)
        with open_in_viewer(browser, reader, path, documents, pictures_of_copy()) as reading:
            reading.wait_for(lambda one: bool(TILE.search(one)))
            reading.wait_until_quiet()
            missing = sorted({request_of(one) for one in reading.missing})
        seen.append(f"{version}: {', '.join(missing) or 'none'}")
    return "; ".join(seen)


def see_start(browser: Browser, reader: str) -> str:
    def see(reading: Reading) -> str:
        return reading.wait_for(lambda path: path.endswith("/info.json")).split("/")[-2]

    return in_both(browser, reader, see)


def see_services(browser: Browser, reader: str) -> str:
    def see(reading: Reading) -> str:
        return "/".join(reading.wait_for(lambda path: path.endswith("/info.json")).split("/")[:3])

    return in_both(browser, reader, see)


def see_thumbnails(browser: Browser, reader: str) -> str:
    """The third image is on no screen: only its thumbnail is requested."""

    def see(reading: Reading) -> str:
        return request_of(reading.wait_for(lambda path: "/three/" in path))

    return in_both(browser, reader, see)


SEE = {
    "tiles": see_tiles,
    "sizes": see_sizes,
    "files": see_files,
    "start": see_start,
    "services": see_services,
    "thumbnails": see_thumbnails,
}


@pytest.mark.parametrize("row", MINE, ids=lambda row: row.name)
def test_a_viewer_reads_us_as_its_row_says(browser: Browser, row: Row) -> None:
    assert SEE[row.name.rpartition("-")[2]](browser, row.reader) == row.seen
