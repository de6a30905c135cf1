"""Images without a text are read by Tesseract, if it is installed, and only those."""

import json
import shutil
from pathlib import Path

import pytest
import pyvips
import tifffile

from tests.unit.cli.conftest import Run
from vitrine.sources.ocr import read_master
from vitrine.sources.ocr.tesseract import PROGRAM
from vitrine.text.transcription.page_text import CanvasSize
from vitrine.text.transcription.read_text import read_text

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
    assert json.loads(again.stdout) == {
        "read": 0,
        "had_text": 2,
        "without_words": 0,
        "failures": [],
    }


@pytest.mark.slow
@needs_tesseract
def test_what_is_read_is_the_picture_that_is_published(run: Run, rules: Path) -> None:
    scans, texts = rules.parent / "scans", rules.parent / "ocr"
    page = pyvips.Image.new_from_file(scans / "b1.png").colourspace("srgb")
    turned = page.rot90().copy()
    turned.set_type(pyvips.GValue.gint_type, "orientation", 8)
    turned.jpegsave(str(scans / "turned.jpg"), Q=95)
    page.tiffsave(str(scans / "tiled.tif"), tile=True, tile_width=128, tile_height=128)
    with tifffile.TiffWriter(scans / "thumbnail.tif") as file:
        file.write(page.resize(0.1).numpy(), photometric="rgb", subfiletype=1)
        file.write(page.numpy(), photometric="rgb")
    names = ("turned.jpg", "tiled.tif", "thumbnail.tif")
    (rules.parent / "books.csv").write_text(f"id,images\nbook,{';'.join(names)}\n")
    done = run("collection", "ocr", str(rules))
    assert "3 images read, 0 had a text, 0 without a word" in done.stdout
    for name in names:
        with (texts / name).with_suffix(".xml").open("rb") as file:
            text = read_text("a.xml", file, CanvasSize(400, 160))
        (word,) = [word for line in text.lines for word in line.words]
        assert (name, word.text) == (name, "NINEVEH")
        assert 40 < word.boxes[0].x < 100


@pytest.mark.slow
@needs_tesseract
def test_an_image_without_a_word_gets_no_text_and_an_empty_text_does_not_count(
    run: Run, rules: Path
) -> None:
    texts = rules.parent / "ocr"
    (texts / "b2.txt").unlink()
    (texts / "b1.xml").touch()
    done = run("collection", "ocr", str(rules))
    assert (done.exit_code, done.stderr) == (0, "")
    assert "1 images read, 0 had a text, 1 without a word" in done.stdout
    assert [path.name for path in texts.iterdir()] == ["b1.xml"]
    # A file of another name says so itself, and is not doubled by one of ours.
    (texts / "b1.xml").rename(texts / "b1.hocr")
    (texts / "b1.hocr").write_text('<div class="ocr_page"></div>')
    done = run("collection", "ocr", str(rules))
    assert "0 images read, 0 had a text, 2 without a word" in done.stdout
    assert [path.name for path in texts.iterdir()] == ["b1.hocr"]


@needs_tesseract
def test_a_text_that_cannot_be_published_is_named_and_left_to_its_curator(
    run: Run, rules: Path
) -> None:
    text = rules.parent / "ocr" / "b1.xml"
    text.write_text("<alto>")
    done = run("collection", "ocr", str(rules), "--json")
    assert done.exit_code == 1
    (failure,) = json.loads(done.stdout)["failures"]
    assert failure.startswith(f"{text} cannot be published: it is not XML")
    assert "delete it and run this command again" in failure
    assert text.read_text() == "<alto>"


def test_a_text_that_cannot_be_published_is_not_written(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = rules.parent / PROGRAM
    program.write_text('#!/bin/sh\necho "<alto>" > "$2.xml"\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    done = run("collection", "ocr", str(rules))
    assert done.exit_code == 1
    assert "b1.png: it is not XML" in done.stdout
    assert [path.name for path in (rules.parent / "ocr").iterdir()] == ["b2.txt"]


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
    monkeypatch.setattr(read_master, "MAX_SECONDS", 0)
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
