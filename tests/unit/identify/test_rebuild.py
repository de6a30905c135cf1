"""A table of identifiers that was lost comes back from its journal, equal."""

from dataclasses import replace

import pytest

from tests.rigs.records import live
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.identify.journal import Journal
from vitrine.identify.rebuild import rebuild
from vitrine.identify.register import Register
from vitrine.records import Gone, Record, Redirect, Removed

IMAGE = live("a")
NAMES = [*(f"{number:04}" for number in range(1_200)), "a", "a b", "a/b", "a%2Fb", "日本"]


def records_of(name: str) -> list[Record]:
    """The history of an identifier: some are live, some became something else."""
    image = replace(IMAGE, identifier=name)
    ends: list[Record] = [
        Redirect(identifier=name, target="a", changed_at="2"),
        Gone(identifier=name, reason="Lost.", changed_at="2", previous_targets=("a",)),
        Removed(identifier=name, changed_at="2", previous_targets=("a",)),
    ]
    number = NAMES.index(name)
    return [image, *ends[: number % 4]]


@pytest.fixture(scope="module")
def records() -> MemoryObjectStore:
    """The journal of all NAMES, among other things."""
    store = MemoryObjectStore()
    store.put("aaa", b"", content_type="text/plain")
    store.put("metadata/a.json", b"", content_type="text/plain")
    register = Register(MemoryIdentifierTable(), Journal(store), MemoryEventBus())
    for name in NAMES:
        for record in records_of(name):
            register.change(name, lambda current, record=record: record)  # type: ignore[misc]
    return store


def expected_records() -> dict[str, Record]:
    return {name: replace(records_of(name)[-1], revision=len(records_of(name))) for name in NAMES}


@pytest.mark.slow
def test_a_wiped_table_comes_back_equal(records: MemoryObjectStore) -> None:
    table = MemoryIdentifierTable()
    counts = rebuild(table, records)
    assert table.get_many(NAMES) == expected_records()
    assert counts == {"identifiers": len(NAMES), "written": len(NAMES), "stood": 0}
    assert rebuild(table, records)["written"] == 0


def test_only_what_is_behind_is_written(records: MemoryObjectStore) -> None:
    early = [replace(records_of(name)[0], revision=1) for name in NAMES]
    newer = Gone(identifier="a", reason="After the listing.", changed_at="3", revision=9)
    table = MemoryIdentifierTable(*early, newer)
    counts = rebuild(table, records)
    changed = sum(len(records_of(name)) > 1 for name in NAMES if name != "a")
    assert counts["written"] == changed
    assert table.get_many(NAMES) == expected_records() | {"a": newer}


def test_a_dry_run_writes_nothing(records: MemoryObjectStore) -> None:
    table = MemoryIdentifierTable()
    assert rebuild(table, records, dry_run=True)["written"] == len(NAMES)
    assert table.get_many(NAMES) == {}


def test_a_rebuild_that_broke_off_is_ended_by_the_next(records: MemoryObjectStore) -> None:
    table = MemoryIdentifierTable()
    with pytest.raises(TransientError):
        rebuild(Breaking(table, every=700, methods=frozenset({"write"})), records)
    written = len(table.get_many(NAMES))
    assert 0 < written < len(NAMES)
    assert rebuild(table, records)["written"] == len(NAMES) - written
    assert table.get_many(NAMES) == expected_records()


def test_progress_is_reported_as_it_is_made(records: MemoryObjectStore) -> None:
    progress: list[int] = []
    rebuild(MemoryIdentifierTable(), records, on_progress=progress.append)
    assert sum(progress) == len(NAMES)
    assert len(progress) > 1


@pytest.mark.parametrize("has_revision", [True, False])
def test_a_damaged_item_is_written_again(records: MemoryObjectStore, has_revision: bool) -> None:
    table = MemoryIdentifierTable()
    rebuild(table, records)
    table.damage("a/b", has_revision=has_revision)
    assert rebuild(table, records)["written"] == 1
    assert table.get_many(NAMES) == expected_records()
