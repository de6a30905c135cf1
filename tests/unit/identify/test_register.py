"""Identifiers change completely or not at all, whichever process dies or comes second."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import RecordDamaged, SupersededMaster, TransientError
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.records import Gone, Record, Redirect

NAME = "nacht/wache 50%"


def tombstone(reason: str) -> Gone:
    return Gone(identifier=NAME, reason=reason, changed_at="2026")


def replace_by(record: Record) -> Callable[[Record | None], Record]:
    return lambda current: record


class Lossy:
    """Does the work and then says that it failed, on the calls with these numbers."""

    def __init__(self, port: Any, *methods: str, at: Callable[[], bool]) -> None:
        self._port, self._methods, self._at = port, methods, at

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        def call(*arguments: Any, **named: Any) -> Any:
            result = method(*arguments, **named)
            if name in self._methods and self._at():
                raise TransientError(f"the answer of {name} was lost")
            return result

        return call


class Rig:
    def __init__(self) -> None:
        self.table, self.store = MemoryIdentifierTable(), MemoryObjectStore()
        self.bus = MemoryEventBus()
        self.journal = Journal(self.store)

    def register(self, table: Any = None, store: Any = None, bus: Any = None) -> Register:
        return Register(table or self.table, Journal(store or self.store), bus or self.bus)

    def revisions(self) -> list[int]:
        return [record.revision for record in self.journal.history(NAME)]


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_each_change_is_in_the_journal_with_the_next_revision(rig: Rig) -> None:
    first = rig.register().change(NAME, replace_by(tombstone("a")))
    second = rig.register().change(
        NAME, replace_by(Redirect(identifier=NAME, target="b", changed_at="1"))
    )
    assert (first.replaced, first.made) == (None, True)
    assert second.replaced == first.after == replace(tombstone("a"), revision=1)
    assert rig.table.get(NAME) == second.after
    assert rig.journal.history(NAME) == [first.after, second.after]


def test_what_needs_no_change_is_not_written_but_announced_again(rig: Rig) -> None:
    rig.register().change(NAME, replace_by(tombstone("a")))
    made = rig.register().change(NAME, replace_by(tombstone("b")))
    again = rig.register().change(NAME, lambda current: None)
    assert rig.revisions() == [1, 2]
    assert (again.replaced, again.after, again.made) == (made.replaced, made.after, False)
    assert [detail["revision"] for _, detail in rig.bus.events] == [1, 2, 2]


def test_what_is_forbidden_changes_nothing(rig: Rig) -> None:
    def refuse(current: Record | None) -> Record | None:
        raise SupersededMaster(NAME)

    with pytest.raises(SupersededMaster):
        rig.register().change(NAME, refuse)
    assert (rig.table.get(NAME), rig.revisions(), rig.bus.events) == (None, [], [])


def test_a_change_whose_table_write_never_came_is_made_by_the_next(rig: Rig) -> None:
    rig.register().change(NAME, replace_by(tombstone("a")))
    dying = rig.register(table=Breaking(rig.table, times=1, methods=frozenset({"write"})))
    with pytest.raises(TransientError):
        dying.change(NAME, replace_by(tombstone("b")))
    assert rig.table.get(NAME) == replace(tombstone("a"), revision=1)

    def after_b(current: Record | None) -> Record | None:
        return None if isinstance(current, Gone) and current.reason == "c" else tombstone("c")

    change = rig.register().change(NAME, after_b)
    assert change.replaced == replace(tombstone("b"), revision=2)
    assert rig.table.get(NAME) == replace(tombstone("c"), revision=3)


def test_a_lost_answer_of_the_journal_is_no_conflict_with_oneself(rig: Rig) -> None:
    class Twice(MemoryObjectStore):
        """Puts twice, as an SDK that repeats a request whose response was lost."""

        def put(self, *arguments: Any, **named: Any) -> Any:
            super().put(*arguments, **named)
            return super().put(*arguments, **named)

    store = Twice()
    change = rig.register(store=store).change(NAME, replace_by(tombstone("a")))
    assert change.made
    assert rig.table.get(NAME) == change.after
    assert [record.revision for record in Journal(store).history(NAME)] == [1]


def test_a_table_that_fell_behind_catches_up_with_its_journal(rig: Rig) -> None:
    for reason in "abc":
        rig.register().change(NAME, replace_by(tombstone(reason)))
    forgetful = MemoryIdentifierTable(replace(tombstone("a"), revision=1))
    change = rig.register(table=forgetful).change(NAME, replace_by(tombstone("d")))
    assert change.replaced == replace(tombstone("c"), revision=3)
    assert forgetful.get(NAME) == replace(tombstone("d"), revision=4)


@pytest.mark.parametrize("seed", range(8))
def test_no_change_is_lost_or_made_twice_among_writers_that_fail(rig: Rig, seed: int) -> None:
    """Each writer appends its own number once; the final record has every number once."""
    rng, lock = random.Random(seed), threading.Lock()

    def sometimes() -> bool:
        with lock:
            return rng.random() < 0.2

    def append(mine: str) -> Callable[[Record | None], Record | None]:
        def edit(current: Record | None) -> Record | None:
            said = current.reason.split() if isinstance(current, Gone) else []
            return None if mine in said else tombstone(" ".join([*said, mine]))

        return edit

    def write(number: int) -> None:
        for mine in (f"{number}-{turn}" for turn in range(5)):
            while True:
                table = Lossy(Breaking(rig.table, every=7), "write", at=sometimes)
                store = Lossy(Breaking(rig.store, every=5), "put", at=sometimes)
                bus = Lossy(rig.bus, "publish", at=sometimes)
                try:
                    rig.register(table, store, bus).change(NAME, append(mine))
                    break
                except TransientError:
                    continue

    writers = [threading.Thread(target=write, args=(number,)) for number in range(5)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    record = rig.table.get(NAME)
    assert isinstance(record, Gone)
    expected = sorted(f"{number}-{turn}" for number in range(5) for turn in range(5))
    assert sorted(record.reason.split()) == expected
    assert record == rig.journal.latest(NAME)
    assert rig.revisions() == list(range(1, 26))
    assert {detail["revision"] for _, detail in rig.bus.events} <= set(range(1, 26))


@pytest.mark.parametrize("has_revision", [True, False])
def test_a_change_of_a_damaged_record_writes_it_again_from_the_journal(has_revision: bool) -> None:
    rig = Rig()
    rig.register().change(NAME, replace_by(tombstone("first")))
    rig.table.damage(NAME, has_revision=has_revision)
    seen: list[Record | None] = []
    change = rig.register().change(NAME, lambda current: seen.append(current))
    assert seen == [replace(tombstone("first"), revision=1)]
    assert not change.made
    assert rig.table.get(NAME) == seen[0]
    rig.table.damage(NAME, has_revision=has_revision)
    rig.register().change(NAME, replace_by(tombstone("second")))
    assert rig.table.get(NAME) == replace(tombstone("second"), revision=2)


def test_a_damaged_record_without_a_journal_is_named() -> None:
    rig = Rig()
    rig.table.write(replace(tombstone("x"), revision=1), None)
    rig.table.damage(NAME)
    with pytest.raises(RecordDamaged, match=NAME):
        rig.register().change(NAME, replace_by(tombstone("y")))
