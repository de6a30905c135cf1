"""Plain text: words without boxes."""

import pytest

from tests.unit.text.transcription.text_bench import corners, read, refusal, words
from vitrine.text.transcription import read_text as read_text_module


def test_lines_and_words_are_read_without_boxes() -> None:
    page = read("1.txt", "Ein Brief\r\n\r\naus  Ninive\n")
    assert words(page) == [["Ein", "Brief"], ["aus", "Ninive"]]
    assert not any(corners(page))


def test_a_soft_hyphen_at_the_end_of_a_line_joins() -> None:
    assert words(read("1.txt", "Ein Reise\u00ad\nbericht aus")) == [
        ["Ein", "Reisebericht"],
        ["aus"],
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf_8_and_marked_utf_16_are_read(encoding: str) -> None:
    assert words(read("1.txt", "Bär".encode(encoding))) == [["Bär"]]


@pytest.mark.parametrize("body", [b"B\xe4r", b"a\xc3", b"B\0r"])
def test_what_is_no_text_is_refused(body: bytes) -> None:
    assert refusal("1.txt", body)[0] in ("encoding", "format")


def test_a_letter_on_the_border_of_two_pieces_is_whole() -> None:
    body = "ä " * 40_000
    assert len(read("1.txt", "x" + body).lines[0].words) == 40_000


def test_a_text_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_text_module, "MAX_BYTES", 100_000)
    assert refusal("1.txt", b" \n" * 100_000)[0] == "bytes"


def test_an_endless_line_is_refused_before_it_is_held() -> None:
    assert refusal("1.txt", b"word " * 2_000_000)[0] == "line"
