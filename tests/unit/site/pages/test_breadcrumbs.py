"""Where a page stands is said by titles, as people know them."""

import re
from dataclasses import replace

from tests.unit.catalogue.object_bench import ObjectBench, book, shelf
from tests.unit.site.pages.page_watch import text
from vitrine.catalogue.objects import Objects
from vitrine.iiif.presentation.model import ObjectCollection


def trail(bench: ObjectBench, key: str) -> list[tuple[str, str]]:
    found = re.search(r'<nav class="breadcrumb".*?</nav>', text(bench, key), re.DOTALL)
    assert found, key
    return re.findall(r'<a href="([^"]*)">(.*?)</a>', found[0])


def test_an_object_stands_in_its_collection_by_the_title(bench: ObjectBench) -> None:
    bench.objects.put(shelf())
    bench.objects.put(book(part_of=("shelf",)))
    assert trail(bench, "objects/book") == [("/", "Home"), ("/collections/shelf", "A shelf")]
    assert '<a href="/collections/shelf">A shelf</a></dd>' in text(bench, "objects/book")


def test_a_title_in_another_language_says_so(bench: ObjectBench) -> None:
    bench.objects.put(ObjectCollection(identifier="shelf", label={"la": ("Pluteus",)}))
    bench.objects.put(book(part_of=("shelf",)))
    assert trail(bench, "objects/book")[1][1] == '<span lang="la">Pluteus</span>'


def test_a_collection_without_a_record_is_shown_by_its_identifier(bench: ObjectBench) -> None:
    bench.objects.put(book(part_of=("shelf",)))
    assert trail(bench, "objects/book")[1] == ("/collections/shelf", "shelf")


def test_a_collection_stands_in_the_one_around_it_by_the_title(bench: ObjectBench) -> None:
    bench.objects.put(shelf("room"))
    inner = ObjectCollection(identifier="box", label={"en": ("A box",)}, part_of=("room",))
    bench.objects.put(inner)
    assert trail(bench, "collections/box") == [("/", "Home"), ("/collections/room", "A shelf")]


def test_a_process_that_begins_later_has_the_newer_title(bench: ObjectBench) -> None:
    bench.objects.put(shelf())
    bench.objects.put(book(part_of=("shelf",)))
    bench.objects.put(ObjectCollection(identifier="shelf", label={"en": ("Rack",)}))
    later = Objects(replace(bench.publisher))
    later.publisher.publish("book", with_pages=True)
    assert trail(bench, "objects/book")[1][1] == "Rack"
