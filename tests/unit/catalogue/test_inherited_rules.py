"""Images have the rules of the collections that their objects are in, unless one is said."""

from functools import partial
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from tests.unit.catalogue.object_bench import IMAGES, ImpatientWorkers, ObjectBench, book
from vitrine.catalogue import inherited_rules
from vitrine.catalogue.inherited_rules import AT_ONCE, InheritedRules
from vitrine.catalogue.rollback import roll_back
from vitrine.errors import ObjectRefused, TransientError
from vitrine.events import RulesOutdated
from vitrine.identify.access_changes import return_to_inherited, set_access
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.store.layout import RULED, listing_key

AT = "2026-11-26T10:00:00Z"


@pytest.fixture
def bench() -> ObjectBench:
    bench = ObjectBench(*IMAGES)
    bench.objects.put(letter("letter", "one"))
    return bench


def letter(identifier: str, *images: str, **changes: Any) -> Any:
    canvases = tuple(Canvas(image=image) for image in images)
    return book(identifier, identifier, canvases=canvases, **changes)


def shelf(*members: str, access: str = "", name: str = "shelf", inner: str = "") -> Any:
    listed = [Member(identifier=one, label={"en": (one,)}) for one in members]
    if inner:
        listed.append(Member(identifier=inner, label={"en": (inner,)}, is_collection=True))
    return ObjectCollection(
        identifier=name, label={"en": (name,)}, members=tuple(listed), access=access
    )


def access(bench: ObjectBench, image: str) -> str:
    record = bench.identifiers.get(image)
    return record.access if record else ""


def say(bench: ObjectBench, image: str, rule: str) -> None:
    """Set the rule of one image, as a curator does."""
    register = Register(bench.identifiers, Journal(bench.records), bench.events)
    register.change(image, set_access(image, rule, AT))


def announced(bench: ObjectBench) -> list[RulesOutdated]:
    sent = bench.events.events
    found = [RulesOutdated(**detail) for name, detail in sent if name == RulesOutdated.name()]
    sent.clear()
    return found


def follow(bench: ObjectBench, batches: int = 9) -> int:
    """Do what is announced, in slices of a number of batches; return how many slices that took."""
    waiting, slices = announced(bench), 0
    while waiting:
        one = waiting.pop()
        more_time = partial(next, iter([True] * batches), False)
        rest = bench.publisher.rules.update(one.identifier, one.since, one.after, more_time)
        waiting += [rest] if rest else []
        slices += 1
    return slices


def test_a_collections_rule_is_that_of_its_images(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="closed"))
    assert [access(bench, image) for image in IMAGES] == ["closed", "", ""]
    bench.objects.put(shelf("letter", access="small:1000"))
    assert access(bench, "one") == "small:1000"
    bench.objects.put(shelf("letter", access="open"))
    assert access(bench, "one") == "open"


def test_what_is_said_for_an_image_stays(bench: ObjectBench) -> None:
    say(bench, "one", "open")
    bench.objects.put(shelf("letter", access="closed"))
    follow(bench)
    assert access(bench, "one") == "open"
    say(bench, "one", "staff")
    bench.objects.put(shelf("letter", access="open"))
    assert access(bench, "one") == "staff"


def test_an_image_can_be_given_back_to_its_collections(bench: ObjectBench) -> None:
    say(bench, "one", "open")
    bench.objects.put(shelf("letter", access="closed"))
    register = Register(bench.identifiers, Journal(bench.records), bench.events)
    rules = bench.publisher.rules.rules_of_image("one")
    register.change("one", return_to_inherited("one", rules, AT))
    assert access(bench, "one") == "closed"
    bench.objects.put(shelf("letter", access="small:1000"))
    assert access(bench, "one") == "small:1000"


def test_a_record_without_a_rule_opens_nothing(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="closed"))
    bench.objects.put(shelf("letter"))
    bench.objects.withdraw("shelf", "A claim.")
    bench.objects.put(shelf("letter"), replace_withdrawn=True)
    bench.objects.put(letter("shelf", "two"))
    bench.objects.put(shelf("letter"))
    follow(bench)
    assert access(bench, "one") == "closed"
    record = bench.publisher.journal.latest("shelf")
    assert msgspec.to_builtins(record)["item"]["access"] == "closed"


def test_what_joins_is_ruled_before_anything_of_it_is_published(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="closed"))
    seen: list[str] = []
    put = bench.site.put

    def watch(key: str, *args: Any, **how: Any) -> Any:
        seen.append(access(bench, "yet-to-come"))
        return put(key, *args, **how)

    bench.site.put = watch
    bench.objects.put(letter("letter", "one", "yet-to-come"))
    bench.objects.put(shelf("letter", "another"))
    bench.objects.put(letter("another", "two"))
    assert set(seen) == {"closed"}
    assert access(bench, "two") == "closed"


def test_a_member_without_a_record_is_an_image_by_itself(bench: ObjectBench) -> None:
    bench.objects.put(shelf("two", access="closed"))
    assert access(bench, "two") == "closed"


def test_an_object_that_names_a_collection_has_its_rule(bench: ObjectBench) -> None:
    bench.objects.put(shelf(access="staff"))
    bench.objects.rename("shelf", "rack")
    bench.objects.put(letter("another", "two", part_of=("shelf",)))
    assert access(bench, "two") == "staff"


def test_an_object_that_names_a_collection_by_its_previous_identifier_has_its_rule(
    bench: ObjectBench,
) -> None:
    bench.objects.put(shelf())
    bench.objects.rename("shelf", "rack")
    bench.objects.put(shelf(access="closed", name="rack"))
    bench.objects.put(letter("another", "two", part_of=("shelf",)))
    assert access(bench, "two") == "closed"


def test_a_collection_that_is_reverted_keeps_the_rule_of_today(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="open"))
    then = bench.publisher.journal.latest("shelf")
    assert then
    bench.objects.put(shelf("letter", "another", access="closed"))
    newest = bench.publisher.journal.latest("shelf")
    assert newest
    later = msgspec.structs.replace(newest, revision=3, changed_at="9999-01-01T00:00:00.000Z")
    bench.publisher.journal.append("shelf", 3, later)
    roll_back(bench.objects, "shelf", then.changed_at)
    record: Any = bench.publisher.journal.latest("shelf")
    assert record.item.access == "closed"
    assert access(bench, "one") == "closed"


def test_rules_reach_collections_in_collections(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", name="box"))
    bench.objects.put(shelf(inner="box", access="closed"))
    assert access(bench, "one") == "closed"
    bench.objects.put(letter("another", "two"))
    bench.objects.put(shelf("letter", "another", name="box"))
    assert access(bench, "two") == "closed"
    bench.objects.put(letter("another", "two", "three"))
    assert access(bench, "three") == "closed"
    bench.objects.put(shelf(inner="box", access="open"))
    assert {access(bench, image) for image in IMAGES} == {"open"}


def test_both_rules_hold_for_what_is_in_two_collections(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="small:1000"))
    bench.objects.put(shelf("letter", access="staff", name="rack"))
    assert access(bench, "one") == "closed"
    bench.objects.put(shelf("letter", access="open"))
    assert access(bench, "one") == "staff"


def test_what_leaves_a_collection_keeps_its_rule(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="closed"))
    bench.objects.put(shelf())
    bench.objects.put(shelf(access="open"))
    assert access(bench, "one") == "closed"
    bench.objects.put(shelf("letter"))
    assert access(bench, "one") == "open", "the collection decides again"


def test_renamed_objects_and_collections_are_followed(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="closed"))
    bench.objects.rename("letter", "brief")
    bench.objects.rename("shelf", "rack")
    bench.objects.put(letter("brief", "one", "two"))
    assert access(bench, "two") == "closed"
    bench.objects.put(shelf("letter", access="open", name="rack"))
    follow(bench)
    assert (access(bench, "one"), access(bench, "two")) == ("open", "open")


@pytest.mark.slow
def test_many_members_follow_in_slices(bench: ObjectBench) -> None:
    names = [f"object-{number:03}" for number in range(2 * AT_ONCE + 50)]
    for name in names:
        bench.objects.put(letter(name, f"of-{name}"))
    bench.objects.put(shelf(*names, access="closed"))
    assert [access(bench, f"of-{name}") for name in names].count("closed") == AT_ONCE
    assert follow(bench, 1) > 2
    assert {access(bench, f"of-{name}") for name in names} == {"closed"}


def test_one_more_member_costs_no_look_at_the_others(bench: ObjectBench) -> None:
    bench.objects.put(letter("another", "two"))
    bench.objects.put(shelf("letter", access="closed"))
    follow(bench)
    say(bench, "two", "staff")
    bench.objects.put(shelf("letter", "another"))
    outdated, *_ = announced(bench)
    assert outdated.since == 1
    with patch.object(InheritedRules, "_apply", autospec=True) as applied:
        bench.publisher.rules.update("shelf", outdated.since, "", lambda: True)
    assert [list(call.args[1]) for call in applied.call_args_list] == [["another"]]


def test_a_fault_loses_nothing(bench: ObjectBench) -> None:
    with (
        patch.object(bench.identifiers, "write", side_effect=TransientError("one")),
        patch.object(inherited_rules, "Workers", ImpatientWorkers),
        pytest.raises(TransientError),
    ):
        bench.objects.put(shelf("letter", access="closed"))
    assert access(bench, "one") == ""
    follow(bench)
    assert access(bench, "one") == "closed"


def test_each_slice_comes_further_even_without_time(bench: ObjectBench) -> None:
    names = [f"object-{number:03}" for number in range(2 * AT_ONCE)]
    for name in names:
        bench.objects.put(letter(name, f"of-{name}"))
    bench.objects.put(shelf(*names, name="box"))
    bench.objects.put(shelf(inner="box", access="closed"))
    outdated, *_ = announced(bench)
    rest: RulesOutdated | None = outdated
    for _ in range(3):
        rest = rest and bench.publisher.rules.update(
            rest.identifier, rest.since, rest.after, lambda: False
        )
    assert rest is None
    assert {access(bench, f"of-{name}") for name in names} == {"closed"}


def test_a_death_after_the_journals_entry_loses_no_rule(bench: ObjectBench) -> None:
    died = patch.object(InheritedRules, "update", side_effect=TransientError("died"))
    with died, pytest.raises(TransientError):
        bench.objects.put(shelf("letter", access="closed"))
    assert access(bench, "one") == ""
    follow(bench)
    assert access(bench, "one") == "closed"


def test_collections_of_an_earlier_version_are_noted_on_the_way(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter"))
    bench.records.delete(listing_key("letter", "shelf"))
    bench.objects.put(shelf("letter", access="closed"))
    bench.objects.put(letter("letter", "one", "two"))
    assert (access(bench, "one"), access(bench, "two")) == ("closed", "closed")


def test_without_rules_an_object_costs_two_lists(bench: ObjectBench) -> None:
    with patch.object(bench.records, "list_keys", wraps=bench.records.list_keys) as listed:
        bench.objects.put(letter("letter", "one", "two"))
    folders = [call.args[0] for call in listed.call_args_list]
    assert folders.count(RULED) == 2, "who puts it looks, and its publisher"
    bench.objects.put(shelf("letter"))
    assert announced(bench) == []
    assert bench.identifiers.get("one") == ObjectBench(*IMAGES).identifiers.get("one")


def test_what_is_no_rule_is_refused(bench: ObjectBench) -> None:
    for text in ("small:1", "inherited", "Everybody!"):
        with pytest.raises(ObjectRefused) as refused:
            bench.objects.put(shelf("letter", access=text))
        assert "is no rule of access" in refused.value.faults[0]
