"""A slow table delays the names that it has to be asked for, and no image that was shown before."""

import asyncio
import random
import threading
from collections.abc import Collection

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.deliver_records import GONE, live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.errors import Unavailable
from vitrine.identify.canary import CANARY
from vitrine.identify.resolve import Resolution, Serve, Unknown, WithdrawnIdentifier
from vitrine.records import Record

TTL = 30.0


class HeldTable(MemoryIdentifierTable):
    """Holds every read of a name that begins with "x" until it is let go, and notes all reads."""

    def __init__(self, *records: Record) -> None:
        super().__init__(CANARY, *records)
        self.reads: list[list[str]] = []
        self.let_go = threading.Event()

    def get(self, identifier: str) -> Record | None:
        self._hold([identifier])
        return super().get(identifier)

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record]:
        self._hold([name for name in identifiers if name != CANARY.identifier])
        return {name: self._records[name] for name in identifiers if name in self._records}

    def _hold(self, names: list[str]) -> None:
        self.reads.append(names)
        if any(name.startswith("x") for name in names):
            assert self.let_go.wait(60)


async def settle() -> None:
    """Let every task that can run come to its next wait."""
    for _ in range(20):
        await asyncio.sleep(0.005)


async def test_names_never_seen_do_not_delay_an_image_that_was_shown() -> None:
    table, clock = HeldTable(live()), Clock()

    lookup = RecordLookup(table, TTL, clock)
    await lookup.find("a")
    strangers = [asyncio.create_task(lookup.find(f"x{number}")) for number in range(50)]
    await settle()
    clock.now = TTL + 1
    result = await lookup.find("a")
    assert result.decision == Serve(live())
    assert lookup.is_current(result), "its record was read again while the others waited"
    table.let_go.set()
    assert {(await stranger).decision for stranger in strangers} == {Unknown()}
    lookup.close()


async def test_a_record_in_use_is_renewed_before_it_expires_and_nobody_waits() -> None:
    table, clock = HeldTable(live("x")), Clock()
    table.let_go.set()

    lookup = RecordLookup(table, TTL, clock)
    await lookup.find("x")
    table.let_go.clear()
    clock.now = TTL * 0.7
    result = await lookup.find("x")
    assert lookup.is_current(result)
    clock.now = TTL * 0.9
    assert lookup.is_current(await lookup.find("x"))
    table.let_go.set()
    await settle()
    clock.now = TTL + 1
    assert lookup.live_now("x") == (live("x"), 16.0)
    assert table.reads == [["x"], ["x"]]
    lookup.close()


async def test_names_that_wait_together_are_read_together() -> None:
    table = HeldTable(*(live(f"x{number}") for number in range(0, 60, 2)))

    lookup = RecordLookup(table, TTL)
    finds = [asyncio.create_task(lookup.find(f"x{number}")) for number in range(60)]
    await settle()
    table.let_go.set()
    decisions = [(await find).decision for find in finds]
    lookup.close()
    expected = [Unknown() if n % 2 else Serve(live(f"x{n}")) for n in range(60)]
    assert decisions == expected
    assert len(table.reads) <= 10, table.reads


async def test_more_unknown_names_than_can_be_read_soon_are_refused_at_once() -> None:
    table = HeldTable()

    lookup = RecordLookup(table, TTL)
    finds = [asyncio.create_task(lookup.find(f"x{number}")) for number in range(500)]
    await settle()
    refused = [find for find in finds if find.done()]
    assert 300 < len(refused) < 500
    for find in refused:
        with pytest.raises(Unavailable, match="try again"):
            find.result()
    table.let_go.set()
    for find in finds[:50]:
        assert (await find).decision == Unknown()
    lookup.close()


async def test_a_name_nobody_waits_for_any_more_is_not_read() -> None:
    table = HeldTable()

    lookup = RecordLookup(table, TTL)
    first = [asyncio.create_task(lookup.find(f"x{number}")) for number in range(20)]
    late = [asyncio.create_task(lookup.find(f"y{number}")) for number in range(20)]
    await settle()
    for find in late[5:]:
        find.cancel()
    await settle()
    table.let_go.set()
    await asyncio.gather(*first, *late[:5])
    await settle()
    lookup.close()
    read = {name for names in table.reads for name in names}
    assert {f"y{number}" for number in range(5)} <= read
    assert not {f"y{number}" for number in range(5, 20)} & read


@pytest.mark.parametrize("seed", range(20))
async def test_no_answer_is_older_than_the_lifetime_of_a_record(seed: int) -> None:
    """So a withdrawal takes effect within `identifier_ttl_seconds`, however often it is asked."""
    rng = random.Random(seed)
    table, clock = MemoryIdentifierTable(CANARY), Clock()
    history: list[tuple[float, Resolution]] = [(-1000.0, Unknown())]

    lookup = RecordLookup(table, TTL, clock)
    for revision in range(1, 60):
        clock.now += rng.choice((0.5, 3.0, 12.0, 40.0))
        if rng.random() < 0.3:
            current = table._records.get("a")
            withdrawn = rng.random() < 0.5
            record: Record = (
                live(revision=revision)
                if not withdrawn
                else type(GONE)(
                    identifier="a", reason=str(revision), changed_at="", revision=revision
                )
            )
            table.write(record, current)
            decision = (
                WithdrawnIdentifier(str(revision), "")
                if withdrawn
                else Serve(live(revision=revision))
            )
            history.append((clock.now, decision))
        found = (await lookup.find("a")).decision
        ends = [began for began, _ in history[1:]] + [clock.now + 1]
        recent = [
            state for (_, state), end in zip(history, ends, strict=True) if end >= clock.now - TTL
        ]
        assert found in recent, (clock.now, history)
        if rng.random() < 0.2:
            await asyncio.sleep(0.001)  # a renewal may end, or not
    lookup.close()
