"""Limits, boxes and hyphens, the same for every format."""

import pytest

from tests.unit.text.transcription.text_bench import CANVAS, corners, words
from vitrine.errors import TextRefused
from vitrine.text.transcription import page_builder
from vitrine.text.transcription.page_builder import (
    MAX_WORD_LENGTH,
    PageBuilder,
    Rectangle,
    read_number,
)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((-10, 0, 30, 10), (0, 0, 20, 10)),
        ((990, 1995, 30, 10), (990, 1995, 10, 5)),
        ((0.4, 0.6, 1, 1), (0, 0, 2, 2)),
        ((5, 5, 0, 0), (5, 5, 1, 1)),
        ((-1e9, -1e9, 2e9, 2e9), (0, 0, 1000, 2000)),
    ],
)
def test_a_box_is_cut_at_the_edges_of_the_page(
    box: Rectangle, expected: tuple[int, int, int, int]
) -> None:
    builder = PageBuilder(CANVAS)
    builder.add_text("a", box)
    assert corners(builder.finish()) == [[expected]]


@pytest.mark.parametrize(
    "box", [(1000, 0, 9, 9), (0, 2000, 9, 9), (-9, 0, 9, 9), (-5, 0, 0, 9), (9, 9, -1, 9)]
)
def test_a_word_whose_box_is_outside_the_page_is_kept_without_it(box: Rectangle) -> None:
    builder = PageBuilder(CANVAS)
    builder.add_text("inside", (0, 0, 9, 9))
    builder.add_text("outside", box)
    page = builder.finish()
    assert (words(page), page.outside) == ([["inside", "outside"]], 1)
    assert corners(page)[1] == []


def test_a_page_with_most_of_its_boxes_outside_is_refused() -> None:
    builder = PageBuilder(CANVAS)
    for left in (0, 5000, 6000):
        builder.add_text("a", (left, 0, 9, 9))
    with pytest.raises(TextRefused, match="2 of its 3 boxes are outside the page"):
        builder.finish()


def test_a_page_with_too_many_words_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_builder, "MAX_WORDS", 10)
    builder = PageBuilder(CANVAS)
    builder.add_text("a " * 10)
    with pytest.raises(TextRefused, match="more than 10 words"):
        builder.add_text("a")


def test_a_word_that_is_too_long_is_refused_also_if_it_is_joined() -> None:
    with pytest.raises(TextRefused, match="a word of more than"):
        PageBuilder(CANVAS).add_text("a" * (MAX_WORD_LENGTH + 1))
    builder = PageBuilder(CANVAS)
    for _ in range(MAX_WORD_LENGTH):
        builder.begin_line(None)
        builder.add_text("a\u00ad")
    builder.begin_line(None)
    with pytest.raises(TextRefused, match="a word of more than"):
        builder.add_text("a")


def test_a_word_on_three_lines_is_one_word() -> None:
    builder = PageBuilder(CANVAS)
    for text in ("ein Reise\u00ad", "be\u00ad", "richt aus"):
        builder.begin_line(None)
        builder.add_text(text)
    assert words(builder.finish()) == [["ein", "Reisebericht"], ["aus"]]


def test_a_soft_hyphen_at_the_end_of_the_page_is_dropped() -> None:
    builder = PageBuilder(CANVAS)
    builder.add_text("Reise\u00ad")
    assert words(builder.finish()) == [["Reise"]]


@pytest.mark.parametrize("text", [None, "", "one", "nan", "inf", "1e10", "1" * 33, "1,5"])
def test_a_number_that_makes_no_sense_is_left_out(text: str | None) -> None:
    assert read_number(text) is None


@pytest.mark.parametrize(("text", "number"), [("7", 7), ("-1.5", -1.5), ("0", 0), (" 3 ", 3)])
def test_a_number_is_read(text: str, number: float) -> None:
    assert read_number(text) == number


def test_a_paragraph_without_spaces_is_divided_where_its_script_writes_none() -> None:
    for text in ("漢字。" * 400, "ภาษาไทย" * 200):
        builder = PageBuilder(CANVAS)
        builder.add_text(text)
        ((*parts,),) = words(builder.finish())
        assert "".join(parts) == text
        assert max(map(len, parts)) <= 100
