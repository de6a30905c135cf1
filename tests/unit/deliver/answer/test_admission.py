"""The gateway knows a new key of tickets soon, and forged tickets cause it no work."""

import asyncio
import time
from threading import Event
from typing import Any

import pytest

from vitrine.access.keys import Keys
from vitrine.access.tickets import Ticket, sign_ticket
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.admission import TICKET_HEADER, TicketAdmission
from vitrine.deliver.http.exchange import Request
from vitrine.errors import TicketRequired
from vitrine.store.ticket_keys import (
    SOONEST_SECONDS,
    CachedTicketKeys,
    TicketKeys,
    change_ticket_keys,
    read_ticket_keys,
)

PATH = "/restricted/staff/iiif/3/a/full/max/0/default.jpg"


class CountingStore(MemoryObjectStore):
    """A store that counts its readers, and lets them wait."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.may_go_on = Event()
        self.may_go_on.set()

    def get(self, key: str) -> Any:
        self.reads += 1
        assert self.may_go_on.wait(30)
        return super().get(key)


class Gate:
    """An admission at a time of its own."""

    def __init__(self) -> None:
        self.store = CountingStore()
        self.now = 1_000.0
        change_ticket_keys(self.store, TicketKeys.rotate)
        cached = CachedTicketKeys(self.store, clock=lambda: self.now)
        self.admission = TicketAdmission(cached)
        self.store.reads = 0

    def ticket(self, keys: Keys | None = None) -> str:
        """Return a ticket signed with the newest key that is stored, or with others."""
        now, reads = int(time.time()), self.store.reads
        signing = keys or read_ticket_keys(self.store).keys
        self.store.reads = reads
        ticket = Ticket(issued_at=now, expires_at=now + 600, rights=("staff",))
        return sign_ticket(ticket, signing)

    async def admits(self, text: str) -> bool:
        request = Request(method="GET", path=PATH, headers={TICKET_HEADER: text})
        try:
            await self.admission.admit(request, PATH)
        except TicketRequired:
            return False
        return True


@pytest.fixture
def gate() -> Gate:
    return Gate()


def test_a_ticket_of_a_new_key_is_known_at_once(gate: Gate) -> None:
    async def visit() -> list[bool]:
        before = await gate.admits(gate.ticket())
        change_ticket_keys(gate.store, TicketKeys.rotate)
        gate.now += SOONEST_SECONDS
        return [before, await gate.admits(gate.ticket())]

    assert asyncio.run(visit()) == [True, True]


def test_ten_thousand_forged_tickets_cause_one_read(gate: Gate) -> None:
    async def visit() -> None:
        assert await gate.admits(gate.ticket())
        gate.now += SOONEST_SECONDS
        for _ in range(100):
            text = gate.ticket(Keys.create())
            assert [await gate.admits(text) for _ in range(100)] == [False] * 100

    asyncio.run(visit())
    assert gate.store.reads == 2


def test_many_who_come_at_once_wait_for_one_read(gate: Gate) -> None:
    async def visit() -> list[bool]:
        text = gate.ticket()
        gate.store.may_go_on.clear()
        waiting = [asyncio.create_task(gate.admits(text)) for _ in range(50)]
        await asyncio.sleep(0)
        gate.store.may_go_on.set()
        return await asyncio.gather(*waiting)

    assert asyncio.run(visit()) == [True] * 50
    assert gate.store.reads == 1
