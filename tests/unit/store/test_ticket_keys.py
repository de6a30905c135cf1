"""What several people change at a time is at the edge as it is stored, in any order of writers."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from vitrine.adapters.memory.edge_keys import MemoryEdgeKeys
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import PreconditionFailed, TransientError
from vitrine.ports import ObjectInfo
from vitrine.store.layout import TICKET_KEYS
from vitrine.store.ticket_keys import (
    TicketKeys,
    change_ticket_keys,
    copy_ticket_keys,
    read_ticket_keys,
)

LINK = "0123456789abcdef"
SECONDS = 30


class PausedEdge(MemoryEdgeKeys):
    """An edge whose first writer is held up just before it writes."""

    def __init__(self) -> None:
        super().__init__()
        self.is_reached, self.may_go_on = threading.Event(), threading.Event()

    def replace(self, values: Mapping[str, str]) -> None:
        if not self.is_reached.is_set():
            self.is_reached.set()
            assert self.may_go_on.wait(SECONDS)
        super().replace(values)


@pytest.fixture
def records() -> MemoryObjectStore:
    made = MemoryObjectStore()
    change_ticket_keys(made, TicketKeys.rotate)
    change_ticket_keys(made, TicketKeys.rotate)
    return made


class LosingAnswers(MemoryObjectStore):
    """A store whose first write arrives, and is sent again since its answer was lost."""

    is_lost = False

    def put(self, key: str, body: bytes, **how: Any) -> ObjectInfo:
        made = super().put(key, body, **how)
        if self.is_lost:
            self.is_lost = False
            return super().put(key, body, **how)
        return made


def test_a_rotation_whose_answer_is_lost_ends_no_key_that_signed() -> None:
    store = LosingAnswers()
    for _ in range(2):
        change_ticket_keys(store, TicketKeys.rotate)
    signing = read_ticket_keys(store).keys.current
    store.is_lost = True
    change_ticket_keys(store, TicketKeys.rotate)
    assert not store.is_lost
    assert signing in read_ticket_keys(store).keys.secrets


def revoke(current: TicketKeys) -> TicketKeys:
    return current.revoke(LINK, 9_999, 0)


@pytest.mark.parametrize(
    "others", [[revoke], [TicketKeys.rotate], [TicketKeys.rotate, revoke, TicketKeys.rotate]]
)
def test_a_late_writer_does_not_bring_back_what_others_took_away(
    records: MemoryObjectStore, others: list[Callable[[TicketKeys], TicketKeys]]
) -> None:
    edge = PausedEdge()
    late = threading.Thread(target=copy_ticket_keys, args=(records, edge))
    late.start()
    assert edge.is_reached.wait(SECONDS)
    for change in others:
        change_ticket_keys(records, change)
        copy_ticket_keys(records, edge)
    edge.may_go_on.set()
    late.join(SECONDS)
    assert edge.values == read_ticket_keys(records).edge_values()


def test_a_copy_that_another_came_before_is_made_again(records: MemoryObjectStore) -> None:
    class Changed(MemoryEdgeKeys):
        refusals = 2

        def replace(self, values: Mapping[str, str]) -> None:
            if self.refusals:
                self.refusals -= 1
                raise PreconditionFailed("the store has another ETag")
            super().replace(values)

    edge = Changed()
    assert copy_ticket_keys(records, edge) == read_ticket_keys(records)
    assert edge.values == read_ticket_keys(records).edge_values()


def test_an_edge_that_others_keep_changing_is_named(records: MemoryObjectStore) -> None:
    class Busy(MemoryEdgeKeys):
        def replace(self, values: Mapping[str, str]) -> None:
            raise PreconditionFailed("the store has another ETag")

    with pytest.raises(TransientError, match="changed by others"):
        copy_ticket_keys(records, Busy())


def test_a_change_that_changes_nothing_writes_nothing(records: MemoryObjectStore) -> None:
    before = records.head(TICKET_KEYS)
    assert change_ticket_keys(records, lambda current: current) == read_ticket_keys(records)
    assert records.head(TICKET_KEYS) == before
