"""A collection is put back to an earlier moment, with all that it has listed since."""

from collections.abc import Iterator
from itertools import count

import pytest
from msgspec.structs import replace

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from vitrine.catalogue import changes
from vitrine.catalogue import objects as objects_module
from vitrine.catalogue.changes import shown_item
from vitrine.catalogue.records import rule_of
from vitrine.catalogue.rollback import REASON, KeptRule, roll_back
from vitrine.errors import ObjectRefused, TransientError
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.store.publications import Published, Withdrawn


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A clock that counts, for everything that changes objects."""
    ticks = count(1)
    monkeypatch.setattr(objects_module, "now", lambda: f"2026-11-23T10:00:{next(ticks):02}.000Z")
    return ticks


@pytest.fixture
def bench(clock: Iterator[int]) -> ObjectBench:
    return ObjectBench(*IMAGES)


def put(bench: ObjectBench, *names: str, title: str = "First") -> str:
    """Publish objects and the collection that lists them, as `collection publish` does; return
    the moment after it."""
    for name in names:
        bench.objects.put(book(name, title=title), replace_withdrawn=True)
    members = tuple(Member(identifier=name, label={"en": (title,)}) for name in names)
    shelf = ObjectCollection(identifier="shelf", label={"en": (title,)}, members=members)
    return bench.objects.put(shelf, replace_withdrawn=True).record.changed_at


def test_a_changed_object_shows_again_what_it_showed(bench: ObjectBench) -> None:
    then = put(bench, "a", "b")
    put(bench, "a", "b", title="Second")
    done = roll_back(bench.objects, "shelf", then)
    assert (done.restored, done.withdrawn, done.left) == (["a", "b", "shelf"], [], [])
    for name in ("a", "b"):
        assert bench.document(name)["label"] == {"en": ["First"]}
    assert len(list(bench.publisher.journal.history("a"))) == 3
    again = roll_back(bench.objects, "shelf", then)
    assert (again.restored, again.unchanged) == ([], 3)


def test_later_objects_are_withdrawn_and_withdrawn_ones_stay_so(bench: ObjectBench) -> None:
    put(bench, "a", "b")
    then = bench.objects.withdraw("b", "A claim.").record.changed_at
    put(bench, "a", "b", "c")
    done = roll_back(bench.objects, "shelf", then)
    assert sorted(done.withdrawn) == ["b", "c"]
    earlier, new = bench.published("b"), bench.published("c")
    assert isinstance(earlier, Withdrawn)
    assert isinstance(new, Withdrawn)
    assert (earlier.reason, new.reason) == ("A claim.", REASON)
    assert isinstance(bench.published("a"), Published)
    assert roll_back(bench.objects, "shelf", then).unchanged == 4


def test_what_is_restored_joins_no_restricted_collection_of_later(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book("a", canvases=(Canvas(image="one"),)))
    inner = Member(identifier="shelf", label={"en": ("A shelf",)}, is_collection=True)
    whole = ObjectCollection(identifier="whole", label={"en": ("All",)}, members=(inner,))
    then = bench.objects.put(whole).record.changed_at
    bench.objects.put(book("a", canvases=(Canvas(image="two"),)))
    member = Member(identifier="a", label={"en": ("A book",)})
    bench.objects.put(
        ObjectCollection(
            identifier="shelf", label={"en": ("A shelf",)}, members=(member,), access="closed"
        )
    )
    assert roll_back(bench.objects, "whole", then).withdrawn == ["shelf"]
    shown = {image: bench.publisher.shown.get(image) for image in ("one", "two")}
    assert {image: one and one.access for image, one in shown.items()} == {
        "one": "",
        "two": "closed",
    }


def test_collections_in_it_are_reverted_with_what_they_list(bench: ObjectBench) -> None:
    def put_all(title: str, *names: str) -> str:
        put(bench, *names, title=title)
        inner = Member(identifier="shelf", label={"en": (title,)}, is_collection=True)
        whole = ObjectCollection(identifier="whole", label={"en": (title,)}, members=(inner,))
        return bench.objects.put(whole).record.changed_at

    then = put_all("First", "a", "b")
    put_all("Second", "a", "c")
    done = roll_back(bench.objects, "whole", then)
    assert (done.restored, done.withdrawn) == (["a", "shelf", "whole"], ["c"])
    assert bench.document("a")["label"] == {"en": ["First"]}
    assert [one["label"] for one in bench.document("shelf")["items"]] == [{"en": ["First"]}] * 2


def test_collections_in_each_other_are_not_made_so_again(bench: ObjectBench) -> None:
    def put_both(title: str) -> str:
        for name, other in (("one", "two"), ("two", "one")):
            member = Member(identifier=other, label={"en": (title,)}, is_collection=True)
            item = ObjectCollection(identifier=name, label={"en": (title,)}, members=(member,))
            # `put` refuses this; two at the same moment, and an older edition, do not.
            bench.objects.change(name, changes.describe(item, objects_module.now()))
        return put(bench, "a", title=title)

    then = put_both("First")
    put_both("Second")
    done = roll_back(bench.objects, "one", then)
    assert done.restored == []
    assert [one.partition(" would be in itself")[0] for one in done.left] == ['"two"', '"one"']


def test_objects_that_left_the_collection_since_are_reverted(bench: ObjectBench) -> None:
    then = put(bench, "a", "b")
    put(bench, "a")
    bench.objects.withdraw("b", "No longer in the table.")
    roll_back(bench.objects, "shelf", then)
    assert isinstance(bench.published("b"), Published)
    assert len(bench.document("shelf")["items"]) == 2


def test_before_its_first_publication_there_was_nothing(bench: ObjectBench) -> None:
    put(bench, "a")
    done = roll_back(bench.objects, "shelf", "2026-11-23T09:00:00.000Z")
    assert done.withdrawn == ["a", "shelf"]


def test_what_was_renamed_since_is_left_and_named(bench: ObjectBench) -> None:
    then = put(bench, "a")
    bench.objects.rename("a", "b")
    (sentence,) = roll_back(bench.objects, "shelf", then).left
    assert sentence == '"a" was renamed to "b", and keeps that name.'


def test_an_interrupted_rollback_is_finished_by_the_same_call(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = put(bench, "a", "b", "c")
    put(bench, "a", "b", "c", title="Second")
    change, calls = objects_module.Objects.change, count()

    def falls_at_the_second(self: objects_module.Objects, *arguments: object) -> object:
        if next(calls) == 1:
            raise TransientError("S3 does not answer.")
        return change(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(objects_module.Objects, "change", falls_at_the_second)
        with pytest.raises(TransientError):
            roll_back(bench.objects, "shelf", then)
    roll_back(bench.objects, "shelf", then)
    for name in ("a", "b", "c"):
        assert bench.document(name)["label"] == {"en": ["First"]}


@pytest.mark.parametrize(
    ("then", "today", "is_said"),
    [
        ("", "closed", True),
        ("open", "closed", True),
        ("closed", "open", True),
        ("small:1000", "staff", True),
        ("closed", "closed", False),
        ("", "open", False),
    ],
)
def test_a_rule_stays_and_is_said_if_it_was_another_one(
    bench: ObjectBench, then: str, today: str, is_said: bool
) -> None:
    put(bench, "a")
    record = bench.publisher.journal.latest("shelf")
    assert record
    item = shown_item(record)
    assert isinstance(item, ObjectCollection)
    at = bench.objects.put(replace(item, access=then)).record.changed_at
    put(bench, "a", title="Second")
    bench.objects.put(replace(item, access=today))
    for _ in range(2):
        done = roll_back(bench.objects, "shelf", at)
        assert done.kept_rules == ([KeptRule("shelf", today, then)] if is_said else [])
    assert rule_of(bench.publisher.journal.latest("shelf")) == today


def test_only_a_collection_is_reverted(bench: ObjectBench) -> None:
    bench.objects.put(book("a"))
    with pytest.raises(ObjectRefused, match='"a" has been no collection since'):
        roll_back(bench.objects, "a", "2026-11-23T10:00:00.000Z")
