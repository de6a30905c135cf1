"""Searches inside objects find comments and tags, each with its motivation and in its place."""

import pytest

from tests.unit.api.search_bench import BASE, BOOK, Service
from vitrine.search.content.form import RemarkEntry
from vitrine.search.content.search import PAGE_OF_MATCHES
from vitrine.text.transcription.page_text import Line, PageText, TextBox, Word


def remark(
    canvas: int, text: str, *boxes: TextBox, motivations: tuple[str, ...] = ("commenting",)
) -> tuple[RemarkEntry, PageText]:
    """An annotation of a canvas, from 0, as an index has it."""
    words = tuple(Word(word, boxes) for word in text.split())
    return RemarkEntry(canvas, "0a1b2c3d", motivations), PageText((Line(words),))


COMMENTS = (
    remark(0, "two birds and again birds by Müller", TextBox(1, 2, 3, 4)),
    remark(2, "bird", motivations=("tagging", "commenting")),
    remark(2, "東京タワー", TextBox(5, 6, 90, 18), TextBox(1, 1, 1, 1)),
)


@pytest.fixture
def annotated() -> Service:
    """A book with comments."""
    made = Service()
    made.add_book("book", BOOK, COMMENTS)
    return made


def test_a_match_in_a_comment_is_that_comment_in_its_place(annotated: Service) -> None:
    document = annotated.read("/inside/3/book/search-2", "q=birds&motivation=commenting")
    (item,) = document["items"]
    assert item == {
        "id": f"{BASE}/presentation/3/book/annotation/1-0a1b2c3d",
        "type": "Annotation",
        "motivation": "commenting",
        "body": {
            "type": "TextualBody",
            "value": "two birds and again birds by Müller",
            "format": "text/plain",
        },
        "target": f"{BASE}/presentation/3/book/canvas/1#xywh=1,2,3,4",
    }
    assert document["partOf"][0]["total"] == 2
    contexts = document["annotations"][0]["items"]
    assert [one["target"]["source"] for one in contexts] == [item["id"]] * 2
    assert [one["target"]["selector"][0]["prefix"] for one in contexts] == [
        "two ",
        "two birds and again ",
    ]
    assert len({one["id"] for one in contexts}) == 2


def test_version_1_has_comments_with_their_motivations(annotated: Service) -> None:
    document = annotated.read("/inside/2/book/search-1", "q=bird&motivation=oa:tagging")
    (resource,), (hit,) = document["resources"], document["hits"]
    assert resource["@id"] == f"{BASE}/presentation/2/book/annotation/3-0a1b2c3d"
    assert resource["motivation"] == ["oa:tagging", "oa:commenting"]
    assert (resource["on"], resource["resource"]["chars"]) == (
        f"{BASE}/presentation/2/book/canvas/3",
        "bird",
    )
    assert hit["annotations"] == [resource["@id"]]
    assert document["within"]["first"].endswith("?q=bird&motivation=oa%3Atagging")


def test_without_a_motivation_texts_and_comments_are_found_canvas_by_canvas(
    annotated: Service,
) -> None:
    document = annotated.read("/inside/3/book/search-2", "q=bird*")
    found = [(one["target"].partition("#")[0][-1], one["motivation"]) for one in document["items"]]
    assert found == [
        ("1", "supplementing"),
        ("1", "commenting"),
        *[("3", "supplementing")] * 2,
        ("3", ["tagging", "commenting"]),
    ]
    assert document["partOf"][0]["total"] == 6


def test_universal_viewer_goes_on_finding_texts(annotated: Service) -> None:
    document = annotated.read("/inside/2/book/search-1", "q=birds&motivation=painting")
    assert [one["motivation"] for one in document["resources"]] == ["sc:painting"] * 2
    assert "ignored" not in document["within"]
    others = annotated.read("/inside/2/book/search-1", "q=birds&motivation=non-painting")
    assert [one["motivation"] for one in others["resources"]] == ["oa:commenting"]
    assert annotated.read("/inside/3/book/search-2", "q=birds&motivation=x")["items"] == []


def test_a_comment_has_all_its_places_whole_whatever_matches_in_it(annotated: Service) -> None:
    (item,) = annotated.read("/inside/3/book/search-2", "q=京")["items"]
    canvas = f"{BASE}/presentation/3/book/canvas/3"
    assert item["target"] == [f"{canvas}#xywh=5,6,90,18", f"{canvas}#xywh=1,1,1,1"]


def test_all_words_have_to_be_in_the_text_or_in_one_comment(annotated: Service) -> None:
    assert len(annotated.read("/inside/3/book/search-2", "q=again+muller")["items"]) == 1
    assert annotated.read("/inside/3/book/search-2", "q=again+bush")["items"] == []
    assert annotated.read("/inside/3/book/search-2", 'q="hand+bird"')["items"] == []


def test_words_are_completed_of_what_is_wanted(annotated: Service) -> None:
    def terms(query: str) -> dict[str, int]:
        items = annotated.read("/inside/3/book/terms-2", query)["items"]
        return {one["value"]: one["total"] for one in items}

    assert terms("q=bird") == {"bird": 2, "birds": 4}
    assert terms("q=bird&motivation=supplementing") == {"bird": 1, "birds": 2}
    assert terms("q=bird&motivation=tagging") == {"bird": 1}
    (term,) = annotated.read("/inside/3/book/terms-2", "q=bird&motivation=tagging")["items"]
    assert term["service"][0]["id"].endswith("?q=bird&motivation=tagging")


def test_pages_of_an_answer_keep_the_motivation(annotated: Service) -> None:
    annotated.add_book("long", BOOK, tuple(remark(0, "word") for _ in range(PAGE_OF_MATCHES + 1)))
    document = annotated.read("/inside/3/long/search-2", "q=word&motivation=commenting")
    assert document["next"]["id"].endswith("?q=word&motivation=commenting&page=2")
