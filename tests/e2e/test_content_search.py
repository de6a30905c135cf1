"""Mirador, Universal Viewer and Clover search inside a book, and draw each match in its place.

Mirador and Clover find comments as well; Universal Viewer asks for texts alone.
"""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
import pyvips
import requests
from playwright.sync_api import Page, expect

from tests.e2e import clover
from tests.e2e.axe import find_faults
from tests.e2e.conftest import EDGE_URL_VARIABLE
from tests.e2e.visit import OpenPage

if TYPE_CHECKING:
    from conftest import Service

NAME = "searched"
RED, GREEN = (200, 60, 60), (40, 150, 70)
WIDTH, HEIGHT = 2400, 1600
LEFT, TOP, BOX_WIDTH, BOX_HEIGHT = 1300, 100, 700, 1400
"""Place of the word: in the right half, which is green. Viewers zoom to it; it is so high that the
red half stays in sight."""
ROW = 450
"""Row of the window that crosses the box in both viewers."""
SECONDS = 90
ALTO = f"""<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description>
<MeasurementUnit>pixel</MeasurementUnit></Description><Layout>
<Page WIDTH="{WIDTH}" HEIGHT="{HEIGHT}"><PrintSpace><TextBlock LANG="en"><TextLine>
<String CONTENT="the" HPOS="10" VPOS="10" WIDTH="100" HEIGHT="50"/>
<String CONTENT="needle" HPOS="{LEFT}" VPOS="{TOP}" WIDTH="{BOX_WIDTH}" HEIGHT="{BOX_HEIGHT}"/>
</TextLine></TextBlock></PrintSpace></Page></Layout></alto>"""
COMMENT = {
    "type": "Annotation",
    "motivation": "commenting",
    "body": {"type": "TextualBody", "value": "<p>in a haystack</p>", "format": "text/html"},
    "target": f"#xywh={LEFT},{TOP},{BOX_WIDTH},{BOX_HEIGHT}",
}
RULES = """[collection]
identifier = "searched-books"
label = "Books"
language = "en"
[source]
table = "books.csv"
masters = "scans"
texts = "texts"
annotations = "notes"
[object]
identifier = "{Number}"
label = "{Title}"
image = "{Page}"
"""


@pytest.fixture(scope="module")
def manifest(
    edge_url: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> str:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of a book that the tests publish")
    service: Service = request.getfixturevalue("service")
    folder: Path = tmp_path_factory.mktemp("searched")
    for name in ("scans", "texts", "notes"):
        (folder / name).mkdir()
    left, right = (
        (pyvips.Image.black(WIDTH // 2, HEIGHT).bandjoin([0, 0]) + list(colour)).cast("uchar")
        for colour in (RED, GREEN)
    )
    both = left.join(right, "horizontal").copy(interpretation="srgb")
    both.pngsave(str(folder / "scans" / f"{NAME}.png"))
    (folder / "texts" / f"{NAME}.xml").write_text(ALTO)
    (folder / "notes" / f"{NAME}.json").write_text(json.dumps([COMMENT]))
    (folder / "books.csv").write_text(f"Number,Title,Page\n{NAME},A book,{NAME}.png\n")
    (folder / "collection.toml").write_text(RULES)
    done = service.run("collection", "publish", folder / "collection.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    return f"{edge_url}/presentation/3/{NAME}/manifest.json"


def _search_in_mirador(page: Page, word: str) -> None:
    page.get_by_role("button", name="Toggle sidebar").first.click()
    page.get_by_role("tab", name="Search").click()
    terms = page.get_by_role("combobox", name="Search terms")
    terms.fill(word.upper())
    terms.press("Enter")
    # The window, too, has such words: those of its pages.
    found = page.get_by_role("complementary", name="Search")
    found.get_by_text("1 of 1", exact=True).wait_for()


def _search_in_universal_viewer(page: Page, word: str) -> None:
    terms = page.locator("#searchWithinInput")
    terms.fill(word.upper())
    terms.press("Enter")
    page.get_by_text("result found for").wait_for()


def _search_in_clover(page: Page, word: str) -> None:
    page.get_by_role("tab", name="Search").click()
    terms = page.locator(".content-search-form input")
    terms.fill(word.upper())
    terms.press("Enter")
    page.get_by_test_id("annotation-page").get_by_text(word).first.wait_for()


def _drawn(page: Page) -> tuple[int, int]:
    """Return how far from the green half's left edge something is drawn, and how wide it is."""
    shot = pyvips.Image.new_from_buffer(page.screenshot(), "")[0:3]
    flat = shot.crop(0, ROW, shot.width, 1).cast("uchar").write_to_memory()
    row = [tuple(flat[start : start + 3]) for start in range(0, len(flat), 3)]
    signs = "".join(
        "r" if _is_near(pixel, RED) else "g" if _is_near(pixel, GREEN) else "?" for pixel in row
    )
    # A pixel or two between the halves are of both colours. Clover draws the outline alone.
    found = re.search(r"r\?{0,3}(g+)(\?{50,}|\?{1,6}g{50,}\?{1,6})", signs)
    return (len(found[1]), len(found[2])) if found else (0, 0)


def _is_near(pixel: Sequence[int], colour: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 12 for one, other in zip(pixel, colour, strict=True))


@pytest.mark.parametrize(
    ("viewer", "search", "word"),
    [
        ("viewers/mirador", _search_in_mirador, "needle"),
        ("viewers/mirador", _search_in_mirador, "haystack"),
        ("viewers/universalviewer", _search_in_universal_viewer, "needle"),
        ("clover", _search_in_clover, "needle"),
        ("clover", _search_in_clover, "haystack"),
    ],
)
def test_a_match_is_drawn_where_the_word_stands(
    open_page: OpenPage,
    manifest: str,
    viewer: str,
    search: Callable[[Page, str], None],
    word: str,
) -> None:
    address = f"/{viewer}.html?iiif-content={quote(manifest, safe='')}"
    visit = open_page(address, prepare=clover.prepare if viewer == "clover" else lambda page: None)
    search(visit.page, word)
    deadline = time.monotonic() + SECONDS
    expected = (LEFT - WIDTH / 2) / BOX_WIDTH
    while True:
        margin, width = _drawn(visit.page)
        if width and margin / width == pytest.approx(expected, abs=0.02):
            return
        assert time.monotonic() < deadline, (margin, width)
        visit.page.wait_for_timeout(250)


def test_the_manifest_leads_to_the_whole_book_with_its_text(manifest: str, tmp_path: Path) -> None:
    links = requests.get(manifest, timeout=SECONDS).json()["rendering"]
    assert [one["format"] for one in links] == ["application/pdf", "text/plain"]
    pdf, text = (requests.get(one["id"], timeout=SECONDS) for one in links)
    path = tmp_path / "book.pdf"
    path.write_bytes(pdf.content)
    printed = subprocess.run(("pdftotext", path, "-"), capture_output=True, check=True).stdout
    assert printed.split() == [b"the", b"needle"]
    assert text.text.startswith("A book\n")
    assert "the needle" in text.text


def test_the_page_of_a_book_copies_its_citation(manifest: str, open_page: OpenPage) -> None:
    assert manifest
    visit = open_page(f"/objects/{NAME}")
    visit.page.locator(".viewer.ready").wait_for()
    visit.page.get_by_role("button", name="Copy: Citation").click()
    copied = visit.page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(rf"A book\. .+\. https?://.+/objects/{NAME}", copied)
    with visit.page.expect_download() as download:
        visit.page.get_by_role("link", name="BibTeX").click()
    assert download.value.suggested_filename == f"{NAME}.bib"
    assert visit.complaints == []


def test_mirador_lists_a_comment_next_to_its_page(open_page: OpenPage, manifest: str) -> None:
    page = open_page(f"/viewers/mirador.html?iiif-content={quote(manifest, safe='')}").page
    page.get_by_role("button", name="Toggle sidebar").first.click()
    page.get_by_role("tab", name="Annotations").click()
    page.get_by_text("in a haystack").wait_for()


def test_our_own_page_marks_a_match_and_shows_the_text(manifest: str, open_page: OpenPage) -> None:
    assert manifest
    visit = open_page(f"/objects/{NAME}")
    page = visit.page
    page.locator(".viewer.ready").wait_for()
    page.get_by_role("button", name="Text and search").click()
    panel = page.get_by_role("region", name="Text and search")
    expect(panel.get_by_text("the needle")).to_be_visible()
    expect(panel.get_by_role("searchbox")).to_be_focused()
    panel.get_by_role("searchbox").fill("NEEDLE")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("status")).to_have_text("1 place with “NEEDLE”")
    mark = page.locator(".mark.match")
    expect(mark).to_have_count(1)
    marked = mark.bounding_box()
    assert marked
    assert marked["width"] / marked["height"] == pytest.approx(BOX_WIDTH / BOX_HEIGHT, rel=0.05)
    assert find_faults(page, ".viewer") == []
    panel.get_by_role("button", name="the needle").click()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(mark).to_have_count(0)
    assert visit.complaints == []
