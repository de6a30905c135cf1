"""HTML is read without its elements, and what is nested too deep is named."""

import pytest

from tests.unit.present.text.text_bench import annotations, refusal
from vitrine.errors import TextRefused
from vitrine.present.text.html_words import read_html


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one</p><p>two <i>thr</i>ee</p>", "one two three"),
        ("a<br>b<script>c()</script><style>d{}</style>e", "a be"),
        ("<!-- nothing -->", ""),
        (" ", ""),
        ("<b>" * 200 + "deep", "deep"),
    ],
)
def test_words_are_read_and_scripts_are_not(html: str, text: str) -> None:
    assert " ".join(read_html(html).split()) == text


def test_elements_that_are_nested_too_deep_are_refused_by_name() -> None:
    html = "<p>a</p>" + "<b>" * 300 + "deep"
    with pytest.raises(TextRefused) as refused:
        read_html(html)
    assert refused.value.code == "depth"
    assert refusal("1.json", annotations({"body": {"value": html, "format": "text/html"}})) == (
        "depth",
        "its HTML has elements that are nested too deep to be read",
    )
