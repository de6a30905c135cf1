"""Long collections are divided into pages, in each version's own way."""

import json
from typing import Any

import pytest

from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.model import Member, ObjectCollection, Statement
from vitrine.iiif.presentation.paging import MEMBERS, count_pages, pages_of, part_of

BASE = "https://images.example.org"
FOLDER = f"{BASE}/presentation/{{}}/plates"


def plates(members: int) -> ObjectCollection:
    return ObjectCollection(
        identifier="plates",
        label={"en": ("Plates",), "nl": ("Platen",)},
        rights="http://creativecommons.org/publicdomain/mark/1.0/",
        required_statement=Statement(label={"en": ("Credit",)}, value={"en": ("A museum",)}),
        members=tuple(
            Member(identifier=f"p{number}", label={"none": (f"Plate {number}",)})
            for number in range(members)
        ),
    )


def pages(collection: ObjectCollection, version: Any) -> list[dict[str, Any]]:
    return [
        version.build_page(part_of(collection, page), page, {}, BASE)
        for page in pages_of(len(collection.members))
    ]


@pytest.mark.parametrize(
    ("members", "expected"), [(0, 0), (1, 0), (MEMBERS, 0), (MEMBERS + 1, 2), (3 * MEMBERS, 3)]
)
def test_a_collection_has_pages_only_where_it_is_long(members: int, expected: int) -> None:
    assert count_pages(members) == expected
    assert len(list(pages_of(members))) == expected


def test_a_short_collection_is_one_document_in_both_versions() -> None:
    collection = plates(MEMBERS)
    assert len(version3.build_collection(collection, {}, BASE)["items"]) == MEMBERS
    document = version2.build_collection(collection, {}, BASE)
    assert len(document["members"]) == MEMBERS
    assert not {"first", "last", "total"} & document.keys()


def test_version_2_leads_from_the_collection_through_all_its_pages_and_back() -> None:
    collection, folder = plates(2 * MEMBERS + 5), FOLDER.format(2)
    top = version2.build_collection(collection, {}, BASE)
    assert not {"members", "manifests", "collections"} & top.keys(), "2.1, 5.9: MUST NOT"
    assert (top["total"], top["first"]) == (2 * MEMBERS + 5, f"{folder}/collection-1.json")
    found = {page["@id"]: page for page in pages(collection, version2)}
    names, index, address = list[str](), 0, top["first"]
    while address:
        page = found[address]
        assert page["within"] == f"{folder}/collection.json"
        assert page["startIndex"] == index
        index += len(page["members"])
        names += [one["@id"] for one in page["members"]]
        last, address = address, page.get("next")
        if address:
            assert found[address]["prev"] == last
    assert last == top["last"]
    assert "prev" not in found[top["first"]]
    assert names == [f"{BASE}/presentation/2/p{n}/manifest.json" for n in range(2 * MEMBERS + 5)]


def test_version_3_has_collections_of_a_thousand_in_the_collection() -> None:
    collection, folder = plates(2 * MEMBERS + 5), FOLDER.format(3)
    top = version3.build_collection(collection, {}, BASE)
    assert [(one["id"], one["type"], one["label"]["en"]) for one in top["items"]] == [
        (f"{folder}/collection-1.json", "Collection", ["Plates, 1-1000"]),
        (f"{folder}/collection-2.json", "Collection", ["Plates, 1001-2000"]),
        (f"{folder}/collection-3.json", "Collection", ["Plates, 2001-2005"]),
    ]
    found = pages(collection, version3)
    for listed, page in zip(top["items"], found, strict=True):
        assert {name: page[name] for name in listed} == listed
        assert page["partOf"] == [{"id": f"{folder}/collection.json", "type": "Collection"}]
        assert page["label"]["nl"][0].startswith("Platen, ")
    names = [one["id"] for page in found for one in page["items"]]
    assert names == [f"{BASE}/presentation/3/p{n}/manifest.json" for n in range(2 * MEMBERS + 5)]


@pytest.mark.parametrize("version", [version2, version3])
def test_a_page_that_is_opened_by_itself_says_whose_it_is_and_what_may_be_done(
    version: Any,
) -> None:
    for page in pages(plates(MEMBERS + 1), version):
        text = json.dumps(page)
        assert "A museum" in text
        assert "creativecommons.org/publicdomain/mark" in text
