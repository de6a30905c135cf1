"""Of what a manifest of others says, each field is kept or a note names it."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.iiif.compared_manifests import compare
from tests.unit.sources.iiif.manuscripts import canvas2, read, version2
from vitrine.iiif.presentation.model import CanvasPart, Range
from vitrine.sources.iiif.read_manifest import (
    ManifestUnusable,
    parse_document,
    read_manifest,
)

FOLDER = Path(os.environ.get("IIIF_FIXTURES", "none"))
IN_COPYRIGHT = "http://rightsstatements.org/vocab/InC/1.0/"
LINK = [{"id": "https://a.example/more", "type": "Text", "label": {"en": ["More"]}}]
SAID: dict[str, Any] = {
    "summary": {"en": ["<Nachlass Weber>"]},
    "metadata": [{"label": {"en": ["Place"]}, "value": {"en": ["A >> B"]}}],
    "requiredStatement": {"label": {"en": ["Owner"]}, "value": {"en": ["Library A"]}},
    "rights": IN_COPYRIGHT,
    "navDate": "1642-01-01T00:00:00Z",
    "provider": [{"id": "https://a.example/", "type": "Agent", "label": {"en": ["Library A"]}}],
    "homepage": LINK,
    "seeAlso": LINK,
    "rendering": LINK,
}
"""Properties that version 3 has for every resource."""
NAMED: dict[str, Any] = {
    "navPlace": {"id": "https://a.example/place", "type": "FeatureCollection"},
    "accompanyingCanvas": {"id": "https://a.example/sound", "type": "Canvas"},
    "partOf": [{"id": "https://a.example/all", "type": "Collection"}],
    "madeUp": "a word",
}
"""Properties that we have no place for."""


def canvas3(name: str, *, target: Any = None, **more: Any) -> dict[str, Any]:
    address = f"https://a.example/canvas/{name}"
    body = {"id": f"https://a.example/{name}.jpg", "type": "Image", "width": 300, "height": 200}
    painting = {"motivation": "painting", "body": body, "target": target or address}
    items = [{"type": "AnnotationPage", "items": [painting]}]
    size = {"width": 300, "height": 200}
    return {
        "id": address,
        "type": "Canvas",
        "label": {"en": [name]},
        **size,
        "items": items,
        **more,
    }


def version3(*canvases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": "https://a.example/iiif/b1/manifest",
        "type": "Manifest",
        "label": {"en": ["<Ohne Titel>"]},
        "items": list(canvases),
        **more,
    }


def full_version3() -> dict[str, Any]:
    placeholder = canvas3("wait")
    first = canvas3("one", **SAID, **NAMED, placeholderCanvas=placeholder, behavior=["non-paged"])
    first["thumbnail"] = [{"id": "https://a.example/small one.jpg", "type": "Image"}]
    second = canvas3("two")
    contents = {
        "id": "https://a.example/range/1",
        "type": "Range",
        "label": {"en": ["Part"]},
        **SAID,
        **NAMED,
        "items": [
            {"id": first["id"], "type": "Canvas"},
            {"id": f"{second['id']}#xywh=0,0,150,100", "type": "Canvas"},
        ],
    }
    start = {"id": second["id"], "type": "Canvas"}
    return version3(first, second, **SAID, **NAMED, structures=[contents], start=start)


def full_version2() -> dict[str, Any]:
    said = {
        "description": "A psalter",
        "attribution": ["Library A", "Library B"],
        "license": IN_COPYRIGHT,
        "metadata": [{"label": "Place", "value": "Oxford"}],
        "related": "https://a.example/about it",
        "seeAlso": {"@id": "https://a.example/data", "format": "text/xml"},
        "rendering": {"@id": "https://a.example/book.pdf", "label": "PDF"},
        "logo": "https://a.example/logo.png",
        "within": "https://a.example/all",
    }
    first, second = canvas2("001r") | said, canvas2("001v")
    sequence = {
        "label": "Page order",
        "viewingHint": "paged",
        "viewingDirection": "right-to-left",
        "rendering": {"@id": "https://a.example/sequence.pdf", "label": "All pages"},
        "startCanvas": second["@id"],
        "canvases": [first, second],
    }
    inner = {"@id": "https://a.example/r2", "label": "Inner", "canvases": [second["@id"]], **said}
    page = first["@id"]
    outer = {"@id": "https://a.example/r1", "label": "Outer", "ranges": [inner]}
    outer |= {"canvases": [page, page], "members": [{"@id": page}], "madeUp": "a word"}
    return version2(
        **said, navDate="1642-01-01T00:00:00Z", sequences=[sequence], structures=[outer]
    )


def lost_fields(document: dict[str, Any], *, refers: bool = False) -> list[str]:
    found = read_manifest(parse_document(json.dumps(document).encode()), refers=refers)
    fields = list(compare(document, found))
    assert any(field.fate == "kept" for field in fields)
    return [f"{one.resource}.{one.name}: {one.values}" for one in fields if one.fate == "lost"]


def test_every_field_is_kept_or_named() -> None:
    assert lost_fields(full_version3()) == []
    assert lost_fields(full_version3(), refers=True) == []
    assert lost_fields(full_version2()) == []


def test_what_has_a_place_is_kept_in_it() -> None:
    found = read(full_version3())
    kept = {
        (one.resource, one.name) for one in compare(full_version3(), found) if one.fate == "kept"
    }
    places = [(resource, name) for resource in ("manifest", "canvas", "range") for name in SAID]
    assert [place for place in places if place not in kept] == []
    assert {("canvas", "placeholderCanvas"), ("manifest", "start")} <= kept
    assert found.item.canvases[0].rights == IN_COPYRIGHT
    assert found.item.ranges[0].parts == (
        CanvasPart(canvas=1, left=0, top=0, width=0.5, height=0.5),
    )


def test_a_sequence_adds_to_its_manifest_and_takes_nothing_away() -> None:
    found = read(full_version2())
    item = found.item
    assert item.label["en"] == ("Psalter",)
    assert item.rights == item.canvases[0].rights == IN_COPYRIGHT
    assert (item.viewing_direction, item.behaviour, item.start) == ("right-to-left", ("paged",), 1)
    names = ["book.pdf", "sequence.pdf"]
    assert [one.address.rpartition("/")[2] for one in item.rendering] == names
    assert item.homepage[0].address == "https://a.example/about%20it"
    outer = item.ranges[0]
    assert outer.canvases == (0,)
    assert [(one.label, one.canvases) for one in outer.ranges] == [({"none": ("Inner",)}, (1,))]


@pytest.mark.parametrize("fragment", ["xywh=0,0,300,200", "xywh=percent:0,0,100,100"])
def test_a_fragment_that_is_the_whole_page_is_no_part_of_it(fragment: str) -> None:
    address = "https://a.example/canvas/one"
    selector = {"type": "FragmentSelector", "value": fragment}
    for target in (
        f"{address}#{fragment}",
        {"type": "SpecificResource", "source": address, "selector": selector},
    ):
        document = version3(canvas3("one", target=target), rights=IN_COPYRIGHT)
        assert read(document).notes == []
    part = version3(canvas3("one", target=f"{address}#xywh=0,0,9,9"))
    assert any("covers a part of it" in said for _, said in read(part).notes)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"selector": {"type": "ImageApiSelector", "rotation": "90"}}, "turns its image by 90"),
        ({"selector": {"region": "1,1,2,2"}}, "shows a part of its image (1,1,2,2)"),
        ({"styleClass": "turned"}, "by the style 'turned'"),
    ],
)
def test_a_page_that_is_turned_or_cut_is_named(more: dict[str, Any], sentence: str) -> None:
    page = canvas3("one")
    painting = page["items"][0]["items"][0]
    painting["body"] = {"type": "SpecificResource", "source": painting["body"], **more}
    painting["stylesheet"] = ".turned { transform: rotate(90deg) }"
    said = [said for _, said in read(version3(page)).notes]
    assert any(sentence in one for one in said)
    assert any("stylesheet of its image" in one for one in said)


def test_addresses_with_blanks_are_encoded_as_browsers_do() -> None:
    page = canvas3("one")
    page["items"][0]["items"][0]["body"]["id"] = "https://a.example/MS 1/fol {1}.jpg"
    found = read(version3(page))
    assert [one.address for one in found.images.values()] == [
        "https://a.example/MS%201/fol%20%7B1%7D.jpg"
    ]
    assert found.item.canvases[0].image == "MS 1/fol {1}.jpg"


def test_a_range_without_a_page_that_is_shown_is_named() -> None:
    gone = {"type": "Range", "label": {"en": ["Gone"]}, "items": [{"id": "x", "type": "Canvas"}]}
    found = read(version3(canvas3("one"), structures=[gone]))
    assert found.item.ranges == ()
    assert ("range", "'Gone': items: none of its pages is shown: it is left out") in found.notes


@pytest.mark.skipif(
    not FOLDER.is_dir(), reason="NOT TESTED: IIIF_FIXTURES names no folder of others' manifests"
)
@pytest.mark.parametrize("refers", [False, True])
def test_every_field_of_others_manifests_is_kept_or_named(refers: bool) -> None:
    counts: Counter[str] = Counter()
    lost: list[str] = []
    for path in sorted(FOLDER.rglob("*.json")):
        body = path.read_bytes()
        try:
            found = read_manifest(parse_document(body), refers=refers)
        except ManifestUnusable:
            continue
        counts["manifests"] += 1
        for field in compare(json.loads(body), found):
            counts[field.fate] += 1
            if field.fate == "lost":
                lost.append(f"{path.name}: {field.resource}.{field.name} {field.values}")
    print("", *(f"  {count:6} {what}" for what, count in counts.items()), sep="\n")
    assert lost == []
    assert counts["kept"]


def test_ranges_have_their_whole_pages_once() -> None:
    page = canvas3("one")
    items = [{"id": page["id"], "type": "Canvas"}, {"id": f"{page['id']}#xywh=0,0,9,9"}] * 2
    found = read(version3(page, structures=[{"label": {"en": ["A"]}, "items": items}]))
    assert found.item.ranges == (Range(label={"en": ("A",)}, canvases=(0,)),)
