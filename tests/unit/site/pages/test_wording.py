"""Texts of records, in the language of a page."""

import pytest

from vitrine.iiif.presentation.model import Texts
from vitrine.iiif.presentation.rights import rights_name
from vitrine.site.pages.wording import choose_wording
from vitrine.text.plain_texts import shorten
from vitrine.text.text_or_html import plain_text


@pytest.mark.parametrize(
    ("texts", "language", "values", "said"),
    [
        ({"en": ("a",), "de": ("b",)}, "de", ("b",), ""),
        ({"en": ("a",), "de-AT": ("b",)}, "de", ("b",), ""),
        ({"none": ("a",), "en": ("b",)}, "de", ("a",), ""),
        ({"nl": ("a",), "en": ("b",)}, "de", ("b",), "en"),
        ({"nl": ("a", "")}, "de", ("a",), "nl"),
        ({}, "de", (), ""),
    ],
)
def test_the_nearest_language_is_chosen(
    texts: Texts, language: str, values: tuple[str, ...], said: str
) -> None:
    found = choose_wording(texts, language)
    assert (found.values, found.language) == (values, said)


def test_markup_is_kept_where_it_is_shown_and_nowhere_else() -> None:
    wording = choose_wording({"en": ("<p>A &amp; <b>B</b></p>", "1 < 2")}, "en")
    assert wording.html == ("<p>A &amp; <b>B</b></p>", "1 &lt; 2")
    assert wording.plain == "A & B; 1 < 2"


def test_plain_text_is_one_line_without_controls() -> None:
    assert plain_text("<p>one<br>two</p>") == "one two"
    assert plain_text("a\n\u202eb") == "a \\u202eb"


def test_a_long_text_is_cut_between_words() -> None:
    assert shorten("one two three", 9) == "one two…"
    assert shorten("one", 9) == "one"


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("http://creativecommons.org/licenses/by-nc/3.0/de/", "CC BY-NC 3.0 DE"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0, Public Domain Dedication"),
        ("http://rightsstatements.org/vocab/InC/1.0/", "In Copyright"),
        (
            "http://rightsstatements.org/vocab/New/1.0/",
            "http://rightsstatements.org/vocab/New/1.0/",
        ),
    ],
)
def test_rights_have_names(uri: str, name: str) -> None:
    assert rights_name(uri) == name
