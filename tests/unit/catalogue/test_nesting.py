"""No collection gets into itself, however long the way, and the way is named."""

from itertools import pairwise

import pytest

from tests.unit.catalogue.object_bench import ObjectBench
from vitrine.catalogue.nesting import members_below
from vitrine.catalogue.records import Described
from vitrine.errors import ObjectRefused
from vitrine.iiif.presentation.model import Member, ObjectCollection


def collection(identifier: str, *inner: str) -> ObjectCollection:
    members = [
        Member(identifier=name, label={"en": (name,)}, is_collection=not name.startswith("book"))
        for name in inner
    ]
    return ObjectCollection(
        identifier=identifier, label={"en": (identifier,)}, members=tuple(members)
    )


@pytest.fixture
def bench() -> ObjectBench:
    return ObjectBench()


@pytest.mark.parametrize("length", [2, 3, 7])
def test_a_cycle_is_refused_with_the_whole_way(bench: ObjectBench, length: int) -> None:
    names = [f"c{number}" for number in range(length)]
    for name, inner in pairwise(names):
        bench.objects.put(collection(name, "book", inner))
    with pytest.raises(ObjectRefused) as caught:
        bench.objects.put(collection(names[-1], names[0]))
    assert caught.value.code == "collection-in-itself"
    way = " > ".join([names[-1], *names])
    assert f'"{names[-1]}" would be in itself: {way}. ' in str(caught.value)
    assert bench.publisher.journal.latest(names[-1]) is None, "nothing was written"
    bench.objects.put(collection(names[-1], "book"))


def test_a_collection_in_itself_is_refused(bench: ObjectBench) -> None:
    with pytest.raises(ObjectRefused) as caught:
        bench.objects.put(collection("a", "book", "a"))
    assert caught.value.faults == ["members[1]: a collection is not a member of itself."]


def test_a_cycle_by_a_previous_name_or_by_a_new_one_is_found(bench: ObjectBench) -> None:
    bench.objects.put(collection("old"))
    bench.objects.rename("old", "new")
    bench.objects.put(collection("inner", "old"))
    with pytest.raises(ObjectRefused, match="new > inner > old > new"):
        bench.objects.put(collection("new", "inner"))
    bench.objects.put(collection("outer", "middle"))
    bench.objects.put(collection("middle", "not there yet"))
    with pytest.raises(ObjectRefused, match="not there yet > middle > not there yet"):
        bench.objects.rename("outer", "not there yet")
    assert bench.publisher.journal.latest("not there yet") is None


def test_what_stands_twice_in_a_tree_is_no_cycle(bench: ObjectBench) -> None:
    for name, *inner in (("d",), ("b", "d"), ("c", "d", "b"), ("a", "b", "c", "d", "not there")):
        bench.objects.put(collection(name, *inner))
    assert list(members_below("a", bench.publisher.journal)) == ["b", "c", "d", "not there"]


def test_only_below_what_is_new_in_a_collection_is_looked(bench: ObjectBench) -> None:
    for number in range(20):
        bench.objects.put(collection(f"c{number}", "book"))
    names = [f"c{number}" for number in range(20)]
    bench.objects.put(collection("top", *names[:19]))
    read = list[str]()
    journal = bench.publisher.journal
    latest = journal.latest

    def counted(identifier: str) -> object:
        read.append(identifier)
        return latest(identifier)

    journal.latest = counted  # type: ignore[method-assign, assignment]
    bench.objects.put(collection("top", *names))
    assert set(read) == {"top", "c19"}


def test_a_cycle_that_is_there_already_ends_the_walk(bench: ObjectBench) -> None:
    bench.objects.put(collection("other", "book"))
    for name, inner in (("a", "b"), ("b", "a")):
        record = Described(
            identifier=name, revision=1, changed_at="x", item=collection(name, inner, "book")
        )
        bench.publisher.journal.append(name, 1, record)
    assert list(members_below("a", bench.publisher.journal)) == ["b", "book", "a"]
    bench.objects.put(collection("top", "a"))
    bench.objects.put(collection("c", "b"))
    with pytest.raises(ObjectRefused, match="b > c > b"):
        bench.objects.put(collection("b", "a", "c"))
    bench.objects.put(collection("b", "book"))
    assert list(members_below("top", bench.publisher.journal)) == ["a", "b", "book"]


@pytest.mark.parametrize("length", [2, 3, 5])
def test_a_cycle_is_refused_though_no_list_marks_its_collections(
    bench: ObjectBench, length: int
) -> None:
    names = [f"book {number}" for number in range(length)]
    for name, inner in pairwise(names):
        bench.objects.put(collection(name, inner))
    with pytest.raises(ObjectRefused) as caught:
        bench.objects.put(collection(names[-1], names[0]))
    assert caught.value.code == "collection-in-itself"
