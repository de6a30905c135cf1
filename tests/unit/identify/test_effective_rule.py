"""The rule that holds for an image: its own, or what its collections demand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.deliver_records import live
from vitrine.access.collection_rules import CollectionRule, CollectionRules
from vitrine.access.rules import CLOSED, read_rule
from vitrine.errors import TransientError
from vitrine.identify.access_changes import join_collections, leave_collections
from vitrine.identify.effective_rule import as_shown, effective, has_own_rule
from vitrine.identify.stated_rules import (
    copy_rule,
    with_collections,
    with_own_rule,
    with_restored_rule,
    with_rules_of_both,
)
from vitrine.ingest.publish.previous_identifiers import redirect_previous_identifier
from vitrine.records import Live, Record, Redirect, Removed, record_as_json, record_from_json

AT = "2026-11-26T10:00:00Z"
IMAGE = live("one", 800, 600)
TABLE = CollectionRules(
    7,
    {
        "open": CollectionRule(),
        "shut": CollectionRule(rule="closed"),
        "inner": CollectionRule(within=("shut",)),
        "staff": CollectionRule(rule="staff", since=3),
        "theirs": CollectionRule(rule="closed", owner="x"),
    },
)
names = st.lists(st.sampled_from([*TABLE.collections, "unknown"]), max_size=3)
kept = st.dictionaries(st.sampled_from("ab"), st.sampled_from(["closed", "staff", "open"]))
own = st.sampled_from(["", "open", "staff", "closed"])
records = st.builds(
    lambda found, left, rule: (
        with_own_rule(with_collections(IMAGE, found, left), rule)
        if rule
        else with_collections(IMAGE, found, left)
    ),
    names,
    kept,
    own,
)


def demanded(record: Record) -> str:
    return effective(record, TABLE)


@pytest.mark.parametrize(
    ("collections", "left", "expected"),
    [
        ((), {}, ""),
        (("open", "unknown"), {}, "open"),
        (("inner",), {}, "closed"),
        (("staff",), {}, "staff"),
        (("staff",), {"gone": "small:500"}, "closed"),
        (("open",), {"gone": "staff"}, "staff"),
    ],
)
def test_an_image_is_as_restricted_as_all_its_collections(
    collections: tuple[str, ...], left: dict[str, str], expected: str
) -> None:
    record = with_collections(IMAGE, collections, left)
    assert demanded(record) == expected
    assert demanded(with_own_rule(record, "open")) == "open", "its own rule holds alone"


def test_a_collection_of_another_owner_has_no_say() -> None:
    record = with_collections(IMAGE, ("theirs",), {})
    assert demanded(record) == "closed"
    assert demanded(replace(record, owner="y")) == "open"
    assert demanded(replace(record, owner="x")) == "closed"


@given(records)
def test_who_forgets_to_ask_shows_nothing(record: Live) -> None:
    """What is stored of an image in collections is no rule that can be read."""
    if (record.collections or record.kept) and not has_own_rule(record):
        assert read_rule(record.access) == CLOSED
    if record.collections and not has_own_rule(record):
        assert effective(record, None) == "closed", "without a table"


@given(records)
def test_what_is_stored_is_read_back_and_moved(record: Live) -> None:
    assert record_from_json(record_as_json(record)) == record
    moved = copy_rule(Removed(identifier="two", changed_at=AT), record)
    assert (moved.access, moved.collections, moved.kept) == (
        record.access,
        record.collections,
        record.kept,
    )


def test_versions_that_are_shown_until_the_switch_are_under_the_same_rule() -> None:
    image = replace(IMAGE, holds_from=AT, before=live("one", 80, 60))
    shown = as_shown(with_collections(image, ("staff",), {}), TABLE)
    assert shown.before
    assert (shown.access, shown.before.access) == ("staff", "staff")
    assert shown.links_from == shown.before.links_from > 0


@given(records, records)
def test_a_new_name_shows_no_more_than_the_image_did(name: Live, image: Live) -> None:
    both = with_rules_of_both(name, image)
    assert set(both.collections) == {*name.collections, *image.collections}
    assert with_rules_of_both(both, image) == both
    if has_own_rule(image):
        if demanded(image) == "closed" or (has_own_rule(name) and demanded(name) == "closed"):
            assert demanded(both) == "closed"
    elif demanded(image) == "closed":
        assert demanded(both) == "closed"


@given(records, records)
def test_a_restored_rule_shows_no_more_than_both(record: Live, saved: Live) -> None:
    restored = with_restored_rule(record, saved)
    assert with_restored_rule(restored, saved) == restored
    assert restored.collections == record.collections, "they come by themselves"
    own_of_both = [one for one in (record, saved) if has_own_rule(one)]
    if len(own_of_both) == 2 or not own_of_both:
        expected = own_of_both or [record, with_collections(IMAGE, (), dict(saved.kept))]
        if any(demanded(one) == "closed" for one in expected):
            assert demanded(restored) == "closed"
    elif any(one.access == "closed" for one in own_of_both):
        assert demanded(restored) == "closed"


def test_what_leaves_keeps_its_rule_until_it_joins_again() -> None:
    joined = join_collections("one", ["shut"], AT, rules_version=7)(IMAGE)
    assert joined
    left = leave_collections(["shut"], {"shut": "closed"})(joined)
    assert left
    assert (left.collections, left.kept, demanded(left)) == ((), (("shut", "closed"),), "closed")
    again = join_collections("one", ["shut"], AT, rules_version=7, replacing=["shut"])(left)
    assert again == joined
    assert leave_collections(["shut"])(left) is None
    free = leave_collections(["shut"])(joined)
    assert free
    assert demanded(free) == "open"


def test_a_name_does_not_become_a_redirect_before_its_image_has_its_rules() -> None:
    previous = with_own_rule(IMAGE, "open")
    image = replace(IMAGE, identifier="two")
    edit = redirect_previous_identifier(image, previous, AT)
    assert isinstance(edit(previous), Redirect)
    older = replace(previous, before=replace(IMAGE, access="closed"))
    assert isinstance(redirect_previous_identifier(image, older, AT)(older), Redirect)
    for changed in (with_collections(previous, ["a"], {}), with_own_rule(previous, "closed")):
        with pytest.raises(TransientError):
            edit(changed)
