"""The text of a canvas as annotations, in both versions."""

import pytest

from vitrine.iiif.presentation import text_annotations
from vitrine.iiif.presentation.text_annotations import (
    TextLine,
    build_annotation_list,
    build_annotation_page,
)

LINES = [TextLine("ein Brief", (1, 2, 3, 4), "de"), TextLine("סוף")]


def test_a_line_has_its_place_and_language_if_it_has_one() -> None:
    page = build_annotation_page("a/b", 7, LINES, "https://e.org")
    assert page["id"] == "https://e.org/presentation/3/a%2Fb/text-7.json"
    one, two = page["items"]
    assert one["target"] == "https://e.org/presentation/3/a%2Fb/canvas/7#xywh=1,2,3,4"
    assert two["target"] == "https://e.org/presentation/3/a%2Fb/canvas/7"
    assert (one["body"]["language"], "language" in two["body"]) == ("de", False)
    assert one["id"] != two["id"]


def test_version_2_says_the_same_in_its_own_words() -> None:
    older = build_annotation_list("a/b", 7, LINES, "https://e.org")
    assert older["@type"] == "sc:AnnotationList"
    one, two = older["resources"]
    assert (one["resource"]["chars"], one["resource"]["language"]) == ("ein Brief", "de")
    assert two["resource"]["@type"] == "cnt:ContentAsText"
    assert one["on"] == "https://e.org/presentation/2/a%2Fb/canvas/7#xywh=1,2,3,4"


def test_a_page_of_endless_lines_has_the_first_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_annotations, "MAX_LINES", 2)
    assert len(build_annotation_page("a", 1, LINES * 2, "https://e.org")["items"]) == 2
    assert len(build_annotation_list("a", 1, LINES * 2, "https://e.org")["resources"]) == 2
