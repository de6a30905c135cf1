"""What the rules of collections demand together, however they are in each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.access.collection_rules import (
    CollectionRule,
    CollectionRules,
    decode_collection_rules,
)
from vitrine.access.rules import combine_rules, read_rule, strictest

NAMES = ("a", "b", "c", "d", "e")
RULES = ("", "open", "closed", "staff", "curators", "small:1000", "small:500:staff", "<later>")
names = st.sampled_from(NAMES)
entries = st.builds(
    CollectionRule,
    rule=st.sampled_from(RULES),
    owner=st.sampled_from(("", "x", "y")),
    within=st.lists(names, max_size=2).map(tuple),
    target=st.one_of(st.just(""), names),
)
tables = st.dictionaries(names, entries).map(lambda found: CollectionRules(1, found))


@given(tables, st.lists(names, max_size=3), st.sampled_from(("", "x", "y")))
def test_all_rules_around_an_image_hold_and_no_other(
    table: CollectionRules, of_image: list[str], owner: str
) -> None:
    found = table.rules_over(of_image, owner)
    around, waiting = set(of_image), [*of_image]
    while waiting:  # circles end
        one = table.get(waiting.pop())
        new = {*one.within, one.target} - {""} - around
        around |= new
        waiting += new
    assert set(table.around_all(of_image)) == around
    assert found == {
        name: table.get(name).rule
        for name in around
        if table.get(name).rule and (not owner or table.get(name).owner in ("", owner))
    }
    both = strictest(found.values())
    for rule in found.values():
        assert read_rule(combine_rules(both, rule)) == read_rule(both or rule)


@given(tables)
def test_what_is_stored_is_read_back(table: CollectionRules) -> None:
    assert decode_collection_rules(table.encode()) == table


@given(st.lists(st.sampled_from(RULES), max_size=4), st.randoms())
def test_the_order_of_rules_does_not_matter(rules: list[str], chance: object) -> None:
    shuffled = [*rules]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert read_rule(strictest(rules)) == read_rule(strictest(shuffled))


@pytest.mark.parametrize(
    ("rules", "moments"),
    [
        (["staff", "small:500", "curators"], [2, 2, 2]),
        (["staff", "open", "staff"], [2, 3, 4]),
        (["closed", "staff", "closed", "staff"], [0, 3, 4, 5]),
    ],
)
def test_links_end_with_the_restriction_of_a_collection(
    rules: list[str], moments: list[int]
) -> None:
    table, found = CollectionRules(1, {"b": CollectionRule(within=("a",))}), []
    for rule in rules:
        table = table.replace({"a": CollectionRule(rule=rule, since=table.get("a").since)})
        found.append(table.links_from(["b"]))
    assert found == moments


def test_a_table_says_nothing_of_collections_of_which_nothing_is_said() -> None:
    table = CollectionRules(1, {"a": CollectionRule(rule="closed")})
    after = table.replace({"a": CollectionRule()})
    assert (after.collections, after.version) == ({}, 2)
    assert after.replace({"a": CollectionRule(revision=7)}).get("a").revision == 7, (
        "which is newest"
    )
    assert after.replace({"b": CollectionRule()}) is after
