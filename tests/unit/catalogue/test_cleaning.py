"""Texts of objects: what viewers show of HTML is what the specification allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.catalogue.object_bench import book
from vitrine.catalogue.cleaning import clean_item
from vitrine.iiif.presentation.model import Canvas, Statement
from vitrine.text.allowed_html import clean_label, clean_value
from vitrine.text.text_or_html import is_html, plain_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("  a < b and c > d ", "a < b and c > d"),
        ("<p>A <b>bold</b> <i>word</i><br>2</p>", "<p>A <b>bold</b> <i>word</i><br>2</p>"),
        ('<a href="https://m.example/">x</a>', '<a href="https://m.example/">x</a>'),
        ('<a href="javascript:alert(1)">x</a>', "<a>x</a>"),
        (
            '<img src="https://m.example/a.png" onerror="x()">',
            '<img src="https://m.example/a.png">',
        ),
        ("<script>alert(1)</script>", ""),
        ('<span style="position:fixed" onmouseover="x()">x</span>', "<span>x</span>"),
        ("<svg><script>alert(1)</script></svg>", ""),
        ("<p>a<title>t</title><template>u</template><noscript>n</noscript></p>", "<p>a</p>"),
        ('<p title="t" lang="de">a</p>', "<p>a</p>"),
        ("<!-- a comment --><p>x</p>", "<p>x</p>"),
        ("Wings of <i>Papilio</i> & co", "<span>Wings of <i>Papilio</i> &amp; co</span>"),
        ("<h2>A &lt;b&gt;</h2>", "<span>A &lt;b&gt;</span>"),
        ("one<br>two", "<span>one<br>two</span>"),
        ("x <b and c> d", "x <b and c> d"),
    ],
)
def test_a_text_is_cleaned(text: str, expected: str) -> None:
    assert clean_value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("<Ohne Titel>", "<Nachlass W.>", "<unsigned> and <undated>", "<Title unknown>"),
        *("<1890>", "<>", "<i>", "<Map of Kent>", "< a >"),
    ],
)
def test_a_text_in_angle_brackets_stays_as_written_and_is_not_taken_for_html(text: str) -> None:
    for clean in (clean_value, clean_label):
        assert clean(text) == f"{text} "
        assert not is_html(clean(text))
        assert plain_text(clean(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<i>Papilio machaon</i>", "Papilio machaon"),
        ("A <i>Papilio</i> &amp; co", "A Papilio & co"),
        ("<p>one</p><p>two</p>", "one two"),
        ("<b>&lt;Nachlass&gt;</b>", "<Nachlass> "),
        ("AT&amp;T", "AT&amp;T"),
        ("<script>x</script>", ""),
    ],
)
def test_a_label_has_no_markup(text: str, expected: str) -> None:
    assert clean_label(text) == expected


@given(st.text(alphabet="<>/ab=\"' scriptonload:&;#x", max_size=60))
def test_a_clean_text_is_clean(text: str) -> None:
    for clean in (clean_value, clean_label):
        cleaned = clean(text)
        assert clean(cleaned) == cleaned
    assert not is_html(clean_label(text))


def test_all_texts_of_an_object_are_cleaned_and_nothing_else_changes() -> None:
    item = book(summary={"en": ("<p onclick='x()'>1</p>", "2")})
    cleaned = clean_item(item)
    assert cleaned.summary == {"en": ("<p>1</p>", "2")}
    assert clean_item(cleaned) == cleaned == book(summary=cleaned.summary)


def test_an_identifier_stays_what_it_is_whatever_it_looks_like() -> None:
    item = book("<b>", canvases=(Canvas(image="<i>"),), part_of=("<u>",))
    assert clean_item(item) == item


def test_markup_goes_where_the_specification_has_a_place_for_it() -> None:
    marked = {"en": ("<i>x</i>",)}
    item = book(
        title="<i>x</i>",
        summary=marked,
        metadata=(Statement(label=marked, value=marked),),
        canvases=(Canvas(image="a", label=marked, alt_text=marked, description=marked),),
        rights="https://creativecommons.org/licenses/by/4.0/?ref=chooser-v1",
    )
    plain = {"en": ("x",)}
    assert clean_item(item) == book(
        title="x",
        summary=marked,
        metadata=(Statement(label=plain, value=marked),),
        canvases=(Canvas(image="a", label=plain, alt_text=marked, description=plain),),
        rights="http://creativecommons.org/licenses/by/4.0/",
    )
