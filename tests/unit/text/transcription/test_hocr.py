"""hOCR, well-formed or not."""

import pytest

from tests.unit.text.transcription.text_bench import corners, hocr, read, refusal, words

WORD = '<span class="ocrx_word" title="bbox {0}; x_wconf 90">{1}</span>'
LINE = '<span class="ocr_line" title="bbox 10 20 300 50">{}</span>'


def test_words_are_read_with_their_boxes() -> None:
    page = read("1.hocr", hocr(LINE.format(WORD.format("10 20 60 50", "<em>Brief</em>"))))
    assert words(page) == [["Brief"]]
    assert corners(page) == [[(10, 20, 50, 30)]]


def test_boxes_are_scaled_from_the_box_of_the_page() -> None:
    body = hocr(LINE.format(WORD.format("110 20 160 50", "Brief")), "bbox 100 0 600 1000")
    assert corners(read("1.html", body)) == [[(20, 40, 100, 60)]]


@pytest.mark.parametrize("hyphen", ["\u00ad", "&shy;", "&#173;", "¬"])
def test_a_soft_hyphen_at_the_end_of_a_line_joins(hyphen: str) -> None:
    body = LINE.format(WORD.format("1 1 2 2", f"Reise{hyphen}")) + LINE.format(
        WORD.format("3 3 4 4", "bericht") + " " + WORD.format("5 5 6 6", "aus")
    )
    page = read("1.hocr", hocr(body))
    assert words(page) == [["Reisebericht"], ["aus"]]
    assert corners(page)[0] == [(1, 1, 1, 1), (3, 3, 1, 1)]


def test_a_soft_hyphen_inside_a_line_vanishes() -> None:
    body = LINE.format(WORD.format("1 1 2 2", "Reise\u00adbericht"))
    assert words(read("1.hocr", hocr(body))) == [["Reisebericht"]]


def test_a_line_without_words_is_split_and_its_words_have_its_box() -> None:
    page = read("1.hocr", hocr(LINE.format("ein Brief")))
    assert words(page) == [["ein", "Brief"]]
    assert corners(page) == [[(10, 20, 290, 30)]] * 2


def test_what_a_word_might_have_been_instead_is_left_out() -> None:
    inside = '<span class="alternatives"><ins class="alt">Brief</ins><del>Brlef</del></span>'
    assert words(read("1.hocr", hocr(LINE.format(WORD.format("1 1 2 2", inside))))) == [["Brief"]]


def test_language_and_direction_are_read() -> None:
    line = LINE.format(WORD.format("1 1 2 2", "שלום")).replace("<span ", '<span dir="rtl" ', 1)
    (found,) = read("1.hocr", hocr(f'<p lang="heb">{line}</p>')).lines
    assert (found.language, found.direction) == ("he", "rtl")


def test_damaged_html_is_read_as_far_as_it_makes_sense() -> None:
    body = f"<!DOCTYPE html><div class=ocr_page><p><!- x --><{LINE.format('ein')}</b></p></i>"
    assert words(read("1.html", body)) == [["ein"]]


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<?xml version="1.0" encoding="utf-8"?>', "utf-8"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">', "latin-1"),
        ("", "utf-8"),
    ],
)
def test_the_encoding_that_the_file_names_is_used(head: str, encoding: str) -> None:
    assert words(read("1.html", (head + hocr(LINE.format("Bär"))).encode(encoding))) == [["Bär"]]


def test_an_xml_file_may_be_hocr() -> None:
    assert words(read("1.xml", '<?xml version="1.0"?>' + hocr(LINE.format("ein")))) == [["ein"]]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("<html><p>A page of the web</p></html>", "format"),
        ("", "format"),
        (hocr("") + hocr(""), "pages"),
        (hocr("", "bbox 0 0 0 0"), "page-size"),
        (hocr("<div>" * 300), "depth"),
        ("<meta charset=klingon>" + hocr(""), "encoding"),
    ],
)
def test_what_is_no_page_of_hocr_is_refused(body: str, code: str) -> None:
    assert refusal("1.html", body)[0] == code
