"""The table of identifiers is asked seldom, and its absence is bridged."""

import asyncio
import time

import pytest
from deliver_records import GONE, REDIRECT, live

from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.deliver.lookup import RecordLookup
from vitrine.errors import TransientError, Unavailable
from vitrine.identify.decide import MovedTo, Serve, Unknown, Withdrawn
from vitrine.identify.record import Record


class CountingTable(MemoryIdentifierTable):
    """Counts and may fail."""

    def __init__(self, *records: Record, seconds: float = 0.0) -> None:
        super().__init__(*records)
        self.asked: list[str] = []
        self.is_broken = False
        self._seconds = seconds

    def get(self, identifier: str) -> Record | None:
        self.asked.append(identifier)
        time.sleep(self._seconds)
        if self.is_broken:
            raise TransientError("throttled")
        return super().get(identifier)


class Clock:
    """Told what time it is."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_identifier_is_served_moved_withdrawn_or_unknown() -> None:
    table = CountingTable(live(), REDIRECT, GONE)

    async def find() -> None:
        lookup = RecordLookup(table, 30)
        assert await lookup.find("a") == Serve(live())
        assert await lookup.find("old") == MovedTo("a")
        assert isinstance(await lookup.find("lost"), Withdrawn)
        assert await lookup.find("nobody") == Unknown()
        lookup.close()

    asyncio.run(find())


def test_what_can_be_no_identifier_is_unknown_without_asking() -> None:
    table = CountingTable()

    async def find() -> None:
        lookup = RecordLookup(table, 30)
        for text in ("..", "a\0b", "\x07", "x" * 300, "info.json"):
            assert await lookup.find(text) == Unknown()
        lookup.close()

    asyncio.run(find())
    assert table.asked == []


def test_a_decomposed_accent_finds_the_composed_identifier() -> None:
    async def find() -> None:
        lookup = RecordLookup(CountingTable(live("\u00e9t\u00e9")), 30)
        assert isinstance(await lookup.find("e\u0301te\u0301"), Serve)
        lookup.close()

    asyncio.run(find())


def test_a_record_is_asked_once_per_lifetime_an_unknown_one_sooner() -> None:
    table, clock = CountingTable(live()), Clock()

    async def find() -> None:
        lookup = RecordLookup(table, 30, clock)
        for moment in (0.0, 29.0, 30.0):
            clock.now = moment
            await lookup.find("a")
        for moment in (30.0, 31.0, 33.0):
            clock.now = moment
            await lookup.find("nobody")
        lookup.close()

    asyncio.run(find())
    assert table.asked == ["a", "a", "nobody", "nobody"]


def test_many_who_ask_at_once_ask_the_table_once() -> None:
    table = CountingTable(live(), seconds=0.05)

    async def find() -> None:
        lookup = RecordLookup(table, 30)
        await asyncio.gather(*(lookup.find("a") for _ in range(50)))
        lookup.close()

    asyncio.run(find())
    assert table.asked == ["a"]


def test_an_expired_record_answers_while_the_table_does_not() -> None:
    table, clock = CountingTable(live()), Clock()

    async def find() -> None:
        lookup = RecordLookup(table, 30, clock)
        await lookup.find("a")
        table.is_broken = True
        clock.now = 100.0
        assert await lookup.find("a") == Serve(live())
        with pytest.raises(Unavailable):
            await lookup.find("b")
        clock.now = 1000.0
        with pytest.raises(Unavailable):
            await lookup.find("a")
        lookup.close()

    asyncio.run(find())
