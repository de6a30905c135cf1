"""Documents are checked by the official schema, whose known faults are mended by name."""

import json
from typing import Any

import pytest

from scripts.presentation_schema import SCHEMA, read_schema
from tests.unit.iiif.presentation.made_objects import make_collections, make_images, make_objects
from vitrine.catalogue.rules import find_faults
from vitrine.iiif.presentation import version3
from vitrine.iiif.presentation.lexical import as_moment, as_uri
from vitrine.iiif.presentation.model import (
    Canvas,
    ImageElsewhere,
    Link,
    Member,
    ObjectCollection,
    Place,
    PublishedObject,
    Statement,
)
from vitrine.iiif.presentation.schema import MAX_FAULTS, find_schema_faults

BASE, IMAGES = "https://images.example.org", make_images()


def manifest(**changes: Any) -> dict[str, Any]:
    fields = {"label": {"en": ("A book",)}, "canvases": (Canvas(image="a"),), **changes}
    item = PublishedObject(identifier="book", **fields)
    return version3.build_manifest(item, IMAGES, BASE)


def test_the_schema_is_the_one_that_the_locked_package_has() -> None:
    assert json.loads(SCHEMA.read_text()) == json.loads(read_schema())


def test_what_our_builders_make_of_any_record_is_valid() -> None:
    documents = [version3.build_manifest(item, IMAGES, BASE) for item in make_objects(300, 3)]
    documents += [version3.build_collection(one, IMAGES, BASE) for one in make_collections(60, 4)]
    assert [found for document in documents if (found := find_schema_faults(document))] == []


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("label", None, "label"),
        ("label", "A book", "label"),
        ("id", "no address", "id"),
        ("rights", "https://creativecommons.org/licenses/by/4.0/", "rights"),
        ("viewingDirection", "sideways", "viewingDirection"),
        ("behavior", ["scroll"], "behavior/0"),
        ("navDate", "1642", "navDate"),
        ("items", {}, "items"),
        ("unknown", 1, "unknown"),
    ],
)
def test_a_document_that_breaks_it_is_named_by_its_place(
    place: str, value: object, said: str
) -> None:
    document = manifest()
    document[place] = value
    if value is None:
        del document[place]
    faults = find_schema_faults(document)
    assert faults
    assert said in faults[0]
    assert all(len(fault) < 300 for fault in faults), "no sentence repeats the whole document"


def test_a_broken_canvas_is_found_in_the_depth() -> None:
    document = manifest(canvases=(Canvas(image="a"), Canvas(image="a")))
    document["items"][1]["items"][0]["items"][0]["target"] = "nowhere"
    (fault,) = find_schema_faults(document)
    assert fault.startswith("items/1/items/0/items/0/target: ")


def test_of_a_thousand_faults_the_first_are_named() -> None:
    document = manifest(metadata=(Statement(label={"en": ("x",)}, value={"en": ("y",)}),) * 1000)
    for pair in document["metadata"]:
        del pair["value"]
    assert len(find_schema_faults(document)) == MAX_FAULTS


@pytest.mark.parametrize(
    "language", ["es-419", "de-1996", "sl-rozaj-biske-1994", "zh-Hant", "none"]
)
def test_a_language_with_digits_is_one(language: str) -> None:
    """The schema as it is published refuses them; BCP 47 has them."""
    assert find_schema_faults(manifest(label={language: ("A book",)})) == []
    assert find_schema_faults(manifest(label={"en_GB": ("A book",)})) != []


def test_a_record_that_keeps_to_our_rules_and_not_to_the_schema_is_refused_by_its_place() -> None:
    link = Link(address="https://museum.example:port/", label={"en": ("A page",)})
    item = PublishedObject(
        identifier="book", label={"en": ("x",)}, canvases=(Canvas(image="a"),), homepage=(link,)
    )
    (fault,) = find_faults(item)
    assert fault == 'homepage/0/id: it is not a "uri".'
    named = Link(address="https://museum.example/", language="English language")
    sound = {"identifier": "book", "label": {"en": ("x",)}, "canvases": (Canvas(image="a"),)}
    (fault,) = find_faults(PublishedObject(homepage=(named,), **sound))
    assert fault.startswith("homepage/0/language/0: ")
    members = (Member(identifier="a", label={"en": ("A",)}),)
    shelf = ObjectCollection(identifier="s", label={"en": ("S",)}, members=members)
    assert list(find_faults(shelf)) == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://a.example/Zürich", "https://a.example/Z%C3%BCrich"),
        ("https://a.example/?f[]=1&g=[x]", "https://a.example/?f%5B%5D=1&g=%5Bx%5D"),
        ("https://a.example/100%", "https://a.example/100%25"),
        ("https://a.example/%C3%BC?a=b#c#d", "https://a.example/%C3%BC?a=b#c%23d"),
        ("https://[::1]:8080/a", "https://[::1]:8080/a"),
        ("https://müller.example/", "https://m%C3%BCller.example/"),
        ("ark:/1/2", "ark:/1/2"),
    ],
)
def test_an_address_is_written_as_a_uri(address: str, expected: str) -> None:
    assert as_uri(address) == expected
    assert as_uri(expected) == expected
    link = Link(address=address, label={"en": ("There",)})
    if address.startswith("http"):
        elsewhere = ImageElsewhere(
            address=address, width=1, height=1, service=address, version=2, profile="level1"
        )
        document = manifest(homepage=(link,), canvases=(Canvas(elsewhere=elsewhere),))
        assert find_schema_faults(document) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1642-01-01T00:00:00Z", "1642-01-01T00:00:00Z"),
        ("2026-11-23T10:00Z", "2026-11-23T10:00:00Z"),
        ("20261123T100000+0100", "2026-11-23T10:00:00+01:00"),
        ("2026-11-23 10:00:00.25Z", "2026-11-23T10:00:00Z"),
        ("1642", "1642"),
        ("1642-01-01T00:00:00", "1642-01-01T00:00:00"),
    ],
)
def test_a_moment_is_written_as_the_specification_has_it(text: str, expected: str) -> None:
    assert as_moment(text) == expected
    if expected.endswith("Z") or "+" in expected:
        assert find_schema_faults(manifest(nav_date=text)) == []


def test_a_place_is_written_as_the_extension_has_it() -> None:
    document = manifest(nav_place=Place(latitude=52.01, longitude=4.36))
    assert find_schema_faults(document) == []
    assert document["@context"][0] == "http://iiif.io/api/extension/navplace/context.json"
    [feature] = document["navPlace"]["features"]
    assert feature["geometry"] == {"type": "Point", "coordinates": [4.36, 52.01]}
    assert feature["properties"] == {}
    named = manifest(nav_place=Place(latitude=52.01, longitude=4.36, label={"en": ("Delft",)}))
    assert find_schema_faults(named) == []
    [feature] = named["navPlace"]["features"]
    assert feature["properties"] == {"label": {"en": ["Delft"]}}
