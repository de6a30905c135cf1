"""HTML of strangers says and shows what browsers show of it, and what the API allows."""

import pytest

from tests.unit.text.annotations.annotation_bench import comment, read_one
from vitrine.text.annotations.words import write_words


def test_html_of_strangers_keeps_what_the_presentation_api_allows() -> None:
    html = '<p onclick="x()">a <b>seal</b><script>steal()</script></p><div>of<br>wax</div>'
    html += '<a href="javascript:x()">link</a><iframe src="https://a.example"></iframe>'
    body = {"type": "TextualBody", "value": html, "format": "text/html", "language": "en"}
    (read_body,) = read_one(comment(body=body)).bodies
    assert read_body.value == "<p>a <b>seal</b></p>of<br>wax<a>link</a>"
    assert (read_body.plain, read_body.language) == ("a seal of wax link", "en")


@pytest.mark.parametrize(
    ("html", "shown", "said"),
    [
        ("<title>t<p>u</p></title>a", "a", "a"),
        ("<title>t", "", ""),
        ("a<template>t<p>u</p><template>v</template>w</template>b", "ab", "ab"),
        ("<template>t", "", ""),
        ("a<noscript><p>n</p></noscript>b", "ab", "ab"),
        ("<p>a<noscript>n", "<p>a</p>", "a"),
        ("<p title='<noscript>'>a</p><b>b</b>", "<p>a</p><b>b</b>", "a b"),
        ("<noscript><p title='</noscript><b>a</b>'>", "<b>a</b>'&gt;", "a'>"),
        ("<svg><style><title>t</style><p>a", "<p>a</p>", "a"),
        ("a<noembed>n</noembed><noframes>m</noframes><iframe>i</iframe>b", "ab", "ab"),
        ("a<datalist><option>o</datalist><video>v</video><audio>u</audio>b", "ab", "ab"),
        ("a<TiTLe >t</tItle\n>b<TEMPLATE/>c", "ab", "ab"),
        ("<!--<title>-->a<!--</title>-->b", "ab", "ab"),
        ("<textarea>a</textarea><select><option>b</select>", "ab", "ab"),
    ],
)
def test_nobody_finds_or_gets_what_html_does_not_show(html: str, shown: str, said: str) -> None:
    (body,) = read_one(comment(body={"value": html, "format": "text/html"})).bodies
    assert (body.value, body.plain) == (shown, said)


def test_html_in_a_body_that_is_plain_stays_a_text() -> None:
    (body,) = read_one(comment("<b>a</b>")).bodies
    assert (body.value, body.format, body.plain) == ("<b>a</b>", "text/plain", "")


def test_html_without_a_text_has_no_words() -> None:
    image = '<img src="https://a.example/b.png">'
    remark = read_one(comment(body={"value": image, "format": "text/html"}))
    assert remark.bodies[0].value == image
    assert write_words(remark).lines == ()
