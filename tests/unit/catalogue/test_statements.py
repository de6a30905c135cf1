"""What records say of others is known from the catalogue, whichever writer died when."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from unittest.mock import patch

import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book, shelf
from tests.unit.catalogue.rules_museum import failing_after
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.catalogue.statements import UNREADABLE, Catalogue
from vitrine.errors import ServiceRefused, TransientError
from vitrine.iiif.presentation.model import Canvas
from vitrine.store.layout import SHOWS, image_subject, journal_key, member_subject

ONE = image_subject("one")


@pytest.fixture
def bench() -> ObjectBench:
    return ObjectBench("one", "two", "three")


@pytest.fixture
def looks(bench: ObjectBench) -> Iterator[list[str]]:
    """Identifiers whose records are looked up."""
    journal, found = bench.publisher.journal, list[str]()
    latest = journal.latest

    def look(identifier: str) -> object:
        found.append(identifier)
        return latest(identifier)

    with patch.object(journal, "latest", look):
        yield found


def said(bench: ObjectBench, subject: str) -> dict[str, tuple[str, ...]]:
    return dict(bench.publisher.catalogue.said_of(subject))


def test_what_is_settled_is_known_without_a_look_at_the_journal(
    bench: ObjectBench, looks: list[str]
) -> None:
    bench.objects.put(book())
    bench.objects.put(shelf())
    looks.clear()
    assert said(bench, ONE) == {"book": (SHOWS,), "shelf": ("pictures",)}
    assert said(bench, member_subject("book")) == {"shelf": ("lists",)}
    assert bench.publisher.memberships.collections.following("one") == {"shelf"}
    assert looks == []


@pytest.mark.parametrize("writes", [0, 1])
@pytest.mark.parametrize("images", [("two",), ("one", "two")])
def test_a_writer_that_died_is_found_out_by_one_look(
    bench: ObjectBench, looks: list[str], writes: int, images: tuple[str, ...]
) -> None:
    """The change of `two` alone is about to say that the book has `one` no more."""
    bench.objects.put(book())
    changed = book(canvases=tuple(Canvas(image=image) for image in images), title="Other")
    with failing_after(bench.catalogue, "write", writes), pytest.raises(TransientError):
        bench.objects.put(changed)
    is_written = bench.publisher.journal.find_newest(["book"])["book"] == 2
    assert is_written == (writes == 1)
    still = {"book": (SHOWS,)} if "one" in images or not is_written else {}
    looks.clear()
    assert said(bench, ONE) == still
    assert said(bench, ONE) == still
    assert looks in ([], ["book", "book"])


def test_statements_may_arrive_in_any_order() -> None:
    bench = ObjectBench("one", "two", "three")
    bench.objects.put(book())
    bench.objects.put(book(canvases=(Canvas(image="two"),)))
    statements = list(bench.catalogue.about(ONE))
    assert len(statements) == 2
    for order in permutations(statements):
        table = MemoryCatalogueTable()
        for statement in order:
            table.write([statement])
        assert not dict(Catalogue(table, bench.publisher.journal).said_of(ONE))


def test_who_meets_an_announcement_looks_at_the_record_and_writes_nothing(
    bench: ObjectBench, looks: list[str]
) -> None:
    bench.objects.put(book())
    (settled,) = bench.catalogue.about(ONE)
    bench.catalogue.write([replace(settled, says=None)])
    looks.clear()
    with failing_after(bench.catalogue, "write", 0):
        assert said(bench, ONE) == {"book": (SHOWS,)}
    assert looks == ["book"]


def test_of_a_record_that_cannot_be_read_what_it_was_about_to_say_counts(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    bench.objects.put(shelf())
    for subject in (ONE, member_subject("book")):
        settled = next(one for one in bench.catalogue.about(subject) if one.author == "shelf")
        bench.catalogue.write([replace(settled, says=None)])
    bench.records.put(journal_key("shelf", 1, "objects/"), b"{", content_type="text/plain")
    bench.begin_process()
    assert said(bench, ONE)["shelf"] == (UNREADABLE,)
    assert bench.publisher.memberships.collections.following("one") == {"shelf"}


def test_nothing_changes_over_a_catalogue_that_was_lost(bench: ObjectBench) -> None:
    bench.objects.put(book())
    lost = replace(
        bench.publisher, catalogue=Catalogue(MemoryCatalogueTable(), bench.publisher.journal)
    )
    bench.publisher = lost
    bench.objects = replace(bench.objects, publisher=lost)
    with pytest.raises(ServiceRefused, match="vitrine object rebuild"):
        bench.objects.put(shelf())
    assert bench.publisher.journal.latest("shelf") is None
    rebuild_publications(lost)
    bench.objects.put(shelf())
    assert lost.memberships.collections.following("one") == {"shelf"}


def test_a_rebuild_changes_nothing_that_is_said(bench: ObjectBench) -> None:
    bench.objects.put(book("first"))
    bench.objects.put(book("second"))
    bench.objects.put(book("first", title="Changed"))
    before = bench.publisher.catalogue.said_since(ONE), said(bench, ONE)
    rebuild_publications(bench.publisher)
    assert (bench.publisher.catalogue.said_since(ONE), said(bench, ONE)) == before
