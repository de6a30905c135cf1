"""Images get their rules while others change the collections, and whatever fails on the way."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from threading import Barrier, Event
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from tests.unit.catalogue.object_bench import (
    IMAGES,
    ImpatientWorkers,
    ObjectBench,
    book,
    losing,
)
from tests.unit.catalogue.rules_museum import Museum
from vitrine.catalogue import inherited_rules
from vitrine.catalogue.inherited_rules import InheritedRules
from vitrine.catalogue.register import MemberListing
from vitrine.catalogue.ruled_collections import KeptCollection, Look, RuledCollections
from vitrine.errors import PreconditionFailed, TransientError
from vitrine.events import RulesOutdated
from vitrine.iiif.presentation.model import Canvas, Member
from vitrine.store.layout import RULED, publication_key


@pytest.fixture
def museum() -> Museum:
    """A shelf without a rule, of a book that shows `one`."""
    museum = Museum()
    museum.put_object("book", ["one"])
    museum.put_collection("shelf", ["book"], "")
    museum.bench.events.events.clear()
    return museum


def announced(bench: ObjectBench) -> list[RulesOutdated]:
    sent = bench.events.events
    return [RulesOutdated(**detail) for name, detail in sent if name == RulesOutdated.name()]


def after_each_look(change: Callable[[], None]) -> Any:
    """Let somebody make a change between the look at collections and the one after the writes."""
    apply_once = InheritedRules._apply_once

    def busy(
        rules: InheritedRules, look: Look, listed: Mapping[str, Sequence[MemberListing]]
    ) -> bool:
        done = apply_once(rules, look, listed)
        change()
        return done

    return patch.object(InheritedRules, "_apply_once", busy)


def append_shelf(museum: Museum, rule: str = "", member: str = "") -> None:
    """Write the next revision of the shelf, as another process does; it announces that itself."""
    journal = museum.bench.publisher.journal
    current: Any = journal.latest("shelf")
    members = current.item.members
    if member:
        members += (Member(identifier=member, label={"en": (member,)}),)
    item = msgspec.structs.replace(
        current.item, members=members, access=rule or current.item.access
    )
    entry = msgspec.structs.replace(current, revision=current.revision + 1, item=item)
    journal.append("shelf", entry.revision, entry)


def test_a_collection_closes_while_members_join_it_all_the_time(museum: Museum) -> None:
    fresh = (f"fresh-{number}" for number in range(99))
    with after_each_look(lambda: append_shelf(museum, member=next(fresh))):
        museum.set_rule("shelf", "closed")
    assert museum.access("one") == "closed"
    assert next(fresh) == "fresh-1", "one look is enough"


def test_threads_have_a_collection_as_the_first_of_them_read_it(museum: Museum) -> None:
    museum.set_rule("shelf", "open")
    get, both, first_is_done = RuledCollections.get, Barrier(2), Event()

    def read(collections: RuledCollections, name: str) -> KeptCollection:
        kept = get(collections, name)
        if both.wait(9):
            first_is_done.wait(9)
            append_shelf(museum, rule="closed")
            return get(collections, name)
        return kept

    def ask(look: Look) -> str:
        _, rule = look.ruled("shelf")
        first_is_done.set()
        return rule

    look = Look(museum.bench.publisher.rules.collections)
    with patch.object(RuledCollections, "get", read), ThreadPoolExecutor(2) as threads:
        assert list(threads.map(ask, [look, look])) == ["open", "open"]
    assert not look.is_current()


def test_a_rule_that_changes_meanwhile_is_the_one_that_holds(museum: Museum) -> None:
    others = iter(["small:1000", "closed"])
    with after_each_look(lambda: append_shelf(museum, rule=next(others, "closed"))):
        museum.set_rule("shelf", "staff")
    assert museum.access("one") == "closed"


def test_a_member_that_joins_while_its_collection_closes_is_closed(museum: Museum) -> None:
    museum.put_object("letter", ["two"])
    again = iter([True])

    def join() -> None:
        if next(again, False):
            museum.put_collection("shelf", ["book", "letter"], "")

    with after_each_look(join):
        museum.set_rule("shelf", "closed")
    museum.deliver_some(1, everything=True)
    assert [museum.access(image) for image in ("one", "two")] == ["closed", "closed"]


def test_what_an_object_closed_while_it_was_a_collection_stays_closed_in_another_one() -> None:
    museum = Museum()
    museum.put_object("book", ["one"])
    museum.put_collection("shelf", ["book"], "closed")
    museum.bench.objects.put(book("shelf", canvases=(Canvas(image="one"),)))
    for names in pairwise(("shelf", "rack", "letter")):
        museum.bench.objects.rename(*names)
    museum.put_collection("box", ["letter"], "small:1000")
    museum.deliver_some(1, everything=True)
    assert museum.access("one") == "closed"


@pytest.mark.slow
@pytest.mark.parametrize("renames", [8, 9, 20])
def test_a_collection_that_lists_the_first_name_of_an_object_closes_it(renames: int) -> None:
    museum = Museum()
    museum.put_object("name-0", ["one"])
    museum.put_collection("shelf", ["name-0"], "")
    museum.put_collection("rack", [], "staff")
    for number in range(renames):
        museum.bench.objects.rename(f"name-{number}", f"name-{number + 1}")
    museum.set_rule("shelf", "closed")
    museum.deliver_some(1, everything=True)
    assert museum.access("one") == "closed"


def test_a_collection_renamed_many_times_is_known_by_its_first_name() -> None:
    museum = Museum()
    museum.put_collection("name-0", [], "closed")
    for number in range(12):
        museum.bench.objects.rename(f"name-{number}", f"name-{number + 1}")
    museum.bench.objects.put(book("letter", part_of=("name-0",)))
    museum.deliver_some(1, everything=True)
    assert {museum.access(image) for image in IMAGES} == {"closed"}


@pytest.mark.parametrize("conflicts", [0, 1, 5])
def test_a_conflict_in_publishing_announces_no_rules_that_did_not_change(conflicts: int) -> None:
    museum = Museum()
    bench = museum.bench
    museum.put_object("book", ["one"])
    museum.put_collection("shelf", ["book"], "closed", ["one", "one"])
    museum.deliver_some(1, everything=True)
    bench.publisher.publish("shelf")
    bench.events.events.clear()
    museum.say("one", "open")
    with conflict_at(bench, "shelf", conflicts):
        done = bench.publisher.publish("shelf")
    assert done
    assert done.made
    assert announced(bench) == []


def test_a_conflict_announces_the_rules_of_what_was_not_published_yet(museum: Museum) -> None:
    append_shelf(museum, rule="closed")
    museum.bench.records.put(f"{RULED}shelf", b"", content_type="")
    with conflict_at(museum.bench, "shelf", 1):
        museum.bench.publisher.publish("shelf")
    assert announced(museum.bench) == [RulesOutdated(identifier="shelf", since=1)] * 2


def conflict_at(bench: ObjectBench, identifier: str, times: int) -> Any:
    """Let others publish an object first, `times` times."""
    put, left = bench.site.put, iter(range(times))

    def conflict(key: str, *arguments: Any, **named: Any) -> Any:
        if key == publication_key(identifier) and next(left, None) is not None:
            raise PreconditionFailed(key)
        return put(key, *arguments, **named)

    return patch.object(bench.site, "put", conflict)


@pytest.mark.parametrize("fails", ["collection", "object"])
def test_a_list_that_fails_after_the_entry_loses_no_rule(museum: Museum, fails: str) -> None:
    if fails == "object":
        museum.set_rule("shelf", "closed")
        museum.deliver_some(1, everything=True)
    change = (
        partial(museum.put_object, "book", ["two"])
        if fails == "object"
        else partial(museum.set_rule, "shelf", "closed")
    )
    records = museum.bench.records
    with (
        patch.object(records, "list_keys", _failing_below(RULED, records.list_keys)),
        pytest.raises(TransientError),
    ):
        change()
    museum.deliver_some(1, everything=True)
    assert museum.access("two" if fails == "object" else "one") == "closed"


def _failing_below(folder: str, list_keys: Callable[..., Any]) -> Callable[..., Any]:
    def fail(after: str, *arguments: Any, **named: Any) -> Any:
        if after.startswith(folder):
            raise TransientError("S3")
        return list_keys(after, *arguments, **named)

    return fail


@pytest.mark.parametrize("rule", ["small:1000", "open"])
def test_a_rule_of_another_collection_opens_nothing_that_left_while_it_was_to_be_closed(
    rule: str,
) -> None:
    museum = Museum()
    museum.put_object("map", ["three"])
    museum.put_object("atlas", ["three"])
    museum.put_object("letter", ["two"])
    museum.put_collection("box", ["letter", "map"], "")
    museum.put_collection("shelf", ["box"], "open")
    museum.put_collection("rack", ["atlas"], "small:1000" if rule == "open" else "")
    museum.deliver_some(0, everything=True)
    with patch.object(inherited_rules, "AT_ONCE", 1):
        museum.set_rule("shelf", "closed")
        museum.withdraw("box")
        museum.set_rule("rack", rule)
        museum.deliver_some(0, everything=True)
    assert museum.access("three") == "closed"


@pytest.mark.parametrize("lost", ["ImageChanged", "ImagePublished"])
def test_what_failed_to_be_announced_is_announced_by_the_same_command(
    museum: Museum, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """Else the edge keeps the open tiles of an image that is closed, and its page."""
    events = museum.bench.events
    monkeypatch.setattr(inherited_rules, "Workers", ImpatientWorkers)
    with losing(events, lost):
        museum.set_rule("shelf", "closed")
    assert museum.access("one") == "closed"
    events.events.clear()
    museum.set_rule("shelf", "closed")
    sent = [name for name, detail in events.events if detail["identifier"] == "one"]
    assert sent == ["ImageChanged", "ImagePublished"]
