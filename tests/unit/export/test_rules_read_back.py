"""Who may see an image goes with it: no service that reads an export back shows more of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import IMAGES, ExportBench, read_lines
from tests.unit.export.reading_back import ignore, read_back
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.records import rule_of
from vitrine.events import ImagePublished
from vitrine.export.bag import BagUnusable
from vitrine.export.exported_lists import ExportedLists
from vitrine.export.read_back import ReadBack, restore_rules
from vitrine.identify import changes
from vitrine.identify.effective_rule import effective, has_own_rule, rules_of_collections
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.records import Gone, Live, Redirect, Removed

pytestmark = pytest.mark.slow

AT = "2026-11-25T08:00:00Z"
RULES = {
    "one": "closed",
    "two/夜 警": "small:700:staff",
    "three": "staff",
    "yet to come": "closed",
    "old one": "staff",
}


@pytest.fixture
def bench() -> ExportBench:
    """Restricted images, one of them withdrawn, a name that waits and one that is a redirect."""
    bench = ExportBench()
    for identifier, rule in RULES.items():
        bench.curation.set_access(identifier, rule)
    Redirects(bench.register).add("old one", "one")
    bench.register.change("three", changes.withdraw_image("three", "Rights.", AT))
    return bench


def test_every_identifier_has_its_rule_again(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path, static=False)
    again = ExportBench({})
    result = read_back(tmp_path, again)
    assert (result.refused, result.counts["rules"]) == ([], len(RULES))
    found = {name: again.ingest.identifiers.get(name) for name in RULES}
    assert {name: record.access for name, record in found.items() if record} == RULES
    kinds = [type(record) for record in found.values()]
    assert kinds == [Live, Live, Gone, Removed, Redirect]


def test_no_image_is_open_for_a_moment(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path, static=False)
    again = ExportBench({})
    read_back(tmp_path, again)
    for identifier, rule in RULES.items():
        history = again.register.journal.history(identifier)
        # A redirect shows nothing, and gets its rule when it is there.
        assert {one.access for one in history if not isinstance(one, Redirect)} <= {rule}


def test_an_image_that_is_there_already_is_closed_and_announced(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path, static=False)
    existing = ExportBench()
    restore_rules(existing.curation, ExportedLists(tmp_path), ReadBack(), ignore)
    assert existing.live("one").access == "closed"
    announced = ImagePublished.of(existing.live("one"))
    assert (announced.name(), announced.detail()) in existing.ingest.events.events


def shelf(access: str) -> ObjectCollection:
    member = Member(identifier="book", label={"en": ("A book",)})
    return ObjectCollection(
        identifier="shelf", label={"en": ("A shelf",)}, members=(member,), access=access
    )


def origin(bench: ExportBench, name: str) -> tuple[str, bool, dict[str, str]]:
    """The rule of an image, whether it is from collections, and what those say."""
    record, rules = bench.live(name), bench.publisher.rules()
    inherited = rules_of_collections(record, rules)
    return effective(record, rules), not has_own_rule(record), inherited


def access(bench: ExportBench, *names: str) -> list[str]:
    return [origin(bench, name)[0] for name in names]


@pytest.fixture
def shelved() -> ExportBench:
    """A closed shelf with the images of a book; one was opened by itself, one restricted."""
    bench = ExportBench()
    bench.objects.put(book(canvases=tuple(Canvas(image=image) for image in IMAGES)))
    bench.objects.put(shelf("closed"))
    bench.curation.set_access("two/夜 警", "open")
    bench.curation.set_access("three", "staff")
    return bench


def test_rules_of_an_image_and_of_its_collection_are_distinguished_again(
    shelved: ExportBench, tmp_path: Path
) -> None:
    shelved.export(tmp_path, static=False)
    again = ExportBench({})
    for _ in range(2):
        assert read_back(tmp_path, again).refused == []
        assert {name: origin(again, name) for name in IMAGES} == {
            "one": ("closed", True, {"shelf": "closed"}),
            "two/夜 警": ("open", False, {"shelf": "closed"}),
            "three": ("staff", False, {"shelf": "closed"}),
        }
    again.objects.put(shelf("open"))
    assert access(again, *IMAGES) == ["open", "open", "staff"]


def test_what_was_closed_by_itself_stays_so_when_a_collection_there_opens(
    shelved: ExportBench, tmp_path: Path
) -> None:
    bench = ExportBench()
    bench.curation.set_access("one", "closed")
    bench.export(tmp_path, static=False, pictures="none")
    read_back(tmp_path, shelved)
    shelved.objects.put(shelf("open"))
    assert access(shelved, "one") == ["closed"]


def test_a_collection_that_is_closed_there_stays_so(shelved: ExportBench, tmp_path: Path) -> None:
    shelved.objects.put(shelf("open"))
    shelved.export(tmp_path, static=False, pictures="none")
    shelved.objects.put(shelf("closed"))
    read_back(tmp_path, shelved)
    assert rule_of(shelved.publisher.journal.latest("shelf")) == "closed"
    assert access(shelved, *IMAGES) == ["closed", "open", "staff"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"access": "closed"}, ("closed", False, {})),
        ({"access": "new:1"}, ("closed", False, {})),
        ({"access": "inherited", "kept": {"shelf": "staff"}}, ("staff", True, {"shelf": "staff"})),
        ({"access": "open", "kept": {"shelf": "closed"}}, ("open", False, {"shelf": "closed"})),
        (
            {"access": "inherited", "kept": {"shelf": "new:1"}},
            ("closed", True, {"shelf": "closed"}),
        ),
    ],
)
def test_a_rule_comes_with_where_it_is_from(
    tmp_path: Path, said: dict[str, Any], expected: tuple[str, bool, dict[str, str]]
) -> None:
    (tmp_path / "data").mkdir()
    line = json.dumps({"identifier": "one", **said})
    (tmp_path / "data" / "identifiers.jsonl").write_text(f"{line}\n")
    (tmp_path / "data" / "objects.jsonl").touch()
    again = ExportBench()
    restore_rules(again.curation, ExportedLists(tmp_path), ReadBack(), ignore)
    assert origin(again, "one") == expected


def test_what_a_collection_closed_stays_closed_where_the_image_has_a_rule_of_its_own(
    tmp_path: Path,
) -> None:
    bench = ExportBench()
    bench.objects.put(book(canvases=tuple(Canvas(image=image) for image in IMAGES)))
    bench.objects.put(shelf("closed"))
    bench.export(tmp_path, static=False, pictures="none")
    again = ExportBench()
    again.curation.set_access("one", "open")
    again.curation.set_access("three", "staff")
    read_back(tmp_path, again)
    assert access(again, *IMAGES) == ["closed"] * 3
    again.objects.put(shelf("open"))
    assert access(again, *IMAGES) == ["open", "open", "staff"]


def test_what_is_stricter_there_stays_so(tmp_path: Path) -> None:
    bench, existing = ExportBench(), ExportBench()
    bench.curation.set_access("one", "open")
    bench.curation.set_access("three", "small:700")
    bench.export(tmp_path, static=False)
    for identifier in ("one", "three"):
        existing.curation.set_access(identifier, "closed")
    result = ReadBack()
    restore_rules(existing.curation, ExportedLists(tmp_path), result, ignore)
    assert [existing.live(name).access for name in ("one", "three")] == ["closed", "closed"]
    assert result.counts["rules"] == 0


def test_a_rule_that_cannot_be_read_closes(bench: ExportBench, tmp_path: Path) -> None:
    later = replace(bench.live("one"), access="from:2030:staff")
    bench.register.change("one", lambda current: later)
    bench.export(tmp_path, static=False)
    again = ExportBench({})
    read_back(tmp_path, again)
    assert again.live("one").access == "closed"


def test_an_identifier_that_nothing_can_have_is_named(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path, static=False)
    lists, result = ExportedLists(tmp_path), ReadBack()
    with (tmp_path / "data" / "identifiers.jsonl").open("a") as file:
        file.write(json.dumps({"identifier": "", "access": "closed"}) + "\n")
    restore_rules(ExportBench({}).curation, lists, result, ignore)
    redirects = 1
    assert (len(result.refused), result.counts["rules"]) == (1, len(RULES) - redirects)


@pytest.mark.parametrize("line", [b'{"access": "closed"}', b"{", b'{"identifier": "\xff"}', b"\n"])
def test_a_list_that_cannot_be_read_stops_the_import(
    bench: ExportBench, tmp_path: Path, line: bytes
) -> None:
    bench.export(tmp_path, static=False)
    path = tmp_path / "data" / "identifiers.jsonl"
    number = len(read_lines(path)) + 1
    with path.open("ab") as file:
        file.write(line)
    with pytest.raises(BagUnusable, match=rf"identifiers\.jsonl, line {number}:"):
        restore_rules(ExportBench({}).curation, ExportedLists(tmp_path), ReadBack(), ignore)


def test_a_name_whose_redirect_was_removed_is_no_part_of_an_export(tmp_path: Path) -> None:
    bench = ExportBench()
    Redirects(bench.register).add("old one", "one")
    Redirects(bench.register).remove("old one")
    bench.export(tmp_path, static=False)
    lines = read_lines(tmp_path / "data" / "identifiers.jsonl")
    assert "old one" not in {row["identifier"] for row in lines}


def test_what_was_a_collection_has_its_rule_again(bench: ExportBench, tmp_path: Path) -> None:
    objects = Objects(bench.publisher)
    for name in ("shelf", "rack"):
        collection = ObjectCollection(identifier=name, label={"en": (name,)}, access="closed")
        objects.put(collection)
    objects.put(book("shelf", canvases=(Canvas(image="two/夜 警"),)))
    objects.withdraw("rack", "A claim.")
    bench.export(tmp_path, static=False)
    again = ExportBench({})
    read_back(tmp_path, again)
    journal = again.publisher.journal
    assert [rule_of(journal.latest(name)) for name in ("shelf", "rack")] == ["closed", "closed"]


def test_what_a_withdrawn_collection_closed_is_closed_from_the_first_moment(
    shelved: ExportBench, tmp_path: Path
) -> None:
    shelved.objects.withdraw("shelf", "A claim.")
    shelved.export(tmp_path, static=False)
    again = ExportBench({})
    read_back(tmp_path, again)
    history, rules = again.register.journal.history("one"), again.publisher.rules()
    assert {effective(record, rules) for record in history if isinstance(record, Live)} == {
        "closed"
    }
    assert access(again, *IMAGES) == ["closed", "open", "staff"]
