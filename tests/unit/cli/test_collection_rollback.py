"""`vitrine collection rollback`: back to an earlier moment, as `publish` names it."""

import json
from collections.abc import Iterator
from itertools import count

import pytest
from msgspec.structs import replace

from tests.unit.catalogue.object_bench import book, shelf
from tests.unit.cli.conftest import Run
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher

pytestmark = pytest.mark.usefixtures("curated")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks: Iterator[int] = count(10)
    monkeypatch.setattr(
        "vitrine.catalogue.objects.now", lambda: f"2026-11-23T10:{next(ticks)}:00.000Z"
    )


@pytest.fixture
def changed(publisher: Publisher, clock: None) -> Objects:
    """A collection of a book that was published at 10:10 and changed at 10:12."""
    objects = Objects(publisher)
    objects.put(book())
    objects.put(shelf())
    objects.put(book(title="Wrong"))
    return objects


@pytest.mark.parametrize("to", ["2026-11-23T10:11:30Z", "2026-11-23T12:11:30+02:00"])
def test_the_earlier_title_is_back(run_program: Run, changed: Objects, to: str) -> None:
    result = run_program("collection", "rollback", "shelf", "--to", to)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "1 show again what they showed, 0 were withdrawn, 1 had not changed\n"
    latest = changed.publisher.journal.latest("book")
    assert latest
    assert latest.revision == 3
    shown = json.loads(run_program("object", "show", "book").stdout)
    assert shown["label"] == {"en": ["A book"]}


def test_objects_that_cannot_be_reverted_are_named(run_program: Run, changed: Objects) -> None:
    changed.rename("book", "volume")
    result = run_program("collection", "rollback", "shelf", "--to", "2026-11-23T10:11:30Z")
    assert result.exit_code == 1
    assert '"book" was renamed to "volume", and keeps that name.' in result.stdout


def test_a_rule_of_access_that_stays_is_said(run_program: Run, changed: Objects) -> None:
    changed.put(replace(shelf(), access="closed"))
    rollback = ("collection", "rollback", "shelf", "--to", "2026-11-23T10:11:30Z")
    result = run_program(*rollback)
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (
        0,
        [
            'The collection "shelf" keeps its rule of access, closed, though it was open then: '
            "`vitrine access collection shelf open` puts that back."
        ],
    )
    kept = json.loads(run_program(*rollback, "--json").stdout)["kept_rules"]
    assert kept == [{"identifier": "shelf", "rule": "closed", "then": ""}]


def test_an_invalid_time_is_answered_by_a_sentence(run_program: Run, changed: Objects) -> None:
    result = run_program("collection", "rollback", "shelf", "--to", "yesterday")
    assert result.exit_code == 2
    assert "'yesterday' is no time: write it as 2026-11-23T14:00" in result.stderr
