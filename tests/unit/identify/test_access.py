"""A rule of access holds until it is replaced by another, whatever its identifier becomes."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.deliver_records import live
from vitrine.access.rules import CLOSED, OPEN, AccessRule, parse_rule, read_rule
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import IdentifierRefused, RevisionChanged
from vitrine.identify.access_changes import restore_rule, set_access
from vitrine.identify.journal import Journal
from vitrine.identify.rebuild import rebuild
from vitrine.identify.register import Register
from vitrine.records import Gone, Live, Record, Redirect, Removed, record_as_json, record_from_json

AT = "2026-11-25T08:00:00.000Z"
STATES: dict[str, Record] = {
    "live": live(),
    "newer": live(version="fedcba9876543210", before=live(), holds_from=AT),
    "gone": Gone(identifier="a", reason="Rights.", changed_at=AT),
    "redirect": Redirect(identifier="a", target="b", changed_at=AT),
    "removed": Removed(identifier="a", changed_at=AT),
}


def become(record: Record) -> Callable[[Record | None], Record]:
    return lambda current: record


@pytest.fixture
def register() -> Register:
    return Register(MemoryIdentifierTable(), Journal(MemoryObjectStore()), MemoryEventBus())


@given(states=st.lists(st.sampled_from(sorted(STATES)), max_size=6))
def test_a_rule_outlives_every_change_and_a_lost_table(states: list[str]) -> None:
    store = MemoryObjectStore()
    register = Register(MemoryIdentifierTable(), Journal(store), MemoryEventBus())
    register.change("a", set_access("a", "closed", AT))
    for state in states:
        register.change("a", become(STATES[state]))
    table = MemoryIdentifierTable()
    rebuild(table, store)
    for found in (register.table.get("a"), table.get("a")):
        assert found
        assert found.access == "closed"


def test_a_rule_holds_for_the_version_that_is_still_shown(register: Register) -> None:
    register.change("a", become(STATES["newer"]))
    after = register.change("a", set_access("a", "closed", AT)).after
    assert isinstance(after, Live)
    assert after.before
    assert after.before.access == "closed"


def test_the_same_rule_again_changes_nothing(register: Register) -> None:
    register.change("a", become(live()))
    assert register.change("a", set_access("a", "closed", AT)).made
    again = register.change("a", set_access("a", "closed", AT))
    assert not again.made


def test_a_redirect_has_no_rule_of_its_own(register: Register) -> None:
    register.change("a", become(STATES["redirect"]))
    with pytest.raises(IdentifierRefused, match='redirects to "b"'):
        register.change("a", set_access("a", "closed", AT))


def test_a_rule_replaces_the_revision_that_was_read(register: Register) -> None:
    register.change("a", become(live()))
    with pytest.raises(RevisionChanged):
        register.change("a", set_access("a", "closed", AT, over=7))


def test_a_record_without_a_rule_is_written_as_before() -> None:
    assert "access" not in record_as_json(live())
    ruled = replace(live(), access="small:1000")
    assert record_from_json(record_as_json(ruled)) == ruled


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", OPEN),
        ("open", OPEN),
        ("closed", CLOSED),
        ("small:256", AccessRule("small", 256)),
        ("small:255", CLOSED),
        ("small:", CLOSED),
        ("Open", CLOSED),
        ("anything!", CLOSED),
        ("share", CLOSED),
        ("staff", AccessRule("nothing", right="staff")),
        ("small:300:staff", AccessRule("small", 300, "staff")),
        ("small:300:open", CLOSED),
    ],
)
def test_a_rule_that_cannot_be_read_is_closed(text: str, rule: AccessRule) -> None:
    assert read_rule(text) == rule


def test_people_may_write_a_rule_as_they_like() -> None:
    assert parse_rule(" Small:1000 ") == "small:1000"
    for text in ("", "to staff", "small:12", "small:-1", "small:9999999999"):
        with pytest.raises(IdentifierRefused, match="no rule of access"):
            parse_rule(text)


@pytest.mark.parametrize("state", sorted(STATES))
def test_restoring_the_rule_of_an_identifier_never_opens_it(register: Register, state: str) -> None:
    register.change("a", become(STATES[state]))
    for rule, expected in {
        "small:1000": "small:1000",
        "open": "small:1000",
        "small:500:staff": "small:500",
        "closed": "closed",
        "staff": "closed",
    }.items():
        saved = Removed(identifier="a", changed_at=AT, access=rule)
        after = register.change("a", restore_rule(saved, AT)).after
        assert after
        assert (type(after), after.access) == (type(STATES[state]), expected)
        if isinstance(after, Live) and after.before:
            assert after.before.access == expected
