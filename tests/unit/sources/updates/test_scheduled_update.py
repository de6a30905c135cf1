"""An environment keeps collections of others up to date, in slices, whatever their servers do."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from tests.unit.catalogue.object_bench import IMAGES
from tests.unit.sources.harvest.oai_server import OaiServer, oai_server
from tests.unit.sources.iiif.books import book_rules, serve_books
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
)
from tests.unit.sources.updates.update_rig import Rig, rules_of
from vitrine.errors import TransientError
from vitrine.slices import WHOLE, Slice
from vitrine.sources.updates import scheduled_update
from vitrine.sources.updates.schedule import GOES_ON, WAITS, UpdateRun
from vitrine.sources.updates.scheduled import (
    RULES,
    note_newest_run,
)
from vitrine.sources.updates.scheduled_update import update_due
from vitrine.store.layout import harvest_key, publication_key

pytestmark = pytest.mark.slow

LONG_AGO = "2026-01-01T00:00:00Z"


@pytest.fixture
def source() -> Iterator[IiifServer]:
    with serve_books({f"/b{number}": f"/iiif/3/b{number}" for number in range(4)}) as started:
        yield started


@pytest.fixture
def rig(source: IiifServer) -> Rig:
    return Rig(rules_of(source))


def for_so_many(answers: int) -> Slice:
    """Return a clock that grants a number of questions more time."""
    questions = count()
    return Slice(lambda: next(questions) < answers)


def test_what_is_due_is_harvested_and_published_and_reported(rig: Rig) -> None:
    assert rig.run().said == WAITS
    run = rig.tick()
    assert (run.exit_code, run.said) == (0, "")
    assert rig.members() == ["b0", "b1", "b2", "b3"]
    assert [(one["counts"]["new"], one["published"]["made"]) for one in rig.log()] == [(4, 4)]
    (report,) = rig.reports()
    assert (report["identifier"], report["result"], report["made"]) == ("books", "complete", 4)


def test_nothing_happens_before_it_is_due_again(rig: Rig, source: IiifServer) -> None:
    rig.tick()
    source.requests.clear()
    rig.tick()
    assert source.requests == []
    assert len(rig.log()) == 1


def test_the_next_update_fetches_and_publishes_only_what_changed(
    rig: Rig, source: IiifServer
) -> None:
    rig.tick()
    rig.next_day()
    before = rig.bench.site.head(publication_key("b0")).version
    source.documents["/b2"]["label"] = {"en": ["Another title"]}
    assert rig.tick().exit_code == 0
    assert rig.bench.document("b2")["label"] == {"en": ["Another title"]}
    assert rig.log()[-1]["counts"] | {"images": 0} == {
        "new": 0,
        "changed": 1,
        "unchanged": 3,
        "deleted": 0,
        "images": 0,
    }
    assert rig.bench.site.head(publication_key("b0")).version == before


def test_an_update_without_a_change_touches_no_object(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.tick()
    rig.next_day()
    monkeypatch.setattr(scheduled_update, "publish_objects", None)
    assert rig.tick().exit_code == 0
    assert rig.log()[-1]["published"] == {"made": 0, "unchanged": 4, "waiting": 0, "refused": 0}
    rig.next_day()
    assert rig.tick().exit_code == 0


def test_new_rules_are_applied_at_the_next_tick(rig: Rig, source: IiifServer) -> None:
    rig.tick()
    rig.schedule(rules_of(source).replace('"Books"', '"More books"'))
    assert rig.tick().exit_code == 0
    assert rig.bench.document("books")["label"] == {"none": ["More books"]}


@pytest.mark.parametrize("answers", range(1, 8))
def test_an_update_that_is_out_of_time_goes_on_where_it_was(
    rig: Rig, source: IiifServer, answers: int
) -> None:
    run = rig.tick(for_so_many(answers))
    if run.exit_code is None:
        assert run.said == GOES_ON
        fetched = [one for one in source.requests if one.startswith("/b")]
        run = rig.tick()
        again = [one for one in source.requests if one.startswith("/b")][len(fetched) :]
        assert not set(fetched) & set(again) or len(fetched) == 4
    assert run.exit_code == 0
    assert rig.members() == ["b0", "b1", "b2", "b3"]
    assert rig.log()[0]["counts"]["new"] == 4
    assert len(rig.reports()) == 1


@pytest.mark.parametrize(
    "trouble",
    [(200, {}, b"<html>maintenance</html>"), (200, {}, b""), (404, {}, b"")],
    ids=["a page", "nothing", "404"],
)
def test_a_source_that_is_broken_changes_nothing_that_is_published(
    rig: Rig, source: IiifServer, trouble: Any
) -> None:
    rig.tick()
    published = rig.bench.document("books")
    rig.next_day()
    source.trouble = lambda path: trouble
    run = rig.tick()
    assert run.exit_code == 2
    assert source.address in run.said
    assert rig.bench.document("books") == published
    assert rig.reports()[-1]["result"] == "failed"
    assert rig.log()[-1]["error"]
    source.trouble = lambda path: None
    rig.next_day()
    assert rig.tick().exit_code == 0


def test_a_source_that_breaks_amid_a_harvest_loses_nothing_of_it(
    rig: Rig, source: IiifServer
) -> None:
    source.trouble = lambda path: (404, {}, b"") if path == "/b2" else None
    assert rig.tick().exit_code == 1
    assert rig.members() == ["b0", "b1", "b3"]
    assert rig.reports()[-1]["result"] == "incomplete"
    source.trouble = lambda path: None
    rig.next_day()
    assert rig.tick().exit_code == 0
    assert rig.log()[-1]["counts"]["new"] == 1
    assert rig.members() == ["b0", "b1", "b2", "b3"]


def test_a_private_address_is_refused_unless_it_was_allowed(rig: Rig, source: IiifServer) -> None:
    rig.schedule(rules_of(source), private_too=False)
    run = rig.tick()
    assert run.exit_code == 2
    assert "not on the public internet" in run.said
    assert source.requests == []


def test_a_lambda_that_may_be_running_is_not_overtaken(rig: Rig, source: IiifServer) -> None:
    now = datetime.now(UTC)
    note_newest_run(rig.bench.records, "books", UpdateRun(begun=now.isoformat()))
    rig.tick()
    assert source.requests == []
    died = (now - timedelta(minutes=16)).isoformat()
    note_newest_run(rig.bench.records, "books", UpdateRun(begun=died))
    assert rig.tick().exit_code == 0


def test_of_two_updates_at_the_same_time_the_second_says_so(rig: Rig) -> None:
    rig.tick()
    rig.next_day()
    key = harvest_key("books", "table.tar.gz")
    put, first = rig.bench.records.put, count()

    def overtaken(name: str, *arguments: Any, **options: Any) -> Any:
        if name == key and next(first) == 0:
            put(key, rig.bench.records.get(key)[0] + b" ", content_type="application/gzip")
        return put(name, *arguments, **options)

    rig.bench.records.put = overtaken  # type: ignore[method-assign]
    assert rig.tick().said == "Another update of the collection ran at the same time."


def test_a_collection_too_large_for_a_lambda_says_what_to_do(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduled_update, "MAX_RECORDS", 3)
    run = rig.tick()
    assert run.exit_code == 2
    assert "vitrine collection update" in run.said


@pytest.mark.parametrize("rules", ["no toml [", book_rules("https://example.org", kind="ftp")])
def test_rules_that_cannot_be_used_are_a_report(rig: Rig, rules: str) -> None:
    rig.bench.records.put(harvest_key("books", RULES), rules.encode(), content_type="text/plain")
    run = rig.tick()
    assert (run.exit_code, rig.reports()[-1]["result"]) == (2, "failed")
    # Not the folder of the Lambda, whose name is another one each time.
    assert run.said.startswith("collection.toml")
    assert "vitrine-update-" not in rig.reports()[-1]["said"]


def test_a_store_that_fails_fails_the_slice_and_the_next_one_makes_up_for_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise TransientError("S3 does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(rig.bench.site, "put", fail)
        with pytest.raises(TransientError):
            rig.tick()
    later = datetime.now(UTC) + timedelta(minutes=16)
    update_due(rig.services, later, WHOLE)
    assert rig.run().exit_code == 0
    assert rig.members() == ["b0", "b1", "b2", "b3"]


def test_records_of_a_repository_show_images_that_are_published() -> None:
    records = {f"oai:m:{name}": (name, LONG_AGO) for name in IMAGES}
    rules = """
    [collection]
    identifier = "books"
    label = "Books"
    [source]
    kind = "oai-pmh"
    address = "{address}"
    table = "records"
    [object]
    identifier = "{{//title}}"
    image = "{{//title}}"
    label = "{{//title}}"
    """
    with oai_server(OaiServer(dict(records))) as server:
        rig = Rig(rules.format(address=server.address))
        assert rig.tick().exit_code == 0
    assert sorted(rig.members()) == sorted(IMAGES)
