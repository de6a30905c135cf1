"""A look at collections reads each once, and knows if a rule changed meanwhile."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book
from vitrine.catalogue.ruled_collections import MAX_KEPT, Look
from vitrine.iiif.presentation.model import Member, ObjectCollection


def shelf(number: int, access: str = "closed", title: str = "A shelf") -> ObjectCollection:
    member = Member(identifier="book", label={"en": ("A book",)})
    return ObjectCollection(
        identifier=f"shelf-{number}", label={"en": (title,)}, members=(member,), access=access
    )


@pytest.fixture
def bench() -> ObjectBench:
    """A book in more closed collections than are kept in memory."""
    bench = ObjectBench("one", "two", "three")
    bench.objects.put(book())
    for number in range(MAX_KEPT + 2):
        bench.objects.put(shelf(number))
    return bench


def test_whether_collections_changed_is_known_without_reading_them_again(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Look(bench.publisher.rules.collections)
    assert len(look.holders("book").rules) == MAX_KEPT + 2
    read: list[str] = []
    get = bench.records.get

    def count(key: str, *arguments: Any) -> Any:
        read.append(key)
        return get(key, *arguments)

    monkeypatch.setattr(bench.records, "get", count)
    assert look.is_current()
    assert read == []


def test_another_rule_or_identifier_of_a_collection_that_was_read_is_noticed(
    bench: ObjectBench,
) -> None:
    changes: tuple[Callable[[], object], ...] = (
        lambda: bench.objects.put(shelf(0, "open")),
        lambda: bench.objects.rename("shelf-1", "rack"),
    )
    for change in changes:
        look = Look(bench.publisher.rules.collections)
        look.holders("book")
        assert look.is_current()
        change()
        assert not look.is_current()


def test_other_members_of_a_collection_are_no_reason_to_look_again(bench: ObjectBench) -> None:
    look = Look(bench.publisher.rules.collections)
    look.holders("book")
    bench.objects.put(msgspec.structs.replace(shelf(0, title="Another title"), members=()))
    assert look.is_current()
