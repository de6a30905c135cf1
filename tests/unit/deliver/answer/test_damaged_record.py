"""One damaged record fails the requests for its image, not those that were read with it."""

import asyncio

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.deliver_records import REDIRECT, live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.errors import Unavailable
from vitrine.identify.canary import CANARY
from vitrine.identify.resolve import Serve


async def test_names_that_are_read_together_do_not_fail_together() -> None:
    table = MemoryIdentifierTable(CANARY, live("a"), live("b"), live("c"))
    table.damage("b")
    lookup = RecordLookup(table, 30)
    found = await asyncio.gather(*map(lookup.find, "abc"), return_exceptions=True)
    lookup.close()
    assert [getattr(one, "decision", None) for one in found] == [
        Serve(live("a")),
        None,
        Serve(live("c")),
    ]
    assert isinstance(found[1], Unavailable), "neither unknown nor a fault of the gateway"


async def test_an_image_that_was_known_goes_on_while_its_record_is_damaged() -> None:
    table, clock = MemoryIdentifierTable(CANARY, live("a")), Clock()
    lookup = RecordLookup(table, 30, clock)
    await lookup.find("a")
    table.damage("a")
    clock.now = 31
    assert (await lookup.find("a")).decision == Serve(live("a"))
    lookup.close()


async def test_a_redirect_to_a_damaged_record_is_not_unknown() -> None:
    table = MemoryIdentifierTable(CANARY, live("a"), REDIRECT)
    table.damage("a")
    lookup = RecordLookup(table, 30)
    with pytest.raises(Unavailable):
        await lookup.find(REDIRECT.identifier)
    lookup.close()
