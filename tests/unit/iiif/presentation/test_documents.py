"""Manifests and collections of both versions, judged by others' validators."""

import json
from typing import Any

import msgspec
import pytest

from tests.unit.iiif.presentation.judges import (
    Json,
    Judge,
    judge_by_prezi3,
    judge_by_schema,
    judge_by_tripoli,
)
from tests.unit.iiif.presentation.made_objects import make_collections, make_images, make_objects
from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.model import Canvas, ImageElsewhere, PublishedObject, Range
from vitrine.iiif.presentation.paging import MEMBERS, pages_of, part_of

pytestmark = pytest.mark.slow

BASE = "https://images.example.org"
IMAGES = make_images()
OBJECTS, COLLECTIONS, SEED = 200, 50, 19


def _documents(version: Any) -> list[Json]:
    return [
        *(version.build_manifest(item, IMAGES, BASE) for item in make_objects(OBJECTS, SEED)),
        *(version.build_collection(one, IMAGES, BASE) for one in make_collections(COLLECTIONS, 1)),
        *_long_collection(version),
    ]


def _long_collection(version: Any) -> list[Json]:
    """A collection of two pages, and these."""
    (some,) = make_collections(1, 2)
    members = (some.members * MEMBERS)[: MEMBERS + 1]
    whole = msgspec.structs.replace(some, members=members)
    pages = list(pages_of(len(members)))
    assert len(pages) == 2
    return [
        version.build_collection(whole, IMAGES, BASE),
        *(version.build_page(part_of(whole, page), page, IMAGES, BASE) for page in pages),
    ]


@pytest.mark.parametrize("judge", [judge_by_schema, judge_by_prezi3], ids=["schema", "prezi3"])
def test_every_document_of_version_3_is_valid(judge: Judge) -> None:
    assert [faults for faults in judge(_documents(version3)) if faults] == []


def test_every_manifest_of_version_2_is_valid() -> None:
    assert [faults for faults in judge_by_tripoli(_documents(version2)) if faults] == []


@pytest.mark.parametrize(
    ("judge", "version"),
    [(judge_by_schema, version3), (judge_by_prezi3, version3), (judge_by_tripoli, version2)],
    ids=["schema", "prezi3", "tripoli"],
)
def test_a_validator_notices_what_is_wrong(judge: Judge, version: Any) -> None:
    document = version.build_manifest(make_objects(1, SEED)[0], IMAGES, BASE)
    del document["label"]
    (faults,) = judge([document])
    assert faults


def test_each_page_is_painted_with_its_image_and_both_its_services() -> None:
    item = PublishedObject(
        identifier="book", label={"none": ("book",)}, canvases=(Canvas(image="night watch"),)
    )
    (canvas,) = version3.build_manifest(item, IMAGES, BASE)["items"]
    (painting,) = canvas["items"][0]["items"]
    body = painting["body"]
    assert painting["target"] == canvas["id"]
    assert (canvas["width"], canvas["height"]) == (1, 1)
    assert body["id"] == f"{BASE}/iiif/3/night%20watch/full/max/0/default.jpg"
    three, two = body["service"]
    assert three == {
        "id": f"{BASE}/iiif/3/night%20watch",
        "type": "ImageService3",
        "profile": "level2",
    }
    assert two["@id"] == f"{BASE}/iiif/2/night%20watch"


def test_an_image_beyond_the_limits_is_offered_as_large_as_it_is_granted() -> None:
    item = PublishedObject(
        identifier="x",
        label={"none": ("x",)},
        canvases=(Canvas(image="ark:/12148/btv1b é"),),
    )
    for version in (version2, version3):
        document = json.dumps(version.build_manifest(item, IMAGES, BASE))
        assert "60000" in document
    (canvas,) = version3.build_manifest(item, IMAGES, BASE)["items"]
    body = canvas["items"][0]["items"][0]["body"]
    assert body["width"] * body["height"] <= 25_000_000
    assert (canvas["width"], canvas["height"]) == (60_000, 40_000)


def test_a_thumbnail_is_a_stored_level() -> None:
    item = PublishedObject(identifier="x", label={"none": ("x",)}, canvases=(Canvas(image="a"),))
    (thumbnail,) = version3.build_manifest(item, IMAGES, BASE)["thumbnail"]
    assert (thumbnail["width"], thumbnail["height"]) == (650, 500)
    assert "/full/650,500/" in thumbnail["id"]


def test_a_table_of_contents_is_nested_in_3_and_flat_below_a_top_in_2() -> None:
    item = PublishedObject(
        identifier="book",
        label={"none": ("book",)},
        canvases=(Canvas(image="a"), Canvas(image="a")),
        ranges=(
            Range(
                label={"en": ("Part",)},
                canvases=(0,),
                ranges=(Range(label={"en": ("Chapter",)}, canvases=(1,)),),
            ),
        ),
    )
    (part,) = version3.build_manifest(item, IMAGES, BASE)["structures"]
    assert [entry["type"] for entry in part["items"]] == ["Canvas", "Range"]
    top, flat, chapter = version2.build_manifest(item, IMAGES, BASE)["structures"]
    assert top["viewingHint"] == "top"
    assert top["ranges"] == [flat["@id"]]
    assert flat["ranges"] == [chapter["@id"]]
    canvases = version2.build_manifest(item, IMAGES, BASE)["sequences"][0]["canvases"]
    assert chapter["canvases"] == [canvases[1]["@id"]]


def test_an_image_that_is_not_known_is_an_error() -> None:
    item = PublishedObject(identifier="x", label={"none": ("x",)}, canvases=(Canvas(image="?"),))
    for version in (version2, version3):
        with pytest.raises(KeyError):
            version.build_manifest(item, IMAGES, BASE)


@pytest.mark.parametrize(
    ("name", "format_"),
    [("1.png", "image/png"), ("1.jpg", "image/jpeg"), ("picture?id=1", "image/jpeg")],
)
def test_an_image_elsewhere_has_the_format_of_its_name_or_is_taken_for_a_jpeg(
    name: str, format_: str
) -> None:
    elsewhere = ImageElsewhere(address=f"https://other.example/{name}", width=6, height=4)
    item = PublishedObject(
        identifier="book", label={"none": ("book",)}, canvases=(Canvas(elsewhere=elsewhere),)
    )
    (canvas,) = version3.build_manifest(item, {}, "https://e.example")["items"]
    assert canvas["items"][0]["items"][0]["body"]["format"] == format_
    (canvas,) = version2.build_manifest(item, {}, "https://e.example")["sequences"][0]["canvases"]
    assert canvas["images"][0]["resource"]["format"] == format_


def test_an_image_elsewhere_keeps_its_own_service() -> None:
    elsewhere = ImageElsewhere(
        address="https://other.example/iiif/1/full/max/0/default.jpg",
        width=600,
        height=400,
        service="https://other.example/iiif/1",
        version=3,
        profile="level1",
    )
    item = PublishedObject(
        identifier="book", label={"none": ("book",)}, canvases=(Canvas(elsewhere=elsewhere),)
    )
    (canvas,) = version3.build_manifest(item, {}, "https://e.example")["items"]
    body = canvas["items"][0]["items"][0]["body"]
    assert (canvas["width"], body["id"], body["format"]) == (600, elsewhere.address, "image/jpeg")
    assert body["service"] == [
        {"id": elsewhere.service, "type": "ImageService3", "profile": "level1"}
    ]
    (sequence,) = version2.build_manifest(item, {}, "https://e.example")["sequences"]
    resource = sequence["canvases"][0]["images"][0]["resource"]
    assert resource["service"]["@id"] == elsewhere.service
    small = "https://other.example/iiif/1/full/200,133/0/default.jpg"
    assert canvas["thumbnail"] == [{"id": small, "type": "Image"}]
    assert sequence["canvases"][0]["thumbnail"] == small


def test_a_canvas_leads_to_the_whole_image_where_max_is_less() -> None:
    names = "100%", "a", "كتاب"  # 30 megapixels, 1.3, and too long for a JPEG
    assert [IMAGES[name].is_downloadable for name in names] == [True, False, False]
    item = PublishedObject(
        identifier="book",
        label={"none": ("book",)},
        canvases=tuple(Canvas(image=name) for name in names),
    )
    first, *others = version3.build_manifest(item, IMAGES, BASE)["items"]
    [link] = first["rendering"]
    assert (link["type"], link["format"]) == ("Image", "image/jpeg")
    assert link["id"] == f"{BASE}/iiif/3/100%25/download.jpg"
    assert link["label"] == {"en": ["The whole image, 7,300 by 4,100 pixels"]}
    assert not any("rendering" in canvas for canvas in others)
    first, *others = version2.build_manifest(item, IMAGES, BASE)["sequences"][0]["canvases"]
    assert first["rendering"] == {
        "@id": link["id"],
        "format": "image/jpeg",
        "label": "The whole image, 7,300 by 4,100 pixels",
    }
    assert not any("rendering" in canvas for canvas in others)


def test_a_measured_object_has_its_physical_size_in_version_2() -> None:
    item = PublishedObject(
        identifier="measured",
        label={"en": ("Measured",)},
        canvases=(Canvas(image="100%", width_mm=730.0), Canvas(image="100%")),
    )
    document = version2.build_manifest(item, IMAGES, BASE)
    first, second = document["sequences"][0]["canvases"]
    assert first["service"] == {
        "@context": "http://iiif.io/api/annex/services/physdim/1/context.json",
        "profile": "http://iiif.io/api/annex/services/physdim",
        "physicalScale": 0.1,
        "physicalUnits": "mm",
    }
    assert "service" not in second
    assert judge_by_tripoli([document]) == [[]]
