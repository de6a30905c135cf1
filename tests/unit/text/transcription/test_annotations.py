"""W3C annotations: transcriptions with the region that they are of."""

from typing import Any

import pytest

from tests.unit.text.transcription.text_bench import annotations, corners, read, refusal, words

TARGET = "https://a.example/canvas/1#xywh=10,20,50,30"


def annotation(target: Any = TARGET, **body: Any) -> dict[str, Any]:
    """A transcription."""
    return {
        "type": "Annotation",
        "motivation": "supplementing",
        "body": {"type": "TextualBody", "value": "ein Brief"} | body,
        "target": target,
    }


@pytest.mark.parametrize(
    "target",
    [
        TARGET,
        [TARGET],
        {"type": "SpecificResource", "source": TARGET},
        {"source": "x", "selector": {"type": "FragmentSelector", "value": "xywh=10,20,50,30"}},
        "https://a.example/canvas/1#xywh=pixel:10,20,50,30",
        "https://a.example/canvas/1#xywh=percent:1,1,5,1.5",
    ],
)
def test_words_have_the_region_that_is_the_target(target: Any) -> None:
    page = read("1.json", annotations(annotation(target)))
    assert words(page) == [["ein", "Brief"]]
    assert corners(page) == [[(10, 20, 50, 30)]] * 2


@pytest.mark.parametrize("target", ["https://a.example/canvas/1", None, 7, {"selector": "#"}])
def test_a_target_without_a_region_is_the_whole_page(target: Any) -> None:
    page = read("1.json", annotations(annotation(target)))
    assert (words(page), any(corners(page))) == ([["ein", "Brief"]], False)


def test_comments_and_tags_are_not_the_text_of_the_page() -> None:
    comment = annotation() | {"motivation": ["commenting", "tagging"]}
    assert read("1.json", annotations(comment)).lines == ()


def test_html_is_read_without_its_tags() -> None:
    body = annotation(value="<p>ein <b>Brief</b></p>", format="text/html", language="de")
    page = read("1.json", annotations(body))
    assert words(page) == [["ein", "Brief"]]
    assert page.lines[0].language == "de"


def test_half_a_pair_of_surrogates_becomes_a_sign_that_can_be_written() -> None:
    assert words(read("1.json", annotations(annotation(value="a\ud800")))) == [["a\ufffd"]]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", "json"),
        ("[" * 100_000, "json"),
        ("7", "format"),
        ('{"type": "Manifest"}', "format"),
        ('{"type": "AnnotationPage"}', "format"),
        (b"\xff\xff", "json"),
    ],
)
def test_what_is_no_page_of_annotations_is_refused(body: str | bytes, code: str) -> None:
    assert refusal("1.json", body)[0] == code


def test_annotations_of_another_form_are_passed_over() -> None:
    odd: list[Any] = [{}, {"body": 7}, {"body": {"value": []}}, {"motivation": {}, "body": "x"}]
    assert read("1.json", annotations(*odd)).lines == ()


def test_no_word_of_html_reaches_across_lines_and_paragraphs() -> None:
    value = "<p>Wor<i>d</i><br>World</p><p>next</p><ul><li>one<li>two</ul>"
    page = read("1.json", annotations(annotation(value=value, format="text/html")))
    assert words(page) == [["Word", "World", "next", "one", "two"]]
