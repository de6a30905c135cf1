"""PAGE XML: words, or lines where words have no text."""

import pytest

from tests.unit.text.transcription.text_bench import corners, page_xml, read, refusal, words

TEXT = "<TextEquiv><Unicode>{}</Unicode></TextEquiv>"
COORDS = '<Coords points="{}"/>'
LINE = (
    "<TextRegion><TextLine>" + COORDS.format("10,20 110,25 110,60") + "{}</TextLine></TextRegion>"
)


@pytest.mark.parametrize("version", ["2013-07-15", "2016-07-15", "2017-07-15", "2018-07-15"])
def test_words_are_read_with_the_rectangle_around_their_polygon(version: str) -> None:
    word = f"<Word>{COORDS.format('10,20 60,22 58,50 12,48')}{TEXT.format('Brief')}</Word>"
    body = page_xml(LINE.format(word + TEXT.format("what the line says")))
    page = read("1.xml", body.replace("2019-07-15", version))
    assert words(page) == [["Brief"]]
    assert corners(page) == [[(10, 20, 50, 30)]]


def test_a_line_without_words_is_split_and_its_words_have_its_box() -> None:
    page = read("1.xml", page_xml(LINE.format(TEXT.format("ein Brief"))))
    assert words(page) == [["ein", "Brief"]]
    assert corners(page) == [[(10, 20, 100, 40)]] * 2


def test_a_region_without_lines_gives_one_line_for_each_of_its_text() -> None:
    region = f"<TextRegion>{TEXT.format('first one' + chr(10) + 'second')}</TextRegion>"
    assert words(read("1.xml", page_xml(region))) == [["first", "one"], ["second"]]


def test_a_region_says_nothing_again_that_its_lines_said() -> None:
    body = LINE.replace("</TextRegion>", TEXT.format("ein Brief") + "</TextRegion>")
    assert words(read("1.xml", page_xml(body.format(TEXT.format("ein Brief"))))) == [
        ["ein", "Brief"]
    ]


def test_the_best_of_several_readings_is_taken() -> None:
    readings = "".join(
        f'<TextEquiv index="{index}"><Unicode>{text}</Unicode></TextEquiv>'
        for index, text in ((1, "worse"), (0, "best"), (2, "worst"))
    )
    assert words(read("1.xml", page_xml(LINE.format(readings)))) == [["best"]]


def test_glyphs_do_not_speak_for_their_word() -> None:
    glyph = f"<Glyph>{COORDS.format('0,0 1,1')}{TEXT.format('B')}</Glyph>"
    word = f"<Word>{glyph}{TEXT.format('Brief')}</Word>"
    assert words(read("1.xml", page_xml(LINE.format(word)))) == [["Brief"]]


def test_lines_broken_by_a_double_oblique_hyphen_are_joined() -> None:
    body = LINE.format(TEXT.format("des Men⸗")) + LINE.format(TEXT.format("\u017fchen aus"))
    assert words(read("1.xml", page_xml(body))) == [["des", "Men\u017fchen"], ["aus"]]


def test_a_plain_hyphen_at_the_end_of_a_line_is_kept_since_it_may_belong_to_the_word() -> None:
    body = LINE.format(TEXT.format("Nord-")) + LINE.format(TEXT.format("Ost"))
    assert words(read("1.xml", page_xml(body))) == [["Nord-"], ["Ost"]]


def test_names_of_languages_and_directions_become_tags() -> None:
    body = page_xml(LINE.format(TEXT.format("سلام"))).replace(
        "<TextRegion>", '<TextRegion primaryLanguage="Persian" readingDirection="right-to-left">'
    )
    (line,) = read("1.xml", body).lines
    assert (line.language, line.direction) == ("fa", "rtl")


@pytest.mark.parametrize("page", ["", 'imageWidth="foo" imageHeight="9"', 'imageWidth="0"'])
def test_a_page_without_a_usable_size_is_refused(page: str) -> None:
    assert refusal("1.xml", page_xml("", page))[0] == "page-size"


def test_a_box_of_damaged_points_is_left_out() -> None:
    body = page_xml(LINE.format(TEXT.format("a"))).replace("10,20 110,25", "ten,20 1..1,5")
    assert corners(read("1.xml", body)) == [[]]
