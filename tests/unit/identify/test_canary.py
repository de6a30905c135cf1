"""The canary tells a whole table from an empty one, and nothing vouches for a table by accident."""

import pytest

from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import MasterRejected
from vitrine.identify.canary import CANARY, CANARY_IDENTIFIER, guard_table, plant_canary
from vitrine.identify.identifier import check_identifier
from vitrine.identify.journal import Journal
from vitrine.identify.rebuild import rebuild
from vitrine.identify.register import Register


def publish(table: MemoryIdentifierTable, records: MemoryObjectStore, identifier: str) -> None:
    Register(table, Journal(records), MemoryEventBus()).change(
        identifier, lambda current: live(identifier)
    )


def test_no_image_can_take_the_canarys_name() -> None:
    with pytest.raises(MasterRejected):
        check_identifier(CANARY_IDENTIFIER)


def test_a_table_is_marked_while_no_identifier_was_ever_given() -> None:
    table, records = MemoryIdentifierTable(), MemoryObjectStore()
    assert guard_table(table, records)
    assert table.get(CANARY_IDENTIFIER) == CANARY
    publish(table, records, "a")
    assert guard_table(table, records)


def test_a_table_that_lost_its_canary_is_vouched_for_by_a_rebuild_alone() -> None:
    table, records = MemoryIdentifierTable(), MemoryObjectStore()
    publish(table, records, "a")
    lost = MemoryIdentifierTable()
    publish(lost, records, "b")
    assert not guard_table(lost, records)
    rebuild(lost, records, dry_run=True)
    assert lost.get(CANARY_IDENTIFIER) is None
    rebuild(lost, records)
    assert guard_table(lost, records)
    assert lost.get("a") == table.get("a")


def test_a_canary_that_is_there_is_left_alone() -> None:
    table = MemoryIdentifierTable(CANARY)
    plant_canary(table)
    assert table.get(CANARY_IDENTIFIER) == CANARY
