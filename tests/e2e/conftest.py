"""A browser, and an image to look at.

VITRINE_TEST_EDGE_URL makes the tests look at a service that runs already, on this machine or
deployed; they then take the largest image of its gallery instead of publishing one.
"""

import json
import os
import secrets
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.desk_visit import status_of
from tests.e2e.visit import OpenPage, Visit
from tests.patience import until

CHROMIUM = "/usr/bin/chromium"
CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EDGE_URL_VARIABLE = "VITRINE_TEST_EDGE_URL"
IDENTIFIER = "Chart: 3/4"
"""An identifier with what an address must encode: a space, a colon and a slash."""
GALLERY_SECONDS = 180
PAGE_SECONDS = 180
"""The list is written before the page, which the edge may then keep for a minute."""
BROWSER_SECONDS = 600
"""A browser that keeps a test for so long does not answer any more."""
EXPECT_SECONDS = 90
"""Playwright's five seconds are too few for a machine that runs six tests at once."""
expect.set_options(timeout=EXPECT_SECONDS * 1_000)


@pytest.fixture(scope="session")
def edge_url(request: pytest.FixtureRequest) -> str:
    given = os.environ.get(EDGE_URL_VARIABLE, "").rstrip("/")
    return given or request.getfixturevalue("service").addresses.edge_url


@pytest.fixture(scope="session")
def image(edge_url: str, request: pytest.FixtureRequest) -> dict[str, Any]:
    """An entry of gallery.json, of at least three levels."""
    if os.environ.get(EDGE_URL_VARIABLE):
        return max(_gallery(edge_url), key=lambda entry: min(entry["width"], entry["height"]))
    master = request.getfixturevalue("tmp_path_factory").mktemp("master") / "chart.tif"
    _write_chart(master)
    done = request.getfixturevalue("service").run("ingest", master, "--identifier", IDENTIFIER)
    assert done.returncode == 0, done.stdout + done.stderr
    entry = _wait_in_gallery(edge_url, IDENTIFIER)
    _wait_on_first_page(edge_url, IDENTIFIER)
    return entry


def _listed_pictures(edge_url: str) -> list[str]:
    """Return the paths of the pictures that the desk's first page shows."""
    with urllib.request.urlopen(f"{edge_url}/gallery.json", timeout=60) as answer:
        lists = json.load(answer)
    entries = [*lists["collections"], *lists["objects"][:12]]
    return [
        one["thumbnail"]["id"].removeprefix(edge_url) for one in entries if one.get("thumbnail")
    ]


def _write_chart(path: Path) -> None:
    import pyvips

    chart = pyvips.Image.xyz(3000, 2000)
    bands = [chart[0] * 255 / 3000, chart[1] * 255 / 2000, (chart[0] + chart[1]) % 256]
    picture = bands[0].bandjoin(bands[1:]).cast("uchar").copy(interpretation="srgb")
    picture.tiffsave(str(path), compression="lzw")


def _gallery(edge_url: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{edge_url}/gallery.json", timeout=60) as answer:
        images: list[dict[str, Any]] = json.load(answer)["images"]
        return images


def _wait_in_gallery(edge_url: str, identifier: str) -> dict[str, Any]:
    deadline = time.monotonic() + GALLERY_SECONDS
    while time.monotonic() < deadline:
        try:
            found = [entry for entry in _gallery(edge_url) if entry["identifier"] == identifier]
        except OSError:  # no gallery yet
            found = []
        if found:
            return found[0]
        time.sleep(0.5)
    raise AssertionError(f"{identifier!r} did not appear in gallery.json")


def _wait_on_first_page(edge_url: str, identifier: str) -> None:
    deadline = time.monotonic() + PAGE_SECONDS
    while time.monotonic() < deadline:
        with urllib.request.urlopen(f"{edge_url}/", timeout=60) as answer:
            if identifier.encode() in answer.read():
                return
        time.sleep(0.5)
    raise AssertionError(f"{identifier!r} did not appear on the first page")


def wait_for_page(address: str) -> None:
    """Wait until the page of an object that was just published is there."""
    deadline = time.monotonic() + PAGE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=60):
                return
        except OSError:
            assert time.monotonic() < deadline, f"{address} did not appear"
        time.sleep(0.5)


@contextmanager
def _ended_if_stuck() -> Iterator[None]:
    """Kill the browsers of this process if the block takes long: Playwright waits without an end.

    What waits for one then fails, under the name of its test.
    """
    timer = Timer(BROWSER_SECONDS, _kill_browsers)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _kill_browsers() -> None:
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "chrom" in process.name():
                process.kill()


@pytest.fixture(autouse=True)
def _browser_answers() -> Iterator[None]:
    """Fail a test whose browser is stuck, also if that is while its pages are closed."""
    with _ended_if_stuck():
        yield


@pytest.fixture(scope="module")  # its event loop must not outlive these tests
def browser() -> Iterator[Browser]:
    with sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        yield started
        with _ended_if_stuck():
            started.close()


def open_context(browser: Browser, **options: Any) -> BrowserContext:
    """Open a fresh profile that waits as long for pages as a machine with much to do needs."""
    context = browser.new_context(**options)
    context.set_default_timeout(PAGE_SECONDS * 1_000)
    return context


@pytest.fixture
def open_page(browser: Browser, edge_url: str) -> Iterator[OpenPage]:
    """Opens `path` in a fresh profile of the given width, height, colour scheme and scale."""
    contexts: list[BrowserContext] = []

    def open_(
        path: str = "/",
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        scale: float = 1,
        prepare: Callable[[Page], Any] = lambda page: None,
    ) -> Visit:
        context = open_context(
            browser,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            device_scale_factor=scale,
            has_touch=width < 600,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        visit = Visit(context.new_page())
        visit.watch()
        prepare(visit.page)
        visit.page.goto(edge_url + path)
        return visit

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture
def run() -> str:
    """A word that is in the names of one run, so that it can be repeated on the same service."""
    return secrets.token_hex(3)


@pytest.fixture
def open_desk(open_page: OpenPage, edge_url: str) -> Callable[..., Visit]:
    """Opens a page of the desk in a fresh profile, once what other tests withdrew is in no list."""
    until(lambda: {status_of(edge_url + one) for one in _listed_pictures(edge_url)} <= {200})
    return lambda page="", **options: open_page(f"/desk/#/{page}", **options)
