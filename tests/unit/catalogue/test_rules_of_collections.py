"""Images have the rules of the collections that their objects are in, unless one is said."""

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from tests.unit.deliver.deliver_records import live
from vitrine.catalogue import memberships
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.catalogue.rollback import roll_back
from vitrine.errors import ObjectRefused, RecordDamaged, RevisionChanged
from vitrine.identify.access_changes import follow_collections, set_access
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.records import Record
from vitrine.store.layout import COLLECTION_RULES

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
    record = bench.publisher.shown.get(image)
    return record.access if record else ""


def say(bench: ObjectBench, image: str, rule: str) -> None:
    """Set the rule of one image, as a curator does."""
    register = Register(bench.identifiers, Journal(bench.records), bench.events)
    register.change(image, set_access(image, rule, AT))


def test_a_collections_rule_is_that_of_its_images(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter", access="closed"))
    assert [access(bench, image) for image in IMAGES] == ["closed", "", ""]
    bench.objects.put(shelf("letter", access="small:1000"))
    assert access(bench, "one") == "small:1000"
    bench.objects.put(shelf("letter", access="open"))
    assert access(bench, "one") == "open"


def test_an_image_that_joins_while_its_collection_closes_is_announced(bench: ObjectBench) -> None:
    """The edge has answers of it, without the tag that the closing lets it forget."""
    bench.objects.put(shelf("book"))
    write, done = bench.identifiers.write, []

    def overtaken(record: Record, replaces: Record | RecordDamaged | None) -> None:
        if not done:
            done.append(record.identifier)
            bench.begin_process()
            bench.objects.put(shelf("book", access="closed"))
            bench.events.events.clear()
        write(record, replaces)

    with patch.object(bench.identifiers, "write", overtaken):
        bench.objects.publisher.memberships.join({"one": ["shelf"]})
    assert done == ["one"]
    assert access(bench, "one") == "closed"
    changed = [one["identifier"] for name, one in bench.events.events if name == "ImageChanged"]
    assert changed == ["one"]


def test_what_is_said_for_an_image_stays(bench: ObjectBench) -> None:
    say(bench, "one", "open")
    bench.objects.put(shelf("letter", access="closed"))
    assert access(bench, "one") == "open"
    say(bench, "one", "staff")
    bench.objects.put(shelf("letter", access="open"))
    assert access(bench, "one") == "staff"


def test_an_image_can_be_given_back_to_its_collections(bench: ObjectBench) -> None:
    say(bench, "one", "open")
    bench.objects.put(shelf("letter", access="closed"))
    register = Register(bench.identifiers, Journal(bench.records), bench.events)
    names = bench.publisher.memberships.collections.following("one")
    register.change("one", follow_collections("one", names, AT))
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
    assert (access(bench, "one"), access(bench, "two")) == ("open", "open")


def test_what_is_no_rule_is_refused(bench: ObjectBench) -> None:
    for text in ("small:1", "inherited", "Everybody!"):
        with pytest.raises(ObjectRefused) as refused:
            bench.objects.put(shelf("letter", access=text))
        assert "is no rule of access" in refused.value.faults[0]


def test_one_more_member_costs_no_look_at_the_others(bench: ObjectBench) -> None:
    bench.objects.put(letter("another", "two"))
    bench.objects.put(shelf("letter", access="closed"))
    with patch.object(memberships, "read_shown", wraps=memberships.read_shown) as read:
        bench.objects.put(shelf("letter", "another"))
    assert {call.args[1] for call in read.call_args_list} == {"another"}
    assert access(bench, "two") == "closed"


def test_a_rule_is_one_write_however_many_images_it_covers(bench: ObjectBench) -> None:
    names = [f"object-{number:03}" for number in range(60)]
    for name in names:
        bench.objects.put(letter(name, f"of-{name}"))
    bench.objects.put(shelf(*names))
    with patch.object(bench.identifiers, "write", side_effect=AssertionError):
        bench.objects.put(shelf(*names, access="closed"))
    assert {access(bench, f"of-{name}") for name in names} == {"closed"}


def test_a_rule_is_announced_before_and_after_it_is_written(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter"))
    bench.events.events.clear()
    bench.objects.put(shelf("letter", access="closed"))
    sent = [one for name, one in bench.events.events if name == "RulesChanged"]
    assert [one["identifier"] for one in sent] == ["shelf", "shelf"]
    assert sent[0]["version"] < sent[1]["version"]
    assert sent[0]["everything"], "it was shown before it was in a collection"
    bench.events.events.clear()
    bench.objects.put(shelf("letter", access="open"))
    sent = [one for name, one in bench.events.events if name == "RulesChanged"]
    assert {one["everything"] for one in sent} == {False}


def test_images_know_of_their_collection_also_before_the_upload(
    bench: ObjectBench,
) -> None:
    bench.objects.put(shelf("letter", "new"))
    bench.objects.put(letter("new", "yet-to-come"))
    for image in ("one", "yet-to-come"):
        record = bench.identifiers.get(image)
        assert record
        assert (record.access, record.collections) == ("inherited", ("shelf",))
    assert "ImageChanged" not in {name for name, _ in bench.events.events}, "nothing is shown other"


def test_without_a_table_that_can_be_read_collections_are_closed(bench: ObjectBench) -> None:
    bench.objects.put(shelf("letter"))
    assert access(bench, "one") == "open"
    bench.records.put(COLLECTION_RULES, b"{", content_type="application/json")
    assert access(bench, "one") == "closed"
    assert access(bench, "three") == "", "it is in none"
    bench.records.delete(COLLECTION_RULES)
    assert access(bench, "one") == "closed"
    rebuild_publications(bench.publisher, with_pages=True)
    assert access(bench, "one") == "open"


@pytest.mark.parametrize("lost", [None, b"{"])
def test_a_rebuild_makes_the_table_and_what_images_know_again(
    bench: ObjectBench, lost: bytes | None
) -> None:
    bench.objects.put(shelf("letter", name="box"))
    bench.objects.put(shelf("box", access="closed"))
    bench.objects.rename("box", "case")
    bench.objects.put(letter("another", "two"))
    bench.objects.put(shelf("another", name="rack", access="small:1000"))
    bench.objects.withdraw("rack", "A claim.")
    bench.records.delete(COLLECTION_RULES)
    if lost:
        bench.records.put(COLLECTION_RULES, lost, content_type="application/json")
    bench.write(replace(live("one", 800, 600), revision=9))
    rebuild_publications(bench.publisher, with_pages=True)
    assert [access(bench, image) for image in ("one", "two")] == ["closed", "small:1000"]
    rules = bench.publisher.rules()
    assert rules
    assert rules.around("case") == ("case", "shelf")


def test_a_lost_table_is_made_from_the_journal_before_a_list_is_put(bench: ObjectBench) -> None:
    """Else a list that is put would open all others."""
    bench.objects.put(shelf("letter", access="closed"))
    bench.records.delete(COLLECTION_RULES)
    bench.objects.put(letter("another", "two"))
    bench.objects.put(shelf("another", name="rack"))
    assert [access(bench, image) for image in ("one", "two")] == ["closed", "open"]


def test_of_two_who_close_one_is_refused_and_the_other_decides(bench: ObjectBench) -> None:
    """What was prepared for a record that is refused is undone."""
    bench.objects.put(shelf("letter"))
    others, append = iter([True]), bench.publisher.journal.append

    def overtake(name: str, revision: int, record: Any) -> None:
        if name == "shelf" and next(others, False):
            bench.objects.put(shelf("letter", access="open"))
        append(name, revision, record)

    with (
        patch.object(bench.publisher.journal, "append", overtake),
        pytest.raises(RevisionChanged),
    ):
        bench.objects.put(shelf("letter", "two", access="closed"), over=1)
    assert [access(bench, image) for image in ("one", "two")] == ["open", "open"]


def test_what_joins_a_member_while_its_list_is_put_is_closed(bench: ObjectBench) -> None:
    bench.objects.put(shelf(access="closed"))
    others, append = iter([True]), bench.publisher.journal.append

    def join(name: str, revision: int, record: Any) -> None:
        if name == "shelf" and next(others, False):
            bench.objects.put(letter("letter", "one", "two"))
        append(name, revision, record)

    with patch.object(bench.publisher.journal, "append", join):
        bench.objects.put(shelf("letter"))
    assert access(bench, "two") == "closed"
