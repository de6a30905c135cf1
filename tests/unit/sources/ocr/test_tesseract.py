"""Tesseract runs within limits, and what it says when it fails is kept."""

from pathlib import Path

import pytest

from tests.unit.sources.ocr.page_rig import HEIGHT, WIDTH, needs_tesseract, picture
from vitrine.errors import TextRefused
from vitrine.sources.ocr.page_image import PageImage
from vitrine.sources.ocr.page_reader import tesseract_reader
from vitrine.sources.ocr.tesseract import PROGRAM, installed_languages, write_alto
from vitrine.text.transcription.page_text import CanvasSize


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.png"
    picture("NINEVEH").write_to_file(str(path))
    return path


@needs_tesseract
def test_boxes_are_in_pixels_of_the_canvas_whatever_was_read(page: Path) -> None:
    reader = tesseract_reader(memory_mebibytes=1_769, megapixels=40)
    text = reader.read(PageImage(page), "eng", CanvasSize(2 * WIDTH, 2 * HEIGHT))
    (word,) = [word for line in text.lines for word in line.words]
    assert word.text == "NINEVEH"
    assert 80 < word.boxes[0].x < 200
    assert 100 < word.boxes[0].y < 200


@needs_tesseract
def test_a_page_without_words_has_an_empty_text(tmp_path: Path) -> None:
    path = tmp_path / "empty.png"
    picture("").write_to_file(str(path))
    reader = tesseract_reader(memory_mebibytes=1_769, megapixels=40)
    assert reader.read(PageImage(path), "eng", CanvasSize(WIDTH, HEIGHT)).lines == ()


@needs_tesseract
def test_a_page_that_needs_more_memory_is_refused(page: Path) -> None:
    with pytest.raises(TextRefused, match="with 20 MiB of memory"):
        write_alto(PROGRAM, page, page.parent, "eng", most_seconds=60, most_mebibytes=20)


@needs_tesseract
def test_a_page_that_takes_too_long_is_refused(page: Path) -> None:
    with pytest.raises(TextRefused, match="more than 0 seconds"):
        write_alto(PROGRAM, page, page.parent, "eng", most_seconds=0)


@needs_tesseract
def test_what_is_no_image_is_refused(page: Path) -> None:
    page.write_bytes(b"no image")
    with pytest.raises(TextRefused, match="Tesseract could not read it"):
        write_alto(PROGRAM, page, page.parent, "eng", most_seconds=60)


@needs_tesseract
def test_what_tesseract_says_of_a_file_names_no_folder(page: Path) -> None:
    page.unlink()
    with pytest.raises(TextRefused, match=r"page\.png") as refused:
        write_alto(PROGRAM, page, page.parent, "eng", most_seconds=60)
    assert str(page.parent) not in str(refused.value)


@needs_tesseract
def test_the_languages_that_are_installed_are_known() -> None:
    assert "eng" in installed_languages(PROGRAM)


def test_tesseract_gets_no_credentials(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    program = page.parent / "program"
    program.write_text('#!/bin/sh\necho "<$AWS_SECRET_ACCESS_KEY> $OMP_THREAD_LIMIT" >&2\nexit 1\n')
    program.chmod(0o755)
    with pytest.raises(TextRefused, match=r"<> 1$"):
        write_alto(str(program), page, page.parent, "eng", most_seconds=60)
