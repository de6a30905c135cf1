"""All gateways show a new version from one moment on, and the old one until then."""

import math
from datetime import datetime

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.errors import TransientError
from vitrine.identify.canary import CANARY
from vitrine.identify.resolve import Serve, WithdrawnIdentifier
from vitrine.identify.switch import replace_later
from vitrine.records import Gone, Record


class SilentTable(MemoryIdentifierTable):
    """A table that can be made silent."""

    is_broken = False

    def get(self, identifier: str) -> Record | None:
        if self.is_broken:
            raise TransientError("throttled")
        return super().get(identifier)

    def put(self, record: Record) -> None:
        """Write a record over the one that there is."""
        self.write(record, self.get(record.identifier))


PUBLISHED = "2026-11-22T10:00:00.000Z"
AT_PUBLICATION = datetime.fromisoformat(PUBLISHED).timestamp()


@pytest.mark.parametrize("is_broken", [False, True])
async def test_every_gateway_shows_the_old_version_until_one_moment_and_then_the_new(
    is_broken: bool,
) -> None:
    """Gateways that read the record at different times; the table may be silent at the moment."""
    old = live()
    new = replace_later(old, live(version="f" * 16, published_at=PUBLISHED), 90)
    tables = [SilentTable(CANARY, old) for _ in range(4)]
    clocks = [Clock() for _ in tables]
    # Monotonic clocks begin anywhere.
    walls = [lambda clock=clock: AT_PUBLICATION + clock.now - 10 for clock in clocks]
    gateways = [
        RecordLookup(table, 30, clock, wall_clock=wall)
        for table, clock, wall in zip(tables, clocks, walls, strict=True)
    ]
    for number, gateway in enumerate(gateways):
        clocks[number].now = 3.0 * number
        await gateway.find("a")
    for table in tables:
        table.put(new)
    shown = {}
    for now in (10.0, 45.0, 70.0, 99.0, 100.5, 140.0):
        for clock, table in zip(clocks, tables, strict=True):
            clock.now = now
            table.is_broken = is_broken and now > 90
        decisions = [(await gateway.find("a")).decision for gateway in gateways]
        assert all(decision == decisions[0] for decision in decisions), now
        assert isinstance(decisions[0], Serve)
        shown[now] = decisions[0].image.version
    assert [version == new.version for version in shown.values()] == [False] * 4 + [True] * 2
    for gateway in gateways:
        gateway.close()


async def test_a_result_is_confirmed_with_the_switch_that_was_heard_of_meanwhile() -> None:
    old, clock = live(), Clock()
    table = SilentTable(CANARY, old)

    lookup = RecordLookup(table, 30, clock, wall_clock=lambda: AT_PUBLICATION + clock.now)
    result = await lookup.find("a")
    assert lookup.seconds_until_switch(result) == math.inf
    table.put(replace_later(old, live(version="f" * 16, published_at=PUBLISHED), 90))
    clock.now = 31.0
    confirmed = await lookup.confirm(result)
    assert confirmed
    assert lookup.seconds_until_switch(confirmed) == 59
    assert lookup.live_now("a") is None, "the fast way knows one lifetime only"
    clock.now = 60.0
    earlier = await lookup.find("a")
    clock.now = 90.0
    assert not await lookup.confirm(earlier), "a render that ends after the moment shows the old"
    image, _ = lookup.live_now("a") or (None, 0)
    assert image
    assert image.version == "f" * 16
    lookup.close()


async def test_a_withdrawal_waits_for_no_switch() -> None:
    clock = Clock()
    table = SilentTable(CANARY, live())

    lookup = RecordLookup(table, 30, clock, wall_clock=lambda: AT_PUBLICATION + clock.now)
    table.put(replace_later(live(), live(version="f" * 16, published_at=PUBLISHED), 90))
    assert isinstance((await lookup.find("a")).decision, Serve)
    table.put(Gone(identifier="a", reason="rights", changed_at=PUBLISHED))
    clock.now = 31.0
    assert isinstance((await lookup.find("a")).decision, WithdrawnIdentifier)
    lookup.close()
