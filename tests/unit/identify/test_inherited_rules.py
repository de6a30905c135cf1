"""A record's rule is its own, or that of the collections that it is in."""

from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.deliver_records import live
from vitrine.access.rules import combine_rules
from vitrine.errors import TransientError
from vitrine.identify.changes import redirect_previous_identifier
from vitrine.identify.inherited_rules import (
    copy_rule,
    has_own_rule,
    with_inherited,
    with_own_rule,
    with_restored_rule,
    with_rules_of_both,
    without_own_rule,
)
from vitrine.records import Record, Redirect, Removed, record_as_json, record_from_json

IMAGE = live("one", 800, 600)
RULES = st.sampled_from(["open", "closed", "staff", "small:1000", "small:500:staff"])
RULED = st.builds(
    lambda rules, own: (
        with_own_rule(with_inherited(IMAGE, rules), own) if own else with_inherited(IMAGE, rules)
    ),
    st.dictionaries(st.sampled_from("ab"), RULES),
    st.just("") | RULES,
)
"""An image with rules of collections, of its own, both or none."""


def test_rules_of_collections_all_hold() -> None:
    record = with_inherited(IMAGE, {"a": "small:1000", "b": "small:500", "c": "open"})
    assert (record.access, record.inherits) == ("small:500", True)
    assert record.inherited == (("a", "small:1000"), ("b", "small:500"))


def test_an_open_image_that_is_in_no_collection_with_a_rule_is_as_before() -> None:
    assert with_inherited(IMAGE, {}) == IMAGE


@pytest.mark.parametrize("rule", ["open", "staff"])
def test_a_rule_of_its_own_holds_alone_until_it_is_given_up(rule: str) -> None:
    record = with_own_rule(with_inherited(IMAGE, {"a": "closed"}), rule)
    assert record.access == rule
    assert with_inherited(record, {"a": "small:1000"}).access == rule
    assert without_own_rule(record).access == "closed"
    assert without_own_rule(with_own_rule(IMAGE, rule)).access == "open"


def test_versions_that_are_shown_until_the_switch_are_under_the_same_rule() -> None:
    image = replace(IMAGE, holds_from="2026-11-26T10:00:00Z", before=live("one", 80, 60))
    ruled = with_inherited(image, {"a": "closed"})
    assert ruled.before is not None
    assert ruled.before.access == "closed"


@given(st.dictionaries(st.sampled_from("ab"), RULES), st.sampled_from(["", "open", "staff"]))
def test_what_is_stored_is_read_back(inherited: dict[str, str], own: str) -> None:
    record: Record = with_inherited(IMAGE, inherited)
    record = with_own_rule(record, own) if own else record
    assert record_from_json(record_as_json(record)) == record
    moved = copy_rule(Removed(identifier="two", changed_at="2026-11-26T10:00:00Z"), record)
    assert (moved.access, moved.inherits, moved.inherited) == (
        record.access,
        record.inherits,
        record.inherited,
    )


@given(
    *[
        st.tuples(
            st.dictionaries(st.sampled_from("ab"), RULES), st.sampled_from(["", "open", "closed"])
        )
    ]
    * 2
)
def test_what_takes_the_rule_of_another_shows_no_more_than_either(
    one: tuple[dict[str, str], str], other: tuple[dict[str, str], str]
) -> None:
    records = [
        with_own_rule(with_inherited(IMAGE, rules), own) if own else with_inherited(IMAGE, rules)
        for rules, own in (one, other)
    ]
    both = with_rules_of_both(*records)
    own = [record for record in records if has_own_rule(record)]
    is_own = bool(own)
    if own == records[:1] and records[1].access not in ("", "open"):
        is_own = records[0].access != "open"
        own = records
    assert has_own_rule(both) == is_own, "what collections say becomes nobody's own rule"
    if any(record.access == "closed" for record in own or records):
        assert both.access == "closed"
    assert without_own_rule(both).access == "closed" or not any(
        without_own_rule(record).access == "closed" for record in records
    )


def test_an_image_that_was_opened_stays_so_under_a_name_that_a_collection_closed() -> None:
    opened = with_own_rule(with_inherited(IMAGE, {"a": "closed"}), "open")
    name = with_inherited(Removed(identifier="two", changed_at=""), {"b": "closed"})
    both = with_rules_of_both(name, opened)
    assert (both.access, both.inherits) == ("open", False)
    assert both.inherited == (("a", "closed"), ("b", "closed"))
    assert with_rules_of_both(both, opened) == both


@pytest.mark.parametrize(
    ("said", "expected", "reopened"),
    [("open", "closed", "open"), ("staff", "closed", "closed"), ("closed", "closed", "closed")],
)
def test_an_image_that_a_collection_closed_stays_so_whatever_was_said_of_its_new_name(
    said: str, expected: str, reopened: str
) -> None:
    name = with_own_rule(with_inherited(Removed(identifier="two", changed_at=""), {}), said)
    both = with_rules_of_both(name, with_inherited(IMAGE, {"a": "closed"}))
    assert both.access == expected
    assert with_inherited(both, {"a": "open"}).access == reopened


@given(RULED, RULED)
def test_a_rule_that_is_restored_shows_no_more_than_before(record: Record, saved: Record) -> None:
    restored = with_restored_rule(record, saved)
    assert restored.access == combine_rules(restored.access, record.access)
    assert restored.access == combine_rules(restored.access, saved.access)
    assert with_restored_rule(restored, saved) == restored
    mine, theirs = dict(record.inherited), dict(saved.inherited)
    assert dict(restored.inherited) == {
        name: combine_rules(mine.get(name, ""), theirs.get(name, ""))
        for name in mine.keys() | theirs.keys()
    }
    own = [one.access for one in (record, saved) if has_own_rule(one)]
    limits = [rule for rule in own if rule != "open"]
    if limits:
        assert has_own_rule(restored), "a collection that opens does not open it"
    else:
        opened = with_inherited(restored, dict.fromkeys(dict(restored.inherited), "open"))
        assert opened.access in ("", "open"), "what collections say becomes nobody's own rule"
    if len(own) == 2:
        assert (has_own_rule(restored), restored.access) == (True, reduce(combine_rules, own))


@pytest.mark.parametrize(
    ("here", "saved", "expected", "opened"),
    [
        (("open", {}), ("", {"a": "closed"}), ("closed", True), "open"),
        (("", {"a": "closed"}), ("open", {}), ("closed", True), "open"),
        (("open", {"a": "closed"}), ("open", {"b": "closed"}), ("open", False), "open"),
        (("open", {"a": "closed"}), ("", {"b": "small:1000"}), ("closed", True), "open"),
        (("open", {"a": "closed"}), ("", {}), ("open", False), "open"),
        (("", {"a": "closed"}), ("staff", {}), ("closed", False), "closed"),
        (("staff", {}), ("", {"a": "closed"}), ("closed", False), "closed"),
        (("staff", {"a": "closed"}), ("staff", {}), ("staff", False), "staff"),
        (("closed", {}), ("", {"a": "staff"}), ("closed", False), "closed"),
    ],
)
def test_an_open_gives_way_to_collections_and_another_rule_of_its_own_becomes_as_strict(
    here: tuple[str, dict[str, str]],
    saved: tuple[str, dict[str, str]],
    expected: tuple[str, bool],
    opened: str,
) -> None:
    records = [
        with_own_rule(with_inherited(IMAGE, rules), own) if own else with_inherited(IMAGE, rules)
        for own, rules in (here, saved)
    ]
    restored = with_restored_rule(*records)
    assert (restored.access, restored.inherits) == expected
    assert with_inherited(restored, {}).access == opened, "when the collections open"


@given(RULED)
def test_where_nothing_was_said_a_restored_rule_is_as_it_was(saved: Record) -> None:
    assert with_restored_rule(IMAGE, saved) == saved
    opened = with_inherited(with_inherited(IMAGE, {"a": "closed"}), {})
    assert with_restored_rule(opened, saved) == saved


def test_a_name_does_not_become_a_redirect_before_its_image_has_its_rules() -> None:
    previous = with_own_rule(IMAGE, "open")
    image = replace(IMAGE, identifier="two")
    edit = redirect_previous_identifier(image, previous, "2026-11-26T10:00:00Z")
    assert isinstance(edit(previous), Redirect)
    for changed in (with_inherited(previous, {"a": "closed"}), replace(previous, inherits=True)):
        with pytest.raises(TransientError):
            edit(changed)
