"""Texts of objects: what viewers show of HTML is what the specification allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.present.objects.object_bench import book
from vitrine.iiif.presentation.model import Canvas
from vitrine.present.objects.cleaning import clean_item, clean_text


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
    ],
)
def test_a_text_is_cleaned(text: str, expected: str) -> None:
    assert clean_text(text) == expected


@given(st.text(alphabet="<>/ab=\"' scriptonload:&;#x", max_size=60))
def test_a_clean_text_is_clean(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned


def test_all_texts_of_an_object_are_cleaned_and_nothing_else_changes() -> None:
    item = book(summary={"en": ("<p onclick='x()'>1</p>", "2")})
    cleaned = clean_item(item)
    assert cleaned.summary == {"en": ("<p>1</p>", "2")}
    assert clean_item(cleaned) == cleaned == book(summary=cleaned.summary)


def test_an_identifier_stays_what_it_is_whatever_it_looks_like() -> None:
    item = book("<b>", canvases=(Canvas(image="<i>"),), part_of=("<u>",))
    assert clean_item(item) == item
