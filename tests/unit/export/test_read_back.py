"""An export read back into an empty service publishes the same again."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import IMAGES, ExportBench, read_tree
from tests.unit.export.reading_back import ignore, read_back
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.records import Renamed, rule_of
from vitrine.export.exported_lists import ExportedLists
from vitrine.export.read_back import (
    ReadBack,
    announce_objects,
    restore_objects,
    restore_rules,
    restore_tombstones,
)
from vitrine.identify import changes
from vitrine.identify.owners import take_over
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.records import Gone, state

pytestmark = pytest.mark.slow


def make_bench() -> ExportBench:
    bench = ExportBench()
    for identifier in ("book", "pamphlet", "lost book"):
        bench.objects.put(book(identifier, canvases=tuple(Canvas(image=one) for one in IMAGES)))
    bench.objects.rename("pamphlet", "leaflet")
    bench.objects.withdraw("lost book", "A claim.")
    member = Member(identifier="book", label={"en": ("A book",)}, image="one")
    bench.objects.put(
        ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=(member,))
    )
    Redirects(bench.register).add("old one", "one")
    bench.register.change("three", changes.withdraw_image("three", "Rights.", "2026-11-01"))
    bench.publisher.publish("book")
    bench.publisher.publish("leaflet")
    return bench


def test_everything_comes_back_as_it_was(tmp_path: Path) -> None:
    first, again = make_bench(), ExportBench({})
    first.export(tmp_path / "first")
    result = read_back(tmp_path / "first", again)
    assert (result.refused, result.counts["objects"], result.counts["tombstones"]) == ([], 5, 1)
    again.export(tmp_path / "again")
    before, after = (read_tree(tmp_path / name / "data") for name in ("first", "again"))
    # Only the times of changes, the keys of masters and the numbers of changes are others.
    assert before.keys() == after.keys()
    differ = {path for path in before if before[path] != after[path]}
    assert differ <= {"identifiers.jsonl", "objects.jsonl"}
    assert len([path for path in before if path.endswith(".jpg")]) > 60
    tombstone = again.ingest.identifiers.get("three")
    assert isinstance(tombstone, Gone)
    assert (tombstone.reason, tombstone.changed_at) == ("Rights.", "2026-11-01")


def test_everything_belongs_to_whom_it_did(tmp_path: Path) -> None:
    first, again = make_bench(), ExportBench({})
    first.curation.set_access("yet to come", "closed")
    images = (*IMAGES, "old one", "yet to come")
    for name in images:
        first.register.change(name, take_over("prints"))
    described = ("book", "pamphlet", "leaflet", "lost book", "shelf")
    for name in described:
        first.objects.change(name, lambda one: one and msgspec.structs.replace(one, owner="prints"))
    first.export(tmp_path / "first", static=False)
    assert read_back(tmp_path / "first", again).refused == []
    records = {name: again.ingest.identifiers.get(name) for name in images}
    assert [name for name, one in records.items() if not one or one.owner != "prints"] == []
    objects = {name: again.publisher.journal.latest(name) for name in described}
    assert [name for name, one in objects.items() if not one or one.owner != "prints"] == []
    assert {state(one) for one in records.values() if one} == {
        *("live", "redirect", "gone", "removed")
    }


def test_a_tombstone_of_an_export_does_not_take_the_name_of_another_collection(
    tmp_path: Path,
) -> None:
    first, again = make_bench(), ExportBench({})
    first.export(tmp_path, static=False)
    again.curation.set_access("three", "closed")
    again.register.change("three", take_over("maps"))
    before, result = again.ingest.identifiers.get("three"), ReadBack()
    restore_tombstones(again.register, ExportedLists(tmp_path), result, ignore)
    (sentence,) = result.refused
    assert 'belongs to the collection "maps" here, and in the export to none' in sentence
    assert again.ingest.identifiers.get("three") == before


def test_before_images_are_published_they_are_known_as_those_of_their_objects(
    tmp_path: Path,
) -> None:
    bench, again = make_bench(), ExportBench({})
    bench.export(tmp_path, static=False)
    announce_objects(again.publisher, ExportedLists(tmp_path))
    assert list(again.publisher.objects_with("one"))
    assert {*again.publisher.objects_with("one")} <= {*bench.publisher.objects_with("one")}


def test_read_back_twice_it_changes_nothing(tmp_path: Path) -> None:
    bench, again = make_bench(), ExportBench({})
    bench.export(tmp_path, static=False)
    read_back(tmp_path, again)
    lists, result = ExportedLists(tmp_path), ReadBack()
    restore_tombstones(again.register, lists, result, ignore)
    restore_objects(again.objects, lists, result, ignore)
    assert result.refused == []
    assert +result.counts == {"unchanged": 6}


@pytest.mark.parametrize(
    ("exported", "present", "kept"),
    [
        ("open", "closed", "closed"),
        ("open", "staff", "staff"),
        ("staff", "closed", "closed"),
        ("closed", "staff", "closed"),
        ("closed", "open", "closed"),
        ("", "closed", "closed"),
    ],
)
def test_no_collection_opens_that_got_a_rule_since(
    tmp_path: Path, exported: str, present: str, kept: str
) -> None:
    bench = ExportBench()
    shelf = ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, access=exported)
    bench.objects.put(shelf)
    bench.export(tmp_path, static=False)
    bench.objects.put(msgspec.structs.replace(shelf, access=present))
    restore_objects(bench.objects, ExportedLists(tmp_path), ReadBack(), ignore)
    assert rule_of(bench.publisher.journal.latest("shelf")) == kept


def test_an_object_that_was_withdrawn_meanwhile_stays_withdrawn(tmp_path: Path) -> None:
    bench = make_bench()
    bench.export(tmp_path, static=False)
    bench.objects.withdraw("book", "Rights.")
    result = ReadBack()
    restore_objects(bench.objects, ExportedLists(tmp_path), result, ignore)
    assert len(result.refused) == 1
    assert '"book" was withdrawn (Rights.)' in result.refused[0]


def letters(name: str, access: str) -> ObjectCollection:
    member = Member(identifier="book", label={"en": ("A book",)})
    return ObjectCollection(
        identifier=name, label={"en": (name,)}, members=(member,), access=access
    )


@pytest.fixture
def renamed(tmp_path: Path) -> ExportedLists:
    """The export of a service where everybody may see the letters, which have another name."""
    bench = ExportBench({})
    bench.objects.put(book(canvases=(Canvas(image="one"),)))
    bench.objects.put(letters("letters", "small:1000"))
    bench.objects.rename("letters", "briefe")
    bench.export(tmp_path, static=False, pictures="none")
    return ExportedLists(tmp_path)


def close(objects: Objects) -> None:
    objects.put(letters("letters", "closed"))


def withdraw(objects: Objects) -> None:
    close(objects)
    objects.withdraw("letters", "A claim.")


def rename(objects: Objects) -> None:
    close(objects)
    objects.rename("letters", "archive")


def rename_the_other_way_round(objects: Objects) -> None:
    objects.put(letters("briefe", "closed"))
    objects.rename("briefe", "letters")


@pytest.mark.parametrize("prepare", [close, withdraw, rename, rename_the_other_way_round])
def test_a_redirect_replaces_nothing_so_that_no_closed_collection_opens_by_another_name(
    renamed: ExportedLists, prepare: Callable[[Objects], None]
) -> None:
    here = ExportBench({"one": (200, 150)})
    here.objects.put(book(canvases=(Canvas(image="one"),)))
    prepare(here.objects)
    before = here.publisher.journal.latest("letters")
    for _ in range(2):
        result = ReadBack()
        restore_rules(here.curation, renamed, result, ignore)
        restore_objects(here.objects, renamed, result, ignore)
        assert [one for one in result.refused if '"letters"' in one and '"briefe"' in one]
        assert here.publisher.journal.latest("letters") == before
        shown = here.publisher.shown.get("one")
        assert shown
        assert shown.access == "closed"


def test_redirects_follow_what_they_lead_to(tmp_path: Path) -> None:
    bench, again = ExportBench({}), ExportBench({})
    bench.objects.put(book("a"))
    for old, new in (("a", "b"), ("b", "c")):
        bench.objects.rename(old, new)
    bench.objects.put(book("d"))
    bench.objects.rename("d", "e")
    bench.objects.withdraw("e", "A claim.")
    bench.export(tmp_path, static=False)
    result = ReadBack()
    restore_objects(again.objects, ExportedLists(tmp_path), result, ignore)
    assert (result.refused, result.counts["objects"]) == ([], 5)
    found = {name: again.publisher.journal.latest(name) for name in ("a", "b", "d")}
    targets = {name: one.target for name, one in found.items() if isinstance(one, Renamed)}
    assert targets == {"a": "b", "b": "c", "d": "e"}


def test_a_redirect_that_leads_to_nothing_or_back_is_refused(tmp_path: Path) -> None:
    again = ExportBench({})
    (tmp_path / "data").mkdir()
    records = [
        Renamed(identifier=old, changed_at="2026-11-26T08:00:00Z", target=new)
        for old, new in (("a", "nothing"), ("b", "c"), ("c", "b"), ("d", "d"), ("e", "a"))
    ]
    body = b"\n".join(map(msgspec.json.encode, records))
    (tmp_path / "data" / "objects.jsonl").write_bytes(body + b"\n")
    result = ReadBack()
    restore_objects(again.objects, ExportedLists(tmp_path), result, ignore)
    assert (len(result.refused), +result.counts) == (5, {})
    assert [again.publisher.journal.latest(name) for name in "abcde"] == [None] * 5
