"""The text of a page is kept as it was read, and fits whichever canvas shows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, TextBox, Word
from vitrine.text.transcription.stored_text import decode_text, encode_text, text_name

CANVAS = CanvasSize(1000, 2000)
SIDES = st.integers(1, 5_000)


@st.composite
def boxes(draw: st.DrawFn) -> TextBox:
    x, y = draw(st.integers(0, 999)), draw(st.integers(0, 1999))
    return TextBox(x, y, draw(st.integers(1, 1000 - x)), draw(st.integers(1, 2000 - y)))


WORDS = st.builds(
    Word,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.lists(boxes(), max_size=2).map(tuple),
)
LINES = st.builds(
    Line,
    st.lists(WORDS, min_size=1, max_size=3).map(tuple),
    st.sampled_from(["", "de"]),
    st.sampled_from(["", "rtl"]),
)
PAGES = st.builds(PageText, st.lists(LINES, max_size=3).map(tuple))


@pytest.mark.slow
@given(PAGES)
def test_what_is_stored_is_what_was_read(page: PageText) -> None:
    assert decode_text(encode_text(page, CANVAS), CANVAS) == page


@pytest.mark.slow
@given(PAGES, st.builds(CanvasSize, SIDES, SIDES))
def test_boxes_are_inside_of_any_canvas(page: PageText, canvas: CanvasSize) -> None:
    for line in decode_text(encode_text(page, CANVAS), canvas).lines:
        for word in line.words:
            for box in word.boxes:
                assert 0 <= box.x < box.x + box.width <= canvas.width
                assert 0 <= box.y < box.y + box.height <= canvas.height


def test_boxes_are_scaled_to_another_size() -> None:
    page = PageText((Line((Word("a", (TextBox(10, 20, 30, 40),)),)),))
    scaled = decode_text(encode_text(page, CANVAS), CanvasSize(2000, 3980))
    assert scaled.lines[0].words[0].boxes == (TextBox(20, 39, 60, 81),)


def test_boxes_are_not_stretched_to_other_proportions() -> None:
    page = PageText((Line((Word("a", (TextBox(10, 20, 30, 40),)),)),))
    turned = decode_text(encode_text(page, CANVAS), CanvasSize(2000, 1000))
    assert turned == PageText((Line((Word("a"),)),))


def test_the_same_text_has_the_same_bytes_and_a_name_says_what_it_is_of() -> None:
    page = PageText((Line((Word("a"),)),))
    assert encode_text(page, CANVAS) == encode_text(page, CANVAS)
    names = {
        text_name("file", 0, CANVAS),
        text_name("other", 0, CANVAS),
        text_name("file", 1, CANVAS),
        text_name("file", 0, CanvasSize(1000, 2001)),
    }
    assert len(names) == 4
    assert all(len(name) == 32 for name in names)
