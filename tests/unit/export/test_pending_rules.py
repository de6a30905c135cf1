"""What a collection closed is closed in the service that imports it, though an export was made
before the rule had come to all images."""

from pathlib import Path
from unittest.mock import patch

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import ExportBench
from tests.unit.export.reading_back import ignore, read_back
from vitrine.catalogue.inherited_rules import InheritedRules
from vitrine.export.bag import BagUnusable
from vitrine.export.exported_lists import ExportedLists
from vitrine.export.read_back import ReadBack, restore_rules
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.records import Live

pytestmark = pytest.mark.slow

SIZE = (300, 200)


def collection(name: str, *members: Member, rule: str = "", **fields: str) -> ObjectCollection:
    return ObjectCollection(
        identifier=name, label={"en": (name,)}, members=members, access=rule, **fields
    )


def member(name: str, *, is_collection: bool = False, image: str = "") -> Member:
    return Member(identifier=name, label={"en": (name,)}, is_collection=is_collection, image=image)


def put_book(bench: ExportBench, name: str, image: str, **fields: object) -> None:
    bench.objects.put(book(name, name, canvases=(Canvas(image=image),), **fields))


def put_pending(bench: ExportBench, *items: ObjectCollection) -> None:
    """Put collections of which no image has heard yet."""
    with patch.object(InheritedRules, "update", return_value=None):
        for item in items:
            bench.objects.put(item)


def rules_at_any_moment(bench: ExportBench) -> dict[str, set[str]]:
    """The rules that each image had since it was there."""
    journal, found = bench.register.journal, dict[str, set[str]]()
    for name in bench.ingest.identifiers.newest(99):
        found[name.identifier] = {
            one.access for one in journal.history(name.identifier) if isinstance(one, Live)
        }
    return {name: rules for name, rules in found.items() if rules}


def test_no_image_below_a_closed_collection_is_open_for_a_moment(tmp_path: Path) -> None:
    names = ("in book", "inner", "named", "cover", "picture", "alone", "renamed", "end", "free")
    bench, again = ExportBench(dict.fromkeys(names, SIZE)), ExportBench({})
    for name, image in (("a", "in book"), ("b", "inner"), ("d", "renamed"), ("e", "old")):
        put_book(bench, name, image)
    put_book(bench, "c", "named", part_of=("shelf",))
    put_book(bench, "f", "free")
    Redirects(bench.register).add("old", "end")
    bench.objects.rename("d", "d2")
    put_pending(
        bench,
        collection("box", member("b"), rule=""),
        collection(
            "shelf",
            *(member(one) for one in ("a", "alone", "d", "e")),
            member("f2", image="picture"),
            member("box", is_collection=True),
            rule="closed",
            thumbnail="cover",
        ),
        collection("rack", member("f"), rule="open"),
    )
    assert {bench.live(name).access for name in names} == {""}
    bench.export(tmp_path, static=False)
    for _ in range(2):
        assert read_back(tmp_path, again).refused == []
        expected = {name: {"" if name == "free" else "closed"} for name in names}
        assert rules_at_any_moment(again) == expected


@pytest.mark.parametrize(
    ("own", "expected"), [("open", "open"), ("staff", "staff"), ("", "small:500")]
)
def test_what_was_said_of_an_image_itself_holds(tmp_path: Path, own: str, expected: str) -> None:
    bench, again = ExportBench({"one": SIZE}), ExportBench({})
    put_book(bench, "book", "one")
    bench.objects.put(collection("shelf", member("book"), rule="small:1000"))
    if own:
        bench.curation.set_access("one", own)
    put_pending(bench, collection("shelf", member("book"), rule="small:500"))
    bench.export(tmp_path, static=False)
    read_back(tmp_path, again)
    assert rules_at_any_moment(again) == {"one": {expected}}
    again.objects.put(collection("shelf", member("book"), rule="open"))
    assert again.live("one").access == (own or "open")


def test_collections_and_redirects_that_go_in_circles_end(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    lines = [f'{{"identifier": "{old}", "target": "{new}"}}' for old, new in ("xy", "yx")]
    (tmp_path / "data" / "identifiers.jsonl").write_text("\n".join(lines) + "\n")
    put = '"state": "described", "changed_at": "2026-11-26T08:00:00Z"'
    item = '"label": {}, "type": "collection", "access": "closed"'
    (tmp_path / "data" / "objects.jsonl").write_text(
        f'{{"identifier": "a", {put}, "item": {{"identifier": "a", {item}, "members": '
        '[{"identifier": "a", "label": {}}, {"identifier": "x", "label": {}}]}}\n'
    )
    restore_rules(ExportBench({}).curation, ExportedLists(tmp_path), ReadBack(), ignore)


def test_an_object_that_cannot_be_read_stops_the_import_before_it_begins(tmp_path: Path) -> None:
    bench = ExportBench({})
    put_book(bench, "book", "one")
    bench.export(tmp_path, static=False)
    with (tmp_path / "data" / "objects.jsonl").open("ab") as file:
        file.write(b'{"state": "described"}')
    with pytest.raises(BagUnusable, match=r"objects\.jsonl, line 2:"):
        restore_rules(ExportBench({}).curation, ExportedLists(tmp_path), ReadBack(), ignore)
