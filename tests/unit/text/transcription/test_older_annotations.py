"""Lists of Presentation 2 say what W3C annotations say: texts as texts, comments as comments."""

import io
import json
from typing import Any

import pytest

from tests.unit.text.annotations.annotation_bench import HERE, read_bytes
from tests.unit.text.transcription.text_bench import CANVAS as TEXT_CANVAS
from vitrine.iiif.presentation.remark_documents import build_remark_list
from vitrine.iiif.presentation.remarks import AnnotationBody, CanvasPlace, Remark
from vitrine.text.transcription.read_text import read_text

PART = f"{HERE}#xywh=10,20,50,30"


def older(**changes: Any) -> dict[str, Any]:
    """A comment of Open Annotation."""
    resource = {"@type": "dctypes:Text", "format": "text/html", "chars": "<p>something</p>"}
    return {
        "@id": "d2eda2e2-951a",
        "@type": "oa:Annotation",
        "motivation": ["oa:commenting"],
        "resource": [resource],
        "on": PART,
    } | changes


def read_list(*resources: Any) -> Remark:
    """The one annotation of a list."""
    document = {"@type": "sc:AnnotationList", "resources": resources}
    found = read_bytes(json.dumps(document).encode())
    assert (found.refused, found.notes) == ([], [])
    (remark,) = found.pages[1]
    return remark


def test_a_comment_is_read_with_its_place_its_writer_and_its_moment() -> None:
    by = {"@type": "foaf:Person", "name": "Ada"}
    remark = read_list(older(annotatedBy=by, annotatedAt="2015-03-01T10:00:00Z"))
    assert (remark.motivations, remark.creator) == (("commenting",), "Ada")
    assert (remark.created, remark.boxes) == ("2015-03-01T10:00:00Z", ((10, 20, 50, 30),))
    assert (remark.bodies[0].value, remark.bodies[0].plain) == ("<p>something</p>", "something")
    assert remark.own_name == read_list(older(motivation="oa:tagging")).own_name != ""


def test_what_mirador_2_writes_is_read() -> None:
    """A choice of a rectangle and an outline, with all that its drawing programme needs."""
    svg = (
        '<svg xmlns=\'http://www.w3.org/2000/svg\'><path d="M10,20l50,0l0,30z" stroke-width="3" '
        'data-paper-data="{&quot;rotation&quot;:0}" style="mix-blend-mode: normal"/></svg>'
    )
    on = {
        "@type": "oa:SpecificResource",
        "full": HERE,
        "selector": {
            "@type": "oa:Choice",
            "default": {"@type": "oa:FragmentSelector", "value": "xywh=10,20,50,30"},
            "item": {"@type": "oa:SvgSelector", "value": svg},
        },
        "within": {"@id": "https://museum.example/manifest.json", "@type": "sc:Manifest"},
    }
    for target in (on, [on]):
        remark = read_list(older(on=target))
        assert remark.places == (
            CanvasPlace(
                box=(10, 20, 50, 30),
                shape='<svg xmlns="http://www.w3.org/2000/svg"><path d="M10,20l50,0l0,30z"/></svg>',
            ),
        )


def test_tags_links_and_choices_are_bodies() -> None:
    tag = {"@type": ["oa:Tag", "cnt:ContentAsText"], "chars": "seal", "language": "en"}
    picture = {"@id": "https://a.example/1.jpg", "@type": "dctypes:Image", "format": "image/jpeg"}
    film = {"@id": "https://a.example/1.mp4", "@type": "dctypes:MovingImage"}
    choice = {"@type": "oa:Choice", "default": film, "item": ["rdf:nil", "https://a.example/"]}
    whole = {"@type": "oa:SpecificResource", "full": picture}
    remark = read_list(older(resource=[tag, whole, choice]))
    assert remark.bodies == (
        AnnotationBody(value="seal", format="text/plain", language="en", purpose="tagging"),
        AnnotationBody(value="https://a.example/1.jpg", type="Image", format="image/jpeg"),
        AnnotationBody(value="https://a.example/1.mp4", type="Video"),
        AnnotationBody(value="https://a.example/", type="Text"),
    )


def test_a_text_that_is_painted_is_the_text_of_the_page() -> None:
    resource = {"@type": "cnt:ContentAsText", "chars": "Top of first page"}
    painted = older(motivation="sc:painting", resource=resource)
    document = json.dumps({"@type": "sc:AnnotationList", "resources": [painted, older()]})
    found = read_bytes(document.encode())
    assert (found.texts, len(found.pages[1]), found.refused) == (1, 1, [])
    page = read_page(document)
    assert page == ["Top", "of", "first", "page"]


def read_page(document: str) -> list[str]:
    """The words of the text of a page."""
    page = read_text("1.json", io.BytesIO(document.encode()), TEXT_CANVAS)
    return [word.text for line in page.lines for word in line.words]


def test_what_is_published_in_version_2_is_read_as_it_was() -> None:
    remark = Remark(
        motivations=("commenting", "tagging"),
        bodies=(
            AnnotationBody(value="a seal", format="text/plain", language="en", purpose="tagging"),
        ),
        places=(CanvasPlace(box=(10, 20, 50, 30)), CanvasPlace(box=(1, 2, 3, 4))),
    )
    document = build_remark_list("a book", 1, {"x": remark}, "https://museum.example")
    (found,) = read_bytes(json.dumps(document).encode()).pages[1]
    assert (found.motivations, found.bodies, found.places) == (
        remark.motivations,
        remark.bodies,
        remark.places,
    )


@pytest.mark.parametrize(
    ("annotation", "code"),
    [
        (older(on="https://other.example/canvas/1"), "canvas"),
        (older(on={"@type": "sc:Canvas"}), "target"),
        (older(on={"full": HERE, "selector": {"@type": "iiif:ImageApiSelector"}}), "selector"),
        (older(resource={"@type": "dctypes:Image"}), "body"),
        (older(motivation="sc:painting", resource="https://a.example/1.jpg"), "motivation"),
    ],
)
def test_what_cannot_be_read_is_named(annotation: dict[str, Any], code: str) -> None:
    document = {"@type": "sc:AnnotationList", "resources": [annotation, older()]}
    found = read_bytes(json.dumps(document).encode())
    assert [(place, refused.code) for place, refused in found.refused] == [(1, code)]
    assert len(found.pages[1]) == 1


def test_a_file_of_one_annotation_and_an_empty_list_are_read() -> None:
    assert len(read_bytes(json.dumps(older()).encode()).pages[1]) == 1
    assert dict(read_bytes(b'{"@type": "sc:AnnotationList", "resources": []}').pages) == {}
