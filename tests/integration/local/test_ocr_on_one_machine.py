"""Pages without a text are read by Tesseract as the template says, and are found by their words."""

import json
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pyvips

from tests.conftest import run_service
from vitrine.sources.ocr.tesseract import PROGRAM

if TYPE_CHECKING:
    from conftest import Service

pytestmark = pytest.mark.skipif(
    not shutil.which(PROGRAM), reason="NOT TESTED: tesseract is not installed"
)
SECONDS = 420
WIDTH, HEIGHT = 500, 200
RULES = """[collection]
identifier = "letters"
label = "Letters"
[source]
table = "letters.csv"
masters = "scans"
[object]
identifier = "{Number}"
image = {value = "{Pages}", split = ";"}
ocr = "{Language}"
"""


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Service"]:
    """A service that reads English."""
    with run_service(tmp_path_factory.mktemp("ocr"), "--ocr", "eng") as running:
        yield running


@pytest.fixture(scope="module")
def letters(reading: "Service", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rules of a table that was published: a letter to be read, and one in a language that
    nobody reads here."""
    folder = tmp_path_factory.mktemp("letters")
    (folder / "scans").mkdir()
    _write(folder / "scans" / "read-1.png", "NINEVEH")
    _write(folder / "scans" / "read-2.png", "")
    _write(folder / "scans" / "unread.png", "BABYLON")
    table = "Number,Pages,Language\nletter,read-1.png;read-2.png,eng\nother,unread.png,deu\n"
    (folder / "letters.csv").write_text(table)
    (folder / "collection.toml").write_text(RULES)
    return folder / "collection.toml"


def _write(path: Path, words: str) -> None:
    page = pyvips.Image.black(WIDTH, HEIGHT).invert()
    if words:
        text = pyvips.Image.text(words, font="sans 30", dpi=100).invert()
        page = text.embed(100, 80, WIDTH, HEIGHT, extend="white")
    page.write_to_file(str(path))


def _found(service: "Service", word: str) -> list[str]:
    """Where a word is found in the letter."""
    url = f"{service.addresses.edge_url}/inside/3/letter/search-2?q={word}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return [one["target"] for one in json.load(answer)["items"]]
    except urllib.error.HTTPError as error:
        error.close()
        return []


def _wait(look: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + SECONDS
    while not (found := look()) and time.monotonic() < deadline:
        time.sleep(0.5)
    return found


def test_a_page_is_read_and_its_words_are_found_at_their_place(
    reading: "Service", letters: Path
) -> None:
    done = reading.run("collection", "publish", letters)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Pages without a text: 2 are being read" in done.stdout
    assert "other: 1 pages are not read: this environment reads eng, and not deu" in done.stdout
    (target,) = _wait(lambda: _found(reading, "nineveh"))
    x, y, width, height = map(int, target.rpartition("=")[2].split(","))
    assert 90 <= x <= 115
    assert 70 <= y <= 100
    assert width > 100
    assert height > 15
    shown = _wait(
        lambda: "1 pages read, 1 without" in reading.run("object", "ocr", "letter").stdout
    )
    assert shown


def test_the_table_published_again_takes_nothing_away_and_has_nothing_read(
    reading: "Service", letters: Path
) -> None:
    done = reading.run("collection", "publish", letters)
    assert "are being read" not in done.stdout
    assert "1 published" not in done.stdout
    assert _found(reading, "nineveh")


def test_a_replaced_image_is_read_again(reading: "Service", letters: Path) -> None:
    _write(letters.parent / "scans" / "read-1.png", "ASSUR")
    done = reading.run("collection", "publish", letters)
    assert done.returncode == 0, done.stdout + done.stderr
    address = f"{reading.addresses.edge_url}/presentation/3/letter/text-1.json"

    def is_new() -> bool:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return b"ASSUR" in answer.read()
        except urllib.error.HTTPError as error:
            # Until it is read, the page has no text.
            error.close()
            return False

    assert _wait(is_new)
