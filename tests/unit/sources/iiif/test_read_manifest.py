"""Manifests of others become objects: nothing that we can show is lost, the rest is named."""

import json
from typing import Any

import pytest

from tests.unit.sources.iiif.iiif_server import manifest3
from tests.unit.sources.iiif.manuscripts import (
    SERVICE,
    canvas2,
    image_service,
    read,
    version2,
)
from vitrine.catalogue.cleaning import clean_item
from vitrine.catalogue.rules import find_faults
from vitrine.iiif.presentation.model import ImageElsewhere, Range, Statement
from vitrine.sources.iiif.read_manifest import (
    ManifestUnusable,
    parse_document,
    read_manifest,
)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1642-05-31T12:00:00", "1642-05-31T12:00:00Z"),
        ("1642-05-31", "1642-05-31T00:00:00Z"),
    ],
)
def test_a_moment_without_a_time_zone_is_taken_for_one_of_utc_and_noted(
    text: str, moment: str
) -> None:
    found = read(version2(navDate=text))
    assert found.item.nav_date == moment
    assert ("navDate", f"{text!r} names no time zone: it is taken for one of UTC") in found.notes


def test_version_2_keeps_what_it_says() -> None:
    document = version2(
        description="A psalter.",
        metadata=[
            {"label": [{"@value": "Datum", "@language": "cs"}], "value": ["1400", 1401]},
            {"label": "Empty", "value": ""},
        ],
        attribution="A library",
        license="https://creativecommons.org/licenses/by/4.0/",
        viewingDirection="right-to-left",
        viewingHint="paged",
        navDate="1400-01-01T00:00:00Z",
        related={"@id": "https://a.example/ms1", "format": "text/html"},
        seeAlso=[{"@id": "https://a.example/ms1.xml", "format": "text/xml"}, "not an address"],
        rendering={"@id": "https://a.example/ms1.pdf", "label": "PDF"},
        thumbnail={"@id": f"{SERVICE}/full/90,/0/default.jpg", "service": {"@id": SERVICE}},
    )
    found = read(document)
    item = found.item
    assert item.identifier == "ms1"
    assert item.label == {"en": ("Psalter",), "cs": ("Zaltár",)}
    assert item.summary == {"none": ("A psalter.",)}
    assert item.metadata == (Statement(label={"cs": ("Datum",)}, value={"none": ("1400", "1401")}),)
    assert item.required_statement == Statement(
        label={"en": ("Attribution",)}, value={"none": ("A library",)}
    )
    assert item.rights == "http://creativecommons.org/licenses/by/4.0/"
    assert (item.viewing_direction, item.behaviour) == ("right-to-left", ("paged",))
    assert item.nav_date == "1400-01-01T00:00:00Z"
    assert [link.address for link in item.homepage] == ["https://a.example/ms1"]
    assert [link.format for link in item.see_also] == ["text/xml"]
    assert item.rendering[0].label == {"none": ("PDF",)}
    assert [canvas.image for canvas in item.canvases] == ["ms1/001r.jp2", "ms1/001v.jp2"]
    assert item.canvases[1].label == {"none": ("001v",)}
    assert item.thumbnail == "ms1/001r.jp2"
    assert found.images["ms1/001r.jp2"].address == SERVICE
    assert found.notes == [
        ("metadata", "'Empty' has no value: it is left out"),
        ("seeAlso", "'not an address' is no web address: it is left out"),
    ]


def test_the_flat_ranges_of_version_2_become_a_table_of_contents() -> None:
    name = "https://a.example/range/{}".format
    page = "https://a.example/canvas/{}".format
    document = version2(
        structures=[
            {"@id": name(0), "viewingHint": "top", "label": "All", "ranges": [name(1), name(2)]},
            {"@id": name(1), "label": "One", "canvases": [page("001r") + "#xywh=1,2,3,4"]},
            {"@id": name(2), "label": "Two", "members": [{"@id": name(3)}, {"@id": page("001v")}]},
            {"@id": name(3), "label": "Inner", "canvases": [page("001v"), page("unknown")]},
            {"@id": name(4), "label": "Empty", "canvases": [page("unknown")], "ranges": [name(4)]},
        ]
    )
    inner = Range(label={"none": ("Inner",)}, canvases=(1,))
    assert read(document).item.ranges == (
        Range(label={"none": ("One",)}, canvases=(0,)),
        Range(label={"none": ("Two",)}, canvases=(1,), ranges=(inner,)),
    )


def test_ranges_in_each_other_end() -> None:
    ranges = [{"@id": str(n), "label": str(n), "ranges": [str(n + 1)]} for n in range(5_000)]
    circle = [{"@id": "a", "ranges": ["b"]}, {"@id": "b", "ranges": ["a"], "canvases": []}]
    assert read(version2(structures=circle)).item.ranges == ()
    with pytest.raises(ManifestUnusable, match="in each other too deeply"):
        read(version2(structures=ranges))


def test_version_3_keeps_providers_and_ranges() -> None:
    document = manifest3("/iiif/b1/manifest", "/iiif/3/one", "/iiif/3/two")
    second = document["items"][1]["id"]
    document |= {
        "behavior": ["paged", "no-nav"],
        "provider": [
            {
                "id": "https://a.example/",
                "type": "Agent",
                "label": {"en": ["A library"]},
                "homepage": [{"id": "https://a.example/", "type": "Text"}],
                "logo": [{"id": "https://a.example/logo.png", "type": "Image"}],
            }
        ],
        "structures": [
            {
                "type": "Range",
                "label": {"en": ["Plate"]},
                "items": [
                    {"type": "SpecificResource", "source": {"id": f"{second}#xywh=0,0,1,1"}},
                    {"type": "Range", "items": [{"id": second, "type": "Canvas"}]},
                ],
            }
        ],
    }
    document = json.loads(json.dumps(document).replace("SERVER", "https://a.example"))
    document["items"][0]["summary"] = {"en": ["A woman reads a letter."]}
    found = read(document)
    assert found.item.provider[0].logo == "https://a.example/logo.png"
    assert found.item.ranges[0].canvases == (1,)
    assert found.item.ranges[0].ranges[0].canvases == (1,)
    assert found.item.canvases[0].alt_text == {"en": ("A woman reads a letter.",)}
    assert found.notes == [("behavior", "'no-nav' is left out")]


@pytest.mark.parametrize(
    ("resource", "sentence"),
    [
        (
            {"@type": "oa:Choice", "default": {"@id": "https://a.example/1.jpg"}, "item": [{}]},
            "offers 2 images to choose from",
        ),
        ({"@id": "https://a.example/1.jpg"}, "does not say that it is one"),
        (
            {"@id": "https://a.example/1.jpg", "@type": "dctypes:Image", "height": "six"},
            "has a size that is no number",
        ),
        (
            {
                "@type": "oa:SpecificResource",
                "full": {"@id": "https://a.example/1.jpg", "@type": "dctypes:Image"},
                "selector": {"region": "1,1,1,1"},
            },
            "shows a part of its image",
        ),
    ],
)
def test_what_is_shown_otherwise_is_named(resource: dict[str, Any], sentence: str) -> None:
    document = version2(sequences=[{"canvases": [canvas2("x", **resource)]}])
    assert any(sentence in said for _, said in read(document).notes)


def test_rights_that_are_no_uri_become_a_line_of_metadata() -> None:
    found = read(version2(license="https://a.example/terms.html"))
    assert found.item.rights == ""
    assert found.item.metadata[-1].value == {"none": ("https://a.example/terms.html",)}
    assert "is shown as a line of metadata" in found.notes[-1][1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"@id": ""}, "it has no id"),
        ({"@type": "sc:Collection"}, "it is no manifest: 'Collection' is its type"),
        ({"sequences": []}, "it has no canvases"),
        ({"sequences": [{"canvases": [{"@id": "x"}]}]}, "page 1: it has no image"),
        ({"sequences": [{"canvases": [7, "x", None]}]}, "it has no canvases"),
        (
            {"sequences": [{"canvases": [canvas2("x", **{"@type": "dctypes:Sound"})]}]},
            "it has sound, which this service does not show",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(
    change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ManifestUnusable, match=sentence):
        read(version2(**change))


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"text"', b"[" * 100_000, b"\xff\xfe"])
def test_what_is_no_document_is_refused_with_a_reason(body: bytes) -> None:
    with pytest.raises(ManifestUnusable, match="it is"):
        parse_document(body)


def test_unexpected_forms_of_any_property_stop_nothing() -> None:
    for name in ("label", "metadata", "thumbnail", "structures", "service", "seeAlso", "license"):
        for odd in (7, "x", [], {}, [[]], [{"label": 3}], {"@value": {}}, None, True, [None]):
            read(version2(**{name: odd}))


def test_a_property_of_another_version_stops_nothing() -> None:
    document = manifest3("/iiif/b1/manifest", "/iiif/3/one")
    document["sequences"] = [{"@type": "sc:Sequence"}, {}]
    document = json.loads(json.dumps(document).replace("SERVER", "https://a.example"))
    assert len(read(document).item.canvases) == 1


def test_a_thumbnail_is_of_the_image_it_names_and_not_of_one_whose_name_it_begins_with() -> None:
    service = "https://a.example/iiif/2/ms1_{}".format
    document = version2()
    document["sequences"][0]["canvases"] = [
        canvas2(str(page), **{"@type": "dctypes:Image", "service": image_service(service(page))})
        for page in (1, 10)
    ]
    for address in (f"{service(10)}/", f"{service(10)}/full/90,/0/default.jpg"):
        assert read(document | {"thumbnail": {"@id": address}}).item.thumbnail == "ms1_10"


def test_images_may_stay_where_they_are() -> None:
    document = version2()
    for page in document["sequences"][0]["canvases"]:
        page |= {"width": 3_000, "height": 2_000}
    found = read_manifest(parse_document(json.dumps(document).encode()), refers=True)
    assert list(find_faults(clean_item(found.item))) == []
    first = found.item.canvases[0]
    assert first.image == ""
    assert first.elsewhere == ImageElsewhere(
        address=f"{SERVICE}/full/full/0/default.jpg",
        width=3_000,
        height=2_000,
        service=SERVICE,
        version=2,
        profile="http://iiif.io/api/image/2/level2.json",
    )


def test_an_image_of_unknown_size_cannot_stay_where_it_is() -> None:
    with pytest.raises(ManifestUnusable, match="nothing says how large its image is"):
        read_manifest(parse_document(json.dumps(version2()).encode()), refers=True)
