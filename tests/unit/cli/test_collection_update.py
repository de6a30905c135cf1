"""`vitrine collection update`: a harvest and its publication, again and again, without harm."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.sources.iiif.books import ONE, TWO, book_rules, serve_books
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
    manifest3,
)
from vitrine.catalogue.changes import shown_item
from vitrine.catalogue.publisher import Publisher
from vitrine.errors import TransientError
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.sources.harvest.lock import take_turn


@pytest.fixture
def server() -> Iterator[IiifServer]:
    with serve_books({"/b1": ONE, "/b2": TWO}) as started:
        yield started


@pytest.fixture
def rules(server: IiifServer, tmp_path: Path) -> Path:
    path = tmp_path / "collection.toml"
    path.write_text(book_rules(server.address, table="manifests", images="reference"))
    return path


def members(publisher: Publisher) -> list[str]:
    record = publisher.journal.latest("books")
    assert record
    listed = shown_item(record)
    assert isinstance(listed, ObjectCollection)
    return [member.identifier for member in listed.members]


def revisions(publisher: Publisher) -> dict[str, int]:
    found = {name: publisher.journal.latest(name) for name in ("b1", "b2", "books")}
    return {name: record.revision for name, record in found.items() if record}


def test_only_what_changed_is_fetched_and_published(
    run_program: Run, rules: Path, server: IiifServer, publisher: Publisher
) -> None:
    update = ("collection", "update", rules, "--private-too", "--json")
    first = run_program(*update)
    assert first.exit_code == 0, first.stderr
    assert json.loads(first.stdout)["publication"]["made"] == 2
    assert members(publisher) == ["b1", "b2"]
    assert json.loads(run_program(*update).stdout)["publication"]["unchanged"] == 2
    before = revisions(publisher)
    server.documents["/b2"] = manifest3("/b2", TWO) | {"label": {"en": ["Another title"]}}
    third = json.loads(run_program(*update).stdout)
    assert (third["harvest"]["changed"], third["publication"]["made"]) == (1, 1)
    record = publisher.journal.latest("b2")
    assert record
    item = shown_item(record)
    assert isinstance(item, PublishedObject)
    assert item.label == {"en": ("Another title",)}
    assert revisions(publisher) == before | {"b2": before["b2"] + 1, "books": before["books"] + 1}
    listed = run_program("collection", "harvests", rules)
    assert listed.exit_code == 0
    assert listed.stdout.count("objects: ") == 3
    assert listed.stdout.splitlines()[-1].endswith("; objects: 1 published, 1 up to date")


@pytest.mark.parametrize(
    "answer", [(500, {}, b""), (200, {}, b"<html/>"), (200, {}, b"{"), (404, {}, b"")]
)
def test_a_source_that_is_down_or_broken_changes_nothing_that_is_published(
    run_program: Run,
    rules: Path,
    server: IiifServer,
    publisher: Publisher,
    answer: tuple[int, dict[str, str], bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("urllib3.util.Retry.sleep", lambda *_: None)
    update = ("collection", "update", rules, "--private-too")
    assert run_program(*update).exit_code == 0
    before = revisions(publisher)
    server.trouble = lambda path: answer
    result = run_program(*update)
    assert result.exit_code == 2
    assert "What was fetched is kept." in result.stderr
    assert revisions(publisher) == before
    listed = run_program("collection", "harvests", rules)
    assert (listed.exit_code, len(listed.stdout.splitlines())) == (1, 2)


def test_a_second_update_at_the_same_time_changes_nothing(
    run_program: Run, rules: Path, server: IiifServer, publisher: Publisher
) -> None:
    with take_turn(rules.parent / "manifests"):
        for verb in ("update", "harvest"):
            result = run_program("collection", verb, rules, "--private-too")
            assert result.exit_code == 2
            assert "is running: wait until it has ended." in result.stderr
    assert server.requests == []
    assert run_program("collection", "update", rules, "--private-too").exit_code == 0


def test_a_service_that_fails_half_way_is_made_up_for_by_the_next_update(
    run_program: Run, rules: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = ("collection", "update", rules, "--private-too")

    def fail(*_: object, **__: object) -> None:
        raise TransientError("S3 does not answer")

    with monkeypatch.context() as patched:
        patched.setattr("vitrine.cli.collection.publish.publish_objects", fail)
        result = run_program(*update)
    assert result.exit_code == 2
    assert "S3 does not answer" in result.stderr
    assert publisher.journal.latest("books") is None
    assert run_program(*update).exit_code == 0
    assert members(publisher) == ["b1", "b2"]
