"""A table that has lost its records is not believed: what was known stands, the rest waits."""

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.deliver.answer.lookup import STALE_SECONDS, RecordLookup
from vitrine.deliver.http.faults import Faults
from vitrine.errors import Unavailable
from vitrine.identify.canary import CANARY
from vitrine.identify.resolve import Serve, Unknown

TTL = 30.0


def lose(table: MemoryIdentifierTable, *identifiers: str) -> None:
    """Delete records as a mistake or a wrong restore does: no code of ours can."""
    for identifier in identifiers:
        del table._records[identifier]


async def test_what_was_known_stands_when_the_table_has_lost_it() -> None:
    table, clock = MemoryIdentifierTable(CANARY, live()), Clock()

    lookup = RecordLookup(table, TTL, clock)
    await lookup.find("a")
    lose(table, "a")
    for moment in (TTL - 1, TTL + 1, TTL + STALE_SECONDS - 1):
        clock.now = moment
        assert (await lookup.find("a")).decision == Serve(live())
    result = await lookup.find("a")
    assert not lookup.is_current(result), "no cache may keep it"
    clock.now = TTL + STALE_SECONDS + 1
    assert (await lookup.find("a")).decision == Unknown(), "a whole table is believed in the end"
    lookup.close()


async def test_a_lost_record_is_counted_for_an_alarm(caplog: pytest.LogCaptureFixture) -> None:
    table, clock, faults = MemoryIdentifierTable(CANARY, live()), Clock(), Faults()

    lookup = RecordLookup(table, TTL, clock, faults)
    await lookup.find("a")
    lose(table, "a")
    clock.now = TTL + 1
    await lookup.find("a")
    lookup.close()
    assert faults.counts() == {"identifier-lost": 1}
    [line] = [record for record in caplog.records if hasattr(record, "fields")]
    assert line.__dict__["fields"] == {"event": "identifier-lost", "count": 1}


async def test_an_unknown_name_is_not_missing_while_the_table_has_no_canary() -> None:
    table, clock, faults = MemoryIdentifierTable(CANARY, live()), Clock(), Faults()

    lookup = RecordLookup(table, TTL, clock, faults)
    assert (await lookup.find("nobody")).decision == Unknown()
    lose(table, "a", CANARY.identifier)
    clock.now = 10.0
    for name in ("a", "b", "nobody"):
        with pytest.raises(Unavailable, match="restored"):
            await lookup.find(name)
    assert faults.counts() == {"identifiers-table-lost": 3}
    table.write(live(), None)
    assert (await lookup.find("a")).decision == Serve(live()), "what is there is served at once"
    table.write(CANARY, None)
    assert (await lookup.find("b")).decision == Unknown()
    lookup.close()


async def test_a_known_name_is_not_missing_however_long_the_table_is_lost() -> None:
    table, clock = MemoryIdentifierTable(CANARY, live()), Clock()

    lookup = RecordLookup(table, TTL, clock)
    await lookup.find("a")
    lose(table, "a", CANARY.identifier)
    clock.now = TTL + STALE_SECONDS + 1
    with pytest.raises(Unavailable):
        await lookup.find("a")
    lookup.close()
