"""HTML is read without its elements, and what is nested too deep is named."""

import pytest

from tests.unit.text.transcription.text_bench import annotations, refusal
from vitrine.errors import TextRefused
from vitrine.text.transcription.html_words import read_html


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one</p><p>two <i>thr</i>ee</p>", "one two three"),
        ("a<br>b<script>c()</script><style>d{}</style>e", "a be"),
        ("<html><head><title>t</title></head><body>a</body></html>", "a"),
        ("a<template>t<template>u</template><p>x</p></template>b", "ab"),
        ("a <noscript>n<p>x</p></noscript>b", "a b"),
        ("a<svg><title>t</title><text>u</text></svg>b<video>no video<p>x</p></video>c", "abc"),
        ("<!-- nothing -->", ""),
        (" ", ""),
        ("<b>" * 200 + "deep", "deep"),
    ],
)
def test_words_are_read_and_what_is_not_shown_is_not(html: str, text: str) -> None:
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
