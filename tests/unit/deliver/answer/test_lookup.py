"""The table of identifiers is read rarely, and while it is silent, memory answers."""

import asyncio
import dataclasses
import math
import threading
import time

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.deliver_records import GONE, REDIRECT, live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.errors import TransientError, Unavailable
from vitrine.identify.canary import CANARY
from vitrine.identify.resolve import MovedTo, Serve, Unknown, WithdrawnIdentifier
from vitrine.iiif.address import parse_address
from vitrine.records import Record, Redirect, Removed


class CountingTable(MemoryIdentifierTable):
    """A table that counts its reads and can be made to fail."""

    def __init__(self, *records: Record, seconds: float = 0.0) -> None:
        super().__init__(CANARY, *records)
        self.asked: list[str] = []
        self.is_broken = False
        self._seconds = seconds

    def get(self, identifier: str) -> Record | None:
        if identifier != CANARY.identifier:
            self.asked.append(identifier)
        time.sleep(self._seconds)
        if self.is_broken:
            raise TransientError("throttled")
        return super().get(identifier)


async def test_an_identifier_is_served_moved_withdrawn_or_unknown() -> None:
    table = CountingTable(live(), REDIRECT, GONE)

    lookup = RecordLookup(table, 30)
    assert (await lookup.find("a")).decision == Serve(live())
    assert (await lookup.find("old")).decision == MovedTo("a")
    assert isinstance((await lookup.find("lost")).decision, WithdrawnIdentifier)
    assert (await lookup.find("nobody")).decision == Unknown()
    lookup.close()


async def test_names_tried_at_random_displace_no_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitrine.deliver.answer.lookup.CAPACITY", 4)
    table = CountingTable(live())

    lookup = RecordLookup(table, 30)
    await lookup.find("a")
    for number in range(20):
        await lookup.find(f"guess-{number}")
    table.asked.clear()
    assert (await lookup.find("a")).decision == Serve(live())
    assert (await lookup.find("guess-19")).decision == Unknown()
    assert table.asked == []
    await lookup.find("guess-0")
    assert table.asked == ["guess-0"], "the oldest guesses are forgotten"
    lookup.close()


async def test_what_can_be_no_identifier_is_unknown_without_asking() -> None:
    table = CountingTable()

    lookup = RecordLookup(table, 30)
    for text in ("..", "a\0b", "\x07", "x" * 300, "info.json"):
        assert (await lookup.find(text)).decision == Unknown()
    lookup.close()
    assert table.asked == []


async def test_a_decomposed_accent_finds_the_composed_identifier() -> None:
    address = parse_address("/iiif/3/e%CC%81te%CC%81/info.json")
    assert address
    assert address.identifier == "e\u0301te\u0301"

    lookup = RecordLookup(CountingTable(live("\u00e9t\u00e9")), 30)
    result = await lookup.find(address.normalised_identifier)
    assert isinstance(result.decision, Serve)
    lookup.close()


async def test_a_record_is_asked_once_per_lifetime_an_unknown_one_sooner() -> None:
    table, clock = CountingTable(live()), Clock()

    lookup = RecordLookup(table, 30, clock)
    for moment in (0.0, 19.0, 30.0):
        clock.now = moment
        await lookup.find("a")
    for moment in (30.0, 31.0, 33.0):
        clock.now = moment
        await lookup.find("nobody")
    lookup.close()
    assert table.asked == ["a", "a", "nobody", "nobody"]


async def test_many_who_ask_at_once_ask_the_table_once() -> None:
    table = CountingTable(live(), seconds=0.05)

    lookup = RecordLookup(table, 30)
    await asyncio.gather(*(lookup.find("a") for _ in range(50)))
    lookup.close()
    assert table.asked == ["a"]


async def test_an_expired_record_answers_while_the_table_does_not() -> None:
    table, clock = CountingTable(live()), Clock()

    lookup = RecordLookup(table, 30, clock)
    await lookup.find("a")
    table.is_broken = True
    clock.now = 100.0
    assert (await lookup.find("a")).decision == Serve(live())
    with pytest.raises(Unavailable):
        await lookup.find("b")
    clock.now = 1000.0
    with pytest.raises(Unavailable):
        await lookup.find("a")
    lookup.close()


def redirect(identifier: str, target: str) -> Redirect:
    return Redirect(identifier=identifier, target=target, changed_at="2026")


def replace(table: MemoryIdentifierTable, record: Record) -> None:
    """Write a record as the register does."""
    current = table._records.get(record.identifier)
    table.write(
        dataclasses.replace(record, revision=current.revision + 1 if current else 1), current
    )


async def test_a_rename_is_followed_though_the_redirect_to_it_is_remembered() -> None:
    """`a` led to `b` when both were read; then `b` is retargeted, and its record expires first."""
    table, clock = CountingTable(live("b"), live("c"), redirect("a", "b")), Clock()

    lookup = RecordLookup(table, 30, clock)
    await lookup.find("b")
    clock.now = 20.0
    assert (await lookup.find("a")).decision == MovedTo("b")
    clock.now = 31.0
    replace(table, redirect("b", "c"))
    assert (await lookup.find("a")).decision == MovedTo("c")
    lookup.close()


async def test_a_redirect_to_what_was_missing_a_moment_ago_is_followed() -> None:
    """A rename writes first the new name, which was requested too early, then the old one."""
    table, clock = CountingTable(live("old")), Clock()

    lookup = RecordLookup(table, 30, clock)
    assert (await lookup.find("new")).decision == Unknown()
    clock.now = 1.0
    replace(table, live("new"))
    replace(table, redirect("old", "new"))
    assert (await lookup.find("old")).decision == MovedTo("new")
    lookup.close()


async def test_a_redirect_that_was_led_away_from_a_removed_one_is_read_again() -> None:
    """`b` expires before `a`, which still leads to it."""
    table, clock = CountingTable(live("c"), redirect("a", "b"), redirect("b", "c")), Clock()

    lookup = RecordLookup(table, 30, clock)
    await lookup.find("b")
    clock.now = 20.0
    assert (await lookup.find("a")).decision == MovedTo("c")
    replace(table, redirect("a", "c"))
    replace(table, Removed(identifier="b", changed_at="2026"))
    clock.now = 31.0
    assert (await lookup.find("a")).decision == MovedTo("c")
    lookup.close()


async def test_redirects_in_a_circle_are_unknown_and_cost_a_bounded_number_of_questions() -> None:
    table = CountingTable(redirect("a", "b"), redirect("b", "a"))

    lookup = RecordLookup(table, 30)
    assert (await lookup.find("a")).decision == Unknown()
    lookup.close()
    assert len(table.asked) <= 4


async def test_a_redirect_answers_from_memory_while_the_table_does_not() -> None:
    table, clock = CountingTable(live("b"), redirect("a", "b"), redirect("x", "nobody")), Clock()

    lookup = RecordLookup(table, 30, clock)
    for name in ("a", "x"):
        await lookup.find(name)
    table.is_broken = True
    clock.now = 31.0
    assert (await lookup.find("a")).decision == MovedTo("b")
    assert (await lookup.find("x")).decision == Unknown()
    lookup.close()


async def test_a_silent_table_does_not_hold_up_those_who_ask_for_what_is_known() -> None:
    """Nobody waits for its answer: a hundred expired records are not a hundred timeouts."""
    silence = threading.Event()

    class Silent(CountingTable):
        silent = False

        def get(self, identifier: str) -> Record | None:
            if self.silent:
                silence.wait(60)
            return super().get(identifier)

    images = [live(f"image {number}") for number in range(100)]
    table, clock = Silent(*images), Clock()

    lookup = RecordLookup(table, 30, clock)
    names = [image.identifier for image in images]
    await asyncio.gather(*(lookup.find(name) for name in names))
    clock.now += 31
    table.silent = True
    results = await asyncio.gather(*(lookup.find(name) for name in names))
    assert [result.decision for result in results] == [Serve(image) for image in images]
    assert not any(lookup.is_current(result) for result in results)
    silence.set()
    while len(table.asked) < 200:
        await asyncio.sleep(0.01)
    lookup.close()


async def test_a_result_expires_with_the_first_of_its_records() -> None:
    table, clock = CountingTable(live("b"), redirect("a", "b")), Clock()

    lookup = RecordLookup(table, 30, clock)
    assert (await lookup.find("b")).expires == 30.0
    clock.now = 20.0
    result = await lookup.find("a")
    assert result.expires == 30.0, "the target's record was read first"
    clock.now = 29.0
    assert lookup.is_current(result)
    clock.now = 30.0
    assert not lookup.is_current(result)
    assert (await lookup.find("nobody")).expires == math.inf
    lookup.close()


async def test_a_result_that_expired_is_confirmed_by_the_table_alone() -> None:
    table, clock = CountingTable(live()), Clock()

    lookup = RecordLookup(table, 30, clock)
    result = await lookup.find("a")
    table.asked.clear()
    assert await lookup.confirm(result)
    assert table.asked == [], "a current result needs no confirmation"
    clock.now = 31.0
    assert await lookup.confirm(result)
    assert table.asked == ["a"]
    clock.now, table.is_broken = 62.0, True
    assert not await lookup.confirm(result), "an expired record confirms nothing"
    clock.now = 1000.0
    assert not await lookup.confirm(result), "nor does a table without an answer"
    table.is_broken = False
    replace(table, live(version="f" * 16))
    assert not await lookup.confirm(result)
    lookup.close()


async def test_a_record_that_misled_confirms_no_earlier_result() -> None:
    """A redirect led nowhere, so it is read again; an answer made from it meanwhile is not kept."""
    table, clock = CountingTable(live("b"), redirect("a", "b")), Clock()

    lookup = RecordLookup(table, 30, clock)
    await lookup.find("b")
    clock.now = 20.0
    earlier = await lookup.find("a")
    replace(table, Removed(identifier="b", changed_at="2026"))
    replace(table, redirect("a", "c"))
    clock.now = 31.0
    assert (await lookup.find("a")).decision == Unknown()
    assert not await lookup.confirm(earlier)
    lookup.close()
