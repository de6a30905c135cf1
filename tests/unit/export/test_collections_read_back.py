"""An import lets nobody see more of a collection, of the one here or the exported one."""

from pathlib import Path
from unittest.mock import patch

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import ExportBench, picture
from tests.unit.export.reading_back import read_back
from vitrine.catalogue import objects
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.records import rule_of
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection

pytestmark = pytest.mark.slow

SIZE = (300, 200)


def put_shelf(bench: ExportBench, rule: str, *members: str) -> None:
    listed = tuple(Member(identifier=one, label={"en": (one,)}) for one in members)
    bench.objects.put(
        ObjectCollection(
            identifier="shelf", label={"en": ("A shelf",)}, access=rule, members=listed
        )
    )


def put_book(bench: ExportBench, name: str, *images: str) -> None:
    bench.objects.put(book(name, name, canvases=tuple(Canvas(image=one) for one in images)))


def rules(bench: ExportBench, *images: str) -> set[str]:
    """Those that images have now."""
    shown = map(bench.publisher.shown.get, images)
    return {one.access for one in shown if one}


@pytest.mark.parametrize("rule", ["", "open", "small:2000", "closed"])
def test_no_object_that_is_put_opens_what_its_collection_closes(tmp_path: Path, rule: str) -> None:
    bench, again = ExportBench({"old": SIZE, "new": SIZE}), ExportBench({})
    again.add_image("old", picture(*SIZE, 0), "pictures/old.tif")
    put_book(bench, "book", "old", "new")
    put_shelf(bench, "closed", "book")
    bench.export(tmp_path, static=False)
    put_book(again, "book", "old")
    put_shelf(again, rule, "book")
    put, seen = Objects.put, list[str]()

    def watched(here: Objects, item: object, **options: object) -> object:
        result = put(here, item, **options)  # type: ignore[arg-type]
        seen.extend(rules(again, "old", "new"))
        return result

    with patch.object(Objects, "put", watched):
        result = read_back(tmp_path, again)
    assert (result.refused, set(seen)) == ([], {"closed"})
    assert rules(again, "new") == {"closed"}
    assert rules(again, "old") == {"closed"}
    assert rule_of(again.publisher.journal.latest("shelf")) == "closed"
    assert read_back(tmp_path, again).counts["objects"] == 0


def test_a_collection_that_has_another_name_here_is_restricted_by_that(tmp_path: Path) -> None:
    bench, again = ExportBench({"old": SIZE}), ExportBench({})
    put_book(bench, "book", "old")
    put_shelf(bench, "closed", "book")
    bench.export(tmp_path, static=False)
    put_shelf(again, "open", "book")
    again.objects.rename("shelf", "rack")
    assert len(read_back(tmp_path, again).refused) == 1
    assert rules(again, "old") == {"closed"}
    assert rule_of(again.publisher.journal.latest("rack")) == "closed"


def test_a_rule_of_a_later_version_closes_the_collection_that_is_here(tmp_path: Path) -> None:
    bench, again = ExportBench({}), ExportBench({"old": SIZE})
    with patch.object(objects, "find_faults", return_value=[]):  # that version knows the rule
        put_shelf(bench, "on-mondays:staff", "book")
    bench.export(tmp_path, static=False)
    put_book(again, "book", "old")
    put_shelf(again, "open", "book")
    assert read_back(tmp_path, again).refused == []
    assert rule_of(again.publisher.journal.latest("shelf")) == "closed"
    assert rules(again, "old") == {"closed"}


@pytest.mark.parametrize("here", ["nothing", "collection", "withdrawn", "object"])
@pytest.mark.parametrize("exported", ["collection", "withdrawn", "object"])
@pytest.mark.parametrize("known", ["", "open", "small:1000"])
def test_what_was_closed_is_closed_when_it_is_a_collection_again(
    tmp_path: Path, here: str, exported: str, known: str
) -> None:
    bench, again = ExportBench({}), ExportBench({"two": SIZE})

    def prepare(where: ExportBench, state: str, rule: str) -> None:
        if state == "nothing":
            return
        put_shelf(where, rule, "letter")
        if state == "withdrawn":
            where.objects.withdraw("shelf", "A claim.")
        elif state == "object":
            put_book(where, "shelf", "three")

    prepare(bench, exported, "closed")
    prepare(again, here, known)
    bench.export(tmp_path, static=False)
    read_back(tmp_path, again)
    assert rule_of(again.publisher.journal.latest("shelf")) == "closed"
    put_book(again, "letter", "two")
    item = ObjectCollection(
        identifier="shelf",
        label={"en": ("A shelf",)},
        members=(Member(identifier="letter", label={"en": ("A letter",)}),),
    )
    again.objects.put(item, replace_withdrawn=True)
    assert rules(again, "two") == {"closed"}


def test_no_redirect_keeps_a_rule_that_its_image_lost(tmp_path: Path) -> None:
    bench, again = ExportBench({"one": SIZE, "two": SIZE}), ExportBench({})
    put_book(bench, "book", "one")
    put_shelf(bench, "closed", "book")
    Redirects(bench.register).add("one", "two", replace_live=True)
    put_shelf(bench, "open", "book")
    bench.objects.withdraw("shelf", "Done.")
    bench.export(tmp_path, static=False)
    for _ in range(2):
        assert read_back(tmp_path, again).refused == []
        assert rules(again, "two") <= {"", "open"}
        assert rules(again, "one") | rules(bench, "one") <= {"", "open"}
