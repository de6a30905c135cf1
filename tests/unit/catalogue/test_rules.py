"""The rules of a record, each broken one named with its place."""

from typing import Any

import pytest

from tests.unit.catalogue.object_bench import book, shelf
from tests.unit.iiif.presentation.made_objects import make_collections, make_objects
from vitrine.catalogue.records import Item
from vitrine.catalogue.rules import MAX_CANVASES, find_faults
from vitrine.iiif.presentation.model import (
    Agent,
    Canvas,
    ImageElsewhere,
    Link,
    Member,
    Place,
    Range,
    Statement,
)


def test_what_keeps_all_rules_has_no_fault() -> None:
    for item in (book(), shelf(), *make_objects(100, seed=7)):
        assert list(find_faults(item)) == []
    for collection in make_collections(30, seed=7):
        names = {member.identifier for member in collection.members}
        assert collection.identifier in names or list(find_faults(collection)) == []


def elsewhere(**changes: Any) -> ImageElsewhere:
    fields = {"address": "https://o.example/1.jpg", "width": 6, "height": 4} | changes
    fields |= {"service": "https://o.example/1", "profile": "level1"}
    return ImageElsewhere(**({"version": 3} | fields))


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        (book(""), "identifier: "),
        (book("cafe\u0301"), 'identifier: "cafe\u0301" is not in Unicode NFC.'),
        (book("manifest"), "reserved word"),
        (book(title=""), "label: there is no text."),
        (book(canvases=()), "canvases: an object has at least one image."),
        (book(canvases=(Canvas(image="a"),) * (MAX_CANVASES + 1)), "canvases: 20,001 are more"),
        (book(canvases=(Canvas(image="../a"),)), "canvases[0].image: "),
        (book(thumbnail="x" * 256), "thumbnail: "),
        (book(canvases=(Canvas(image="a", alt_text={"English!": ("x",)}),)), "canvases[0].alt_"),
        (
            book(canvases=(Canvas(image="a", elsewhere=elsewhere()),)),
            "canvases[0]: it has an image",
        ),
        (book(canvases=(Canvas(elsewhere=elsewhere(address="x")),)), "canvases[0].elsewhere.add"),
        (book(canvases=(Canvas(elsewhere=elsewhere(version=4)),)), "a service has a version"),
        (book(canvases=(Canvas(elsewhere=elsewhere(height=0)),)), "width and height are pixels"),
        (book(canvases=(Canvas(elsewhere=elsewhere(width=1 << 31)),)), "at most 2,147,483,647 pix"),
        (book(canvases=(Canvas(image="a", width_mm=-1.0),)), "canvases[0].width_mm: it is betw"),
        (book(canvases=(Canvas(image="a", width_mm=float("nan")),)), "canvases[0].width_mm: "),
        (book(summary={"123": ("x",)}), 'summary: "123" is no language, such as en'),
        (book(rights="https://creativecommons.org/publicdomain/zero/1.0/"), "rights: "),
        (book(rights="CC0"), "is no licence of Creative Commons"),
        (book(nav_date="1642"), 'nav_date: "1642" is not like 1642-01-01T00:00:00Z.'),
        (book(nav_date="1642-01-01"), "nav_date: "),
        (book(nav_place=Place(latitude=90.1, longitude=0.0)), "nav_place: 90.1, 0.0 is no place"),
        (book(nav_place=Place(latitude=0.0, longitude=float("nan"))), "nav_place: 0.0, nan is no"),
        (book(homepage=(Link(address="javascript:alert(1)"),)), "homepage[0].address: "),
        (book(see_also=(Link(address="file:///etc/passwd"),)), "see_also[0].address: "),
        (book(rendering=(Link(address="http://a b"),)), "rendering[0].address: "),
        (book(provider=(Agent(address="museum", label={"en": ("M",)}),)), "provider[0].address: "),
        (book(provider=(Agent(address="https://m.example", label={}),)), "provider[0].label: "),
        (book(part_of=("a", "")), "part_of[1]: "),
        (book(metadata=(Statement(label={"en": ("Date",)}, value={}),)), "metadata[0].value: "),
        (
            book(required_statement=Statement(label={}, value={"en": ("x",)})),
            "required_statement[0].label: ",
        ),
        (
            book(ranges=(Range(label={"en": ("x",)}, canvases=(2, 3)),)),
            "ranges[0].canvases: there is no canvas 3; the first is 0.",
        ),
        (
            book(ranges=(Range(label={"en": ("x",)}, ranges=(Range(label={}),)),)),
            "ranges[0].ranges[0].label: there is no text.",
        ),
    ],
)
def test_a_broken_rule_is_named_with_its_place(item: Item, fault: str) -> None:
    (found,) = find_faults(item)
    assert fault in found


def test_a_collection_is_no_member_of_itself() -> None:
    item = shelf("shelf")
    member = Member(identifier="shelf", label={"en": ("x",)}, is_collection=True)
    (found,) = find_faults(type(item)(identifier="shelf", label=item.label, members=(member,)))
    assert "members[0]: a collection is not a member of itself." in found
