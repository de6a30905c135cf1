"""Comments, tags and others are read; each that cannot be is named, and all others are read."""

import math
from typing import Any

import pytest

from tests.unit.text.annotations.annotation_bench import (
    HERE,
    TWO,
    comment,
    read,
    read_one,
    refusal,
)
from vitrine.iiif.presentation.remarks import AnnotationBody
from vitrine.text.annotations import read_annotations as limits
from vitrine.text.annotations.words import write_words


def test_a_comment_is_read_with_who_wrote_it_and_when() -> None:
    remark = read_one(
        comment(
            creator={"id": "https://a.example/me", "name": "Ada"},
            created="2026-01-01T00:00:00Z",
            modified="2026-02-01T12:30:00.5+01:00",
            motivation=["oa:commenting", "http://www.w3.org/ns/oa#tagging", "commenting"],
        )
    )
    assert remark.motivations == ("commenting", "tagging")
    assert (remark.creator, remark.created, remark.modified) == (
        "Ada",
        "2026-01-01T00:00:00Z",
        "2026-02-01T12:30:00.5+01:00",
    )
    assert remark.bodies == (AnnotationBody(value="a comment", format="text/plain"),)


def test_several_bodies_tags_and_links_are_read() -> None:
    bodies = [
        {"type": "TextualBody", "value": "seal", "purpose": "tagging"},
        {
            "type": "SpecificResource",
            "id": "https://a.example/body/1",
            "source": "https://vocabulary.example/seal",
        },
        {"id": "https://a.example/x.jpg", "type": "Image", "format": "image/jpeg"},
        "https://a.example/page",
    ]
    remark = read_one(comment(body=bodies, bodyValue="and more", motivation="linking"))
    assert [(body.type, body.value) for body in remark.bodies] == [
        ("TextualBody", "seal"),
        ("Text", "https://vocabulary.example/seal"),
        ("Image", "https://a.example/x.jpg"),
        ("Text", "https://a.example/page"),
        ("TextualBody", "and more"),
    ]
    words = [[word.text for word in line.words] for line in write_words(remark).lines]
    assert words == [["seal"], ["and", "more"]]


@pytest.mark.parametrize(
    "target",
    [
        f"{HERE}#xywh=10,20,50,30",
        f"{HERE}#xywh=pixel:10,20,50,30",
        f"{HERE}#xywh=percent:1,1,5,1.5",
        "#xywh=10,20,50,30",
        "/presentation/2/a%20book/canvas/1#xywh=10,20,50,30",
        {"id": f"{HERE}#xywh=10,20,50,30", "type": "Canvas"},
        {"source": HERE, "selector": {"type": "FragmentSelector", "value": "xywh=10,20,50,30"}},
        {
            "source": {"id": HERE, "type": "Canvas"},
            "selector": [
                {"type": "SvgSelector", "value": "<svg><path d='M0,0'/></svg>"},
                {"type": "FragmentSelector", "value": "xywh=10,20,50,30"},
            ],
        },
        {
            "source": HERE,
            "selector": {
                "type": "Choice",
                "items": [{"type": "FragmentSelector", "value": "xywh=10,20,50,30"}],
            },
        },
    ],
)
def test_a_rectangle_is_read_in_every_spelling(target: Any) -> None:
    assert read_one(comment(target=target)).boxes == ((10, 20, 50, 30),)


def test_a_rectangle_is_cut_at_the_edges_of_the_page() -> None:
    remark = read_one(comment(target=[f"{HERE}#xywh=-10,1990,50,30", f"{HERE}#xywh=5,5,0,0"]))
    assert remark.boxes == ((0, 1990, 40, 10), (5, 5, 1, 1))


def test_a_point_and_an_outline_are_read() -> None:
    point = {"source": HERE, "selector": {"type": "PointSelector", "x": 7.5, "y": 9}}
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script>'
        '<path d="M1,2 L3,4Z" style="fill:url(https://a.example)" id="p"/></svg>'
    )
    outline = {"source": HERE, "selector": {"type": "SvgSelector", "value": svg}}
    places = read_one(comment(target=[point, outline])).places
    assert (places[0].box, places[0].is_point) == ((7, 9, 1, 1), True)
    assert places[1].shape == (
        '<svg xmlns="http://www.w3.org/2000/svg"><path d="M1,2 L3,4Z"/></svg>'
    )


@pytest.mark.parametrize("target", [HERE, None, "", {"source": HERE}])
def test_a_target_without_a_part_is_the_whole_page(target: Any) -> None:
    assert read_one(comment(target=target)).boxes == ()


def test_a_file_of_several_pages_is_divided_by_its_targets() -> None:
    second = HERE.replace("canvas/1", "canvas/2")
    found = read(comment("one"), comment("two", second), comment("three", second), pages=TWO).pages
    values = {
        number: [body.value for remark in remarks for body in remark.bodies]
        for number, remarks in found.items()
    }
    assert values == {1: ["one"], 2: ["two", "three"]}


def test_texts_of_the_page_are_left_to_those_who_read_texts() -> None:
    found = read(comment(motivation="supplementing"), comment(motivation=None), comment())
    assert (found.texts, len(found.pages[1]), found.refused) == (2, 1, [])


def point(x: Any) -> dict[str, Any]:
    """A target."""
    return {"source": HERE, "selector": {"type": "PointSelector", "x": x, "y": 1}}


HOSTILE = "<b><i><small><sub>" * 60 + "<p>x" * 2_000
"""HTML of 9,080 characters; each paragraph begins all elements again."""
OTHER = "https://other.example/iiif/canvas/9"


@pytest.mark.parametrize(
    ("annotation", "code"),
    [
        (comment(target=OTHER), "canvas"),
        (comment(target=HERE.replace("canvas/1", "canvas/2")), "canvas"),
        (comment(target=HERE.replace("a%20book", "b")), "canvas"),
        (comment(target=7), "target"),
        (comment(target={"selector": {}}), "target"),
        (comment(target=[HERE] * 21), "targets"),
        (comment(target=f"{HERE}#t=1,2"), "region"),
        (comment(target=f"{HERE}#xywh=1,2,3"), "region"),
        (comment(target=f"{HERE}#xywh=1.2.3,2,3,4"), "region"),
        (comment(target=f"{HERE}#xywh=1000,0,5,5"), "outside"),
        (comment(target={"source": HERE, "selector": {"type": "XPathSelector"}}), "selector"),
        (comment(target={"source": HERE, "selector": 3}), "selector"),
        (comment(target={"source": HERE, "selector": {"type": "PointSelector"}}), "selector"),
        (comment(target=point(10**400)), "region"),
        (comment(target=point(math.nan)), "region"),
        (comment(target=point(None)), "region"),
        (
            comment(target={"source": HERE, "selector": {"type": "SvgSelector", "value": "<p/>"}}),
            "outline",
        ),
        (comment(body=7), "body"),
        (comment(body={"type": "Choice"}), "body"),
        (comment(body={"value": 7}), "body"),
        (comment(body=["https://a.example"] * 21), "bodies"),
        (comment(body="javascript:alert(1)"), "address"),
        (comment(body={"value": "x", "format": "text/markdown"}), "format"),
        (comment("x " * 5_001), "length"),
        (comment("x" * 1_001), "word"),
        (comment(motivation=["a"] * 11), "motivation"),
        (comment(motivation="two words"), "motivation"),
        (comment(motivation="x" * 201), "motivation"),
        (comment(motivation="<b>"), "motivation"),
        (comment(motivation="javascript:alert(1)"), "motivation"),
        (comment(motivation="oa:"), "motivation"),
        (comment(motivation="painting"), "motivation"),
        (comment(motivation=["commenting", "sc:painting"]), "motivation"),
        (comment(body={"value": "a", "purpose": "<b>"}), "purpose"),
        (comment(creator=7), "creator"),
        (comment(creator={"id": "javascript:alert(1)"}), "creator"),
        (comment(body={"value": HOSTILE, "format": "text/html"}), "length"),
        (comment(body={"value": "<b>" * 300 + "x", "format": "text/html"}), "depth"),
    ],
)
def test_what_cannot_be_read_is_named_and_the_rest_is_read(
    annotation: dict[str, Any], code: str
) -> None:
    found = read(annotation, comment("the rest"))
    ((place, refused),) = found.refused
    assert (place, refused.code) == (1, code)
    assert len(found.pages[1]) == 1


def test_a_page_that_is_not_ours_is_named() -> None:
    assert refusal(comment(target=f"{OTHER}#xywh=1,1,1,1"))[1] == (
        f"its target '{OTHER}' is neither a canvas that the file is for nor the image of one: "
        "/presentation/3/a book/canvas/ with 1"
    )
    assert "names no canvas" in refusal(comment(target="#xywh=1,1,1,1"), TWO)[1]
    targets = [HERE, HERE.replace("canvas/1", "canvas/2")]
    assert "several canvases" in refusal(comment(target=targets), TWO)[1]


def test_more_than_a_page_may_have_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ANNOTATIONS", 2)
    found = read(*[comment()] * 3)
    assert [(place, refused.code) for place, refused in found.refused] == [(3, "annotations")]
    monkeypatch.setattr(limits, "MAX_CHARACTERS", 10)
    found = read(comment("12345678"), comment("123"), comment("12"))
    assert [(place, refused.code) for place, refused in found.refused] == [(2, "characters")]


@pytest.mark.parametrize(
    "motivation",
    [
        "sc:supplementing",
        "http://www.w3.org/ns/oa#transcribing",
        "http://iiif.io/api/presentation/2#supplementing",
        ["commenting", "oa:transcribing"],
    ],
)
def test_texts_of_the_page_are_known_by_every_spelling(motivation: Any) -> None:
    found = read(comment(motivation=motivation))
    assert (found.texts, dict(found.pages), found.refused) == (1, {}, [])


def test_purposes_of_bodies_stand_in_for_a_motivation() -> None:
    bodies = [{"value": "a", "purpose": "oa:tagging"}, {"value": "b", "purpose": "commenting"}]
    annotation = comment(body=bodies)
    del annotation["motivation"]
    assert read_one(annotation).motivations == ("tagging", "commenting")
    assert read(annotation | {"body": {"value": "a", "purpose": "transcribing"}}).texts == 1


def test_the_places_of_an_annotation_are_kept_once() -> None:
    targets = [f"{HERE}#xywh={number},1,1,1" for number in range(20)]
    (line,) = write_words(read_one(comment("a long comment", targets))).lines
    assert [len(word.boxes) for word in line.words] == [20, 0, 0]
