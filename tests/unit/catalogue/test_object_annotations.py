"""Comments are published next to the texts of pages, and follow the object as those do."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import brotli
import pytest
from msgspec.structs import replace as replace_remark

from tests.unit.api.search_bench import make_services
from tests.unit.catalogue.object_bench import IMAGES, book
from tests.unit.catalogue.object_text_bench import SIZE, TextBench
from tests.unit.deliver.deliver_records import live
from vitrine.api.content_search import answer
from vitrine.api.http import ApiRequest
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.rules import find_faults
from vitrine.iiif.presentation.model import Canvas
from vitrine.iiif.presentation.remarks import AnnotationBody, CanvasPlace, Remark
from vitrine.iiif.presentation.schema import find_schema_faults
from vitrine.store.layout import remarks_key, text_index_key, text_page_key
from vitrine.store.publications import Withdrawn, decode_page
from vitrine.text.annotations.stored_annotations import encode_remarks
from vitrine.text.transcription.stored_text import CONTENT_TYPE

BASE = "https://images.example.org/presentation"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M1,2"/></svg>'


def remark(text: str = "a seal", *places: CanvasPlace, motivation: str = "commenting") -> Remark:
    """A comment."""
    bodies = (AnnotationBody(value=text, format="text/plain"),)
    return Remark(motivations=(motivation,), bodies=bodies, places=places or (CanvasPlace(),))


class RemarkBench(TextBench):
    """Objects whose pages have texts and comments."""

    def store_remarks(self, *remarks: Remark) -> str:
        """Store annotations; return their name."""
        name, body = encode_remarks(list(remarks), SIZE)
        self.records.put(remarks_key(name), body, content_type=CONTENT_TYPE)
        return name

    def put_first(self, *remarks: Remark, text: str = "ein Brief") -> None:
        """Publish the book with annotations of its first canvas."""
        annotations = self.store_remarks(*remarks) if remarks else ""
        one = Canvas(
            image=IMAGES[0], text=self.store(text) if text else "", annotations=annotations
        )
        others = (Canvas(image=image) for image in IMAGES[1:])
        self.objects.put(book(canvases=(one, *others)))

    def remarks(self, version: int = 3) -> Mapping[str, Any]:
        """The document with the annotations of the first canvas."""
        key = text_page_key("book", self.shown().annotations[0])
        body, _ = self.site.get(key)
        document: dict[str, Any] = json.loads(brotli.decompress(decode_page(body)[version]))
        return document


@pytest.fixture
def bench() -> RemarkBench:
    bench = RemarkBench(*IMAGES)
    bench.put_first(remark("a seal", CanvasPlace(box=(10, 20, 30, 40))))
    return bench


def test_comments_are_no_text_of_a_whole_object(bench: RemarkBench) -> None:
    bench.put_first(remark(), text="")
    assert bench.shown().text_index
    assert [one["format"] for one in bench.document("book")["rendering"]] == ["application/pdf"]


def test_both_manifests_lead_to_text_and_annotations_by_their_labels(bench: RemarkBench) -> None:
    canvas = bench.document("book")["items"][0]
    assert canvas["annotations"] == [
        {"id": f"{BASE}/3/book/text-1.json", "type": "AnnotationPage"},
        {"id": f"{BASE}/3/book/annotations-1.json", "type": "AnnotationPage"},
    ]
    older = bench.document("book", 2)["sequences"][0]["canvases"]
    assert older[0]["otherContent"][1] == {
        "@id": f"{BASE}/2/book/annotations-1.json",
        "@type": "sc:AnnotationList",
        "label": "Annotations",
    }
    assert not any("otherContent" in one for one in older[1:])


def test_annotations_say_what_where_and_by_whom_in_both_versions(bench: RemarkBench) -> None:
    whole = Remark(
        motivations=("commenting", "tagging"),
        bodies=(
            AnnotationBody(value="<p>seal</p>", format="text/html", language="en", plain="seal"),
            AnnotationBody(value="https://a.example/", type="Text"),
        ),
        places=(CanvasPlace(shape=SVG), CanvasPlace(box=(1, 2, 1, 1), is_point=True)),
        creator="Ada",
        created="2026-01-01T00:00:00Z",
    )
    plain = remark("plain", CanvasPlace(box=(10, 20, 30, 40)))
    bench.put_first(whole, replace_remark(plain, creator="https://a.example/ada"))
    page = bench.remarks()
    assert page["label"] == {"en": ["Annotations"]}
    canvas = f"{BASE}/3/book/canvas/1"
    source = {"id": canvas, "type": "Canvas"}
    assert page["id"] == f"{BASE}/3/book/annotations-1.json"
    assert page["items"][0] == {
        "id": page["items"][0]["id"],
        "type": "Annotation",
        "motivation": ["commenting", "tagging"],
        "body": [
            {
                "type": "TextualBody",
                "value": "<p>seal</p>",
                "format": "text/html",
                "language": "en",
            },
            {"id": "https://a.example/", "type": "Text"},
        ],
        "target": [
            {
                "type": "SpecificResource",
                "source": source,
                "selector": {"type": "SvgSelector", "value": SVG},
            },
            {
                "type": "SpecificResource",
                "source": source,
                "selector": {"type": "PointSelector", "x": 1, "y": 2},
            },
        ],
        "creator": {"name": "Ada"},
        "created": "2026-01-01T00:00:00Z",
    }
    assert page["items"][1]["target"] == f"{canvas}#xywh=10,20,30,40"
    assert page["items"][1]["creator"] == "https://a.example/ada"
    older = bench.remarks(2)["resources"]
    assert older[0]["motivation"] == ["oa:commenting", "oa:tagging"]
    assert older[0]["resource"][0]["@type"] == ["oa:Tag", "cnt:ContentAsText"]
    assert older[1]["on"] == f"{BASE}/2/book/canvas/1#xywh=10,20,30,40"


def test_a_search_names_annotations_as_both_documents_do_and_others_before_change_nothing(
    bench: RemarkBench,
) -> None:
    here = replace_remark(remark("a seal"), own_name="0a1b2c3d")
    bench.put_first(here, remark("a seal of wax"))
    before = [one["id"] for one in bench.remarks()["items"]]
    assert before[0] == f"{BASE}/3/book/annotation/1-0a1b2c3d"
    bench.put_first(remark("another seal"), remark("a seal of wax"), here)
    after = [one["id"] for one in bench.remarks()["items"]]
    assert after[1:] == before[::-1]
    services = make_services(bench.site)

    def search(path: str) -> Any:
        headers = {"x-public-base": BASE.removesuffix("/presentation"), "x-request-uri": path}
        request = ApiRequest(method="GET", path="/", query="q=seal", headers=headers, caller="")
        return json.loads(answer(services, request).body)

    assert [one["id"] for one in search("/inside/3/book/search-2")["items"]] == after
    older = [one["@id"] for one in bench.remarks(2)["resources"]]
    assert [one["@id"] for one in search("/inside/2/book/search-1")["resources"]] == older
    assert [name.replace("/2/", "/3/") for name in older] == after


def test_an_object_without_annotations_has_the_index_that_it_had(bench: RemarkBench) -> None:
    bench.put_first()
    assert bench.shown().text_index == "64b67e3a72f7babf"
    body, _ = bench.site.get(text_index_key("book", bench.shown().text_index))
    assert body[:4] == b"VTX2"


def test_a_page_of_annotations_keeps_to_the_schema(bench: RemarkBench) -> None:
    manifest = bench.document("book")
    manifest["items"][0]["annotations"] = [dict(bench.remarks())]
    for name in ("@context", "label"):
        del manifest["items"][0]["annotations"][0][name]
    assert find_schema_faults(manifest) == []


def test_the_same_again_writes_nothing(bench: RemarkBench) -> None:
    before = {key: bench.site.head(key).version for key in bench.keys("")}
    bench.put_first(remark("a seal", CanvasPlace(box=(10, 20, 30, 40))))
    assert {key: bench.site.head(key).version for key in bench.keys("")} == before


def test_a_comment_that_changes_changes_its_document_and_the_index_alone(
    bench: RemarkBench,
) -> None:
    before = bench.shown()
    bench.put_first(remark("another"))
    after = bench.shown()
    assert after.texts == before.texts
    assert after.annotations != before.annotations
    assert after.text_index != before.text_index
    bench.put_first()
    assert bench.shown().annotations == ()
    assert len(bench.document("book")["items"][0]["annotations"]) == 1


def test_an_object_with_comments_alone_can_be_searched(bench: RemarkBench) -> None:
    bench.put_first(remark(), text="")
    shown = bench.shown()
    assert (shown.texts, bool(shown.annotations), bool(shown.text_index)) == ((), True, True)
    assert bench.site.get(text_index_key("book", shown.text_index))[0]
    assert "service" in bench.document("book")


def test_annotations_without_words_are_published_and_not_searched(bench: RemarkBench) -> None:
    bench.put_first(Remark(motivations=("highlighting",)), text="")
    assert bench.shown().text_index == ""
    assert bench.remarks()["items"][0]["target"] == f"{BASE}/3/book/canvas/1"


def test_places_follow_an_image_that_is_replaced_in_another_size(bench: RemarkBench) -> None:
    current = bench.identifiers.get("one")
    assert current
    bench.write(replace(live("one", 1600, 1200), revision=current.revision + 1))
    publish_changed_images(bench.publisher, ["one"])
    assert bench.remarks()["items"][0]["target"].endswith("#xywh=20,40,60,80")


def test_comments_on_an_image_that_not_everybody_sees_are_nowhere(bench: RemarkBench) -> None:
    current = bench.identifiers.get("one")
    assert current
    restricted = replace(live("one", 800, 600), revision=current.revision + 1, access="staff")
    bench.write(restricted)
    publish_changed_images(bench.publisher, ["one"])
    assert (bench.shown().annotations, bench.shown().text_index) == ((), "")
    assert "annotations" not in bench.document("book")["items"][0]


def test_a_renamed_object_takes_them_along_and_a_withdrawn_one_names_none(
    bench: RemarkBench,
) -> None:
    bench.objects.rename("book", "tome")
    assert bool(bench.shown("tome").annotations[0])
    bench.objects.withdraw("tome", "rights")
    assert isinstance(bench.published("tome"), Withdrawn)


def test_a_record_that_names_what_is_not_here_is_published_without_it(bench: RemarkBench) -> None:
    canvas = Canvas(image=IMAGES[0], annotations="0" * 32)
    bench.objects.put(book(canvases=(canvas,)))
    assert bench.shown().text_index == ""
    assert bench.remarks()["items"] == []


def test_an_invalid_name_is_a_fault() -> None:
    canvas = Canvas(image=IMAGES[0], annotations="../x")
    assert list(find_faults(book(canvases=(canvas,)))) == [
        "canvases[0].annotations: it is the name of stored ones, 32 digits of 0 to 9 and a to f."
    ]


def test_names_of_texts_and_of_annotations_are_not_mixed_up(bench: RemarkBench) -> None:
    """A record that gives the one for the other is published without it, now and later."""
    text, annotations = bench.store("ein Brief"), bench.store_remarks(remark())
    canvas = Canvas(image=IMAGES[0], text=annotations, annotations=text)
    bench.objects.put(book(canvases=(canvas,)))
    publish_changed_images(bench.publisher, ["one"])
    assert bench.remarks()["items"] == []
    assert bench.shown().text_index == ""
