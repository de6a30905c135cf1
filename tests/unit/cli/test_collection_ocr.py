"""Images without a text are read by Tesseract, if it is installed, and only those."""

import json
import shutil
from pathlib import Path

import pytest
import pyvips

from tests.unit.cli.conftest import Run
from vitrine.cli import collection_ocr
from vitrine.cli.collection_ocr import PROGRAM
from vitrine.present.text.page_text import CanvasSize
from vitrine.present.text.read_text import read_text

RULES = """
[collection]
identifier = "books"
label = "Books"
[source]
table = "books.csv"
masters = "scans"
texts = "ocr"
[object]
identifier = "{id}"
image = {value = "{images}", split = ";"}
"""
needs_tesseract = pytest.mark.skipif(
    not shutil.which(PROGRAM), reason="NOT TESTED: tesseract is not installed"
)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A book of two pages; the second has a text."""
    (tmp_path / "scans").mkdir()
    (tmp_path / "ocr").mkdir()
    words = pyvips.Image.text("NINEVEH", font="sans 30", dpi=100).invert()
    words.embed(60, 60, 400, 160, extend="white").write_to_file(tmp_path / "scans" / "b1.png")
    pyvips.Image.black(10, 10).write_to_file(tmp_path / "scans" / "b2.png")
    (tmp_path / "ocr" / "b2.txt").write_text("Assur")
    (tmp_path / "books.csv").write_text("id,images\nbook,b1.png;b2.png\n")
    path = tmp_path / "collection.toml"
    path.write_text(RULES)
    return path


@needs_tesseract
def test_an_image_without_a_text_gets_one_as_alto_and_the_next_run_leaves_it(
    run: Run, rules: Path
) -> None:
    done = run("collection", "ocr", str(rules))
    assert done.exit_code == 0, done.output
    assert "1 images read, 1 had a text" in done.stdout
    with (rules.parent / "ocr" / "b1.xml").open("rb") as file:
        page = read_text("b1.xml", file, CanvasSize(400, 160))
    (word,) = [word for line in page.lines for word in line.words]
    assert word.text == "NINEVEH"
    assert 40 < word.boxes[0].x < 100
    assert sorted(path.name for path in (rules.parent / "ocr").iterdir()) == ["b1.xml", "b2.txt"]
    again = run("collection", "ocr", str(rules), "--json")
    assert json.loads(again.stdout) == {"read": 0, "had_text": 2, "failures": []}


def test_tesseract_works_with_one_thread(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = rules.parent / PROGRAM
    program.write_text('#!/bin/sh\necho "threads: $OMP_THREAD_LIMIT" >&2\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    assert "threads: 1" in run("collection", "ocr", str(rules)).stdout


@needs_tesseract
def test_an_image_that_cannot_be_read_is_named_and_leaves_nothing(run: Run, rules: Path) -> None:
    (rules.parent / "scans" / "b1.png").write_bytes(b"no image")
    done = run("collection", "ocr", str(rules))
    assert done.exit_code == 1
    assert "b1.png: " in done.stdout
    assert [path.name for path in (rules.parent / "ocr").iterdir()] == ["b2.txt"]


@needs_tesseract
def test_an_image_that_takes_too_long_is_given_up(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection_ocr, "MOST_SECONDS", 0)
    done = run("collection", "ocr", str(rules))
    assert done.exit_code == 1
    assert "it took more than 0 seconds" in done.stdout


@needs_tesseract
def test_a_language_that_is_not_installed_is_named(run: Run, rules: Path) -> None:
    done = run("collection", "ocr", str(rules), "--languages", "xyz")
    assert done.exit_code == 1
    assert "xyz" in done.stdout


@needs_tesseract
def test_rules_without_a_folder_for_texts_are_refused(run: Run, rules: Path) -> None:
    rules.write_text(RULES.replace('texts = "ocr"', ""))
    done = run("collection", "ocr", str(rules))
    assert done.exit_code == 2
    assert "names no folder for the texts" in done.stderr


def test_without_tesseract_the_command_says_what_to_install(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    done = run("collection", "ocr", str(rules))
    assert done.exit_code == 2
    assert "tesseract-ocr" in done.stderr
