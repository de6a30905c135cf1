"""A share link ends with the restriction under which it was made, whatever its image becomes."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import IdentifierRefused, RevisionChanged
from vitrine.identify.access_changes import set_access
from vitrine.identify.changes import end_links
from vitrine.identify.journal import Journal
from vitrine.identify.rebuild import rebuild
from vitrine.identify.register import Register
from vitrine.identify.share_links import is_shareable
from vitrine.records import Gone, Live, Record, Redirect

AT = "2026-11-25T08:00:00.000Z"
Step = Callable[[Register], object]


def become(record: Record) -> Step:
    return lambda register: register.change("a", lambda current: record)


def rule(text: str) -> Step:
    return lambda register: register.change("a", set_access("a", text, AT))


def replace_later(register: Register) -> None:
    """Publish another version, while the one before is still shown."""
    current = register.table.get("a")
    before = current if isinstance(current, Live) else live()
    newer = live(version="fedcba9876543210", before=replace(before, before=None), holds_from=AT)
    register.change("a", lambda _: newer)


KEEPS: dict[str, Step] = {
    "another right": rule("curators"),
    "another size": rule("small:700:staff"),
    "another version": become(live(version="fedcba9876543210")),
    "another version later": replace_later,
    "a smaller version": become(live(width=650, height=500, version="fedcba9876543212")),
}
ENDS: dict[str, Step] = {
    "opened": rule("open"),
    "closed": rule("closed"),
    "withdrawn": become(Gone(identifier="a", reason="Rights.", changed_at=AT)),
    "renamed": become(Redirect(identifier="a", target="b", changed_at=AT)),
    "all links ended": lambda register: register.change("a", end_links("a")),
}
STEPS = KEEPS | ENDS


@pytest.fixture
def store() -> MemoryObjectStore:
    return MemoryObjectStore()


def open_register(store: MemoryObjectStore) -> Register:
    register = Register(MemoryIdentifierTable(), Journal(store), MemoryEventBus())
    become(live())(register)
    rule("staff")(register)
    return register


@given(steps=st.lists(st.sampled_from(sorted(STEPS)), max_size=8))
def test_a_link_holds_until_a_step_ends_it_and_never_again(steps: list[str]) -> None:
    store = MemoryObjectStore()
    register = open_register(store)
    made = shown(register)
    for step in steps:
        with suppress(IdentifierRefused):
            STEPS[step](register)
    become(live(version="fedcba9876543211"))(register)
    rule("staff")(register)
    assert (shown(register) == made) is not bool(set(steps) & set(ENDS))
    table = MemoryIdentifierTable()
    rebuild(table, store)
    assert table.get("a") == register.table.get("a")


def shown(register: Register) -> int:
    """The number that all versions have, those that are still shown included."""
    record = register.table.get("a")
    assert isinstance(record, Live)
    assert is_shareable(record)
    assert record.before is None or record.before.links_from == record.links_from
    return record.links_from


def test_an_open_image_has_no_number(store: MemoryObjectStore) -> None:
    register = open_register(store)
    rule("open")(register)
    record = register.table.get("a")
    assert record
    assert record.links_from == 0
    assert not register.change("a", end_links("a")).made


def test_links_to_what_is_no_image_are_not_ended(store: MemoryObjectStore) -> None:
    register = open_register(store)
    with pytest.raises(RevisionChanged):
        register.change("a", end_links("a", over=9))
    with pytest.raises(IdentifierRefused, match="not a live image"):
        register.change("b", end_links("b"))
