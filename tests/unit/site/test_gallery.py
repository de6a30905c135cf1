"""The list behind the page."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.rigs.records import live
from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book, shelf
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.records import Gone, Live
from vitrine.site.gallery import GalleryServices, begin_list, update_gallery, write_home
from vitrine.site.home_list import newest_of


def entry(identifier: str, published_at: str, width: int = 1) -> dict[str, Any]:
    return {
        "identifier": identifier,
        "width": width,
        "height": 1,
        "published_at": published_at,
    }


def image(identifier: str, published_at: str, width: int = 1) -> Live:
    return live(identifier, levels=((width, 1),), published_at=published_at)


def withdraw(gallery: GalleryServices, identifier: str) -> None:
    current = gallery.identifiers.get(identifier)
    assert isinstance(current, Live)
    tombstone = Gone(identifier=identifier, reason="", changed_at="9", revision=9)
    gallery.identifiers.write(tombstone, current)


def services(*images: Live, length: int = 3) -> GalleryServices:
    return GalleryServices(
        site=MemoryObjectStore(),
        records=MemoryObjectStore(),
        catalogue=MemoryCatalogueTable(),
        identifiers=MemoryIdentifierTable(*images),
        length=length,
        base="https://images.example.org",
    )


def shown(gallery: GalleryServices) -> list[str]:
    body, _ = gallery.site.get("gallery.json")
    return [image["identifier"] for image in json.loads(body)["images"]]


def test_the_newest_stand_first_and_the_list_ends() -> None:
    merged = newest_of([entry("b", "2"), entry("a", "1")], [entry("c", "3")], 2)
    assert [image["identifier"] for image in merged] == ["c", "b"]


def test_a_republished_image_stands_once_with_its_new_size() -> None:
    merged = newest_of([entry("a", "1", width=5)], [entry("a", "2", width=7)], 9)
    assert merged == [entry("a", "2", width=7)]


def test_an_event_shows_what_the_table_says_now() -> None:
    gallery = services(image("a", "1"))
    assert update_gallery(gallery, ["a", "a", "never published"]) == 1
    gallery.identifiers.write(image("a", "2", width=7), gallery.identifiers.get("a"))
    update_gallery(gallery, ["a"])
    body, _ = gallery.site.get("gallery.json")
    assert json.loads(body)["images"] == [entry("a", "2", width=7)]


def test_the_first_list_takes_up_what_was_published_before() -> None:
    gallery = services(image("old", "1"))
    gallery.identifiers.write(image("new", "2"), None)
    assert update_gallery(gallery, ["new"]) == 2
    gallery.identifiers.write(image("next", "3"), None)
    assert update_gallery(gallery, ["next"]) == 3
    assert shown(gallery) == ["next", "new", "old"]


def test_a_withdrawn_image_leaves_and_the_next_one_moves_up() -> None:
    gallery = services(*(image(name, name) for name in "1234"))
    assert update_gallery(gallery, ["4"]) == 3
    assert shown(gallery) == ["4", "3", "2"]
    withdraw(gallery, "3")
    update_gallery(gallery, ["3"])
    assert shown(gallery) == ["4", "2", "1"]


def test_a_late_event_does_not_bring_a_withdrawn_image_back() -> None:
    gallery = services(image("a", "1"), image("b", "2"))
    withdraw(gallery, "a")
    update_gallery(gallery, ["a"])  # ImageWithdrawn
    update_gallery(gallery, ["a"])  # ImagePublished
    assert shown(gallery) == ["b"]


def test_two_writers_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = services(image("other", "2"), image("mine", "1"))
    write_while_another(gallery, monkeypatch, lambda: update_gallery(gallery, ["other"]))
    update_gallery(gallery, ["mine"])
    assert shown(gallery) == ["other", "mine"]


def test_an_image_that_is_withdrawn_while_it_is_listed_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gallery = services(image("mine", "1"))

    def withdrawn() -> None:
        withdraw(gallery, "mine")
        update_gallery(gallery, ["mine"])

    write_while_another(gallery, monkeypatch, withdrawn)
    update_gallery(gallery, ["mine"])
    assert shown(gallery) == []


def write_while_another(
    gallery: GalleryServices, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]
) -> None:
    """Let another writer act before the next write."""
    store = gallery.site
    put = store.put

    def put_after_another(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(store, "put", put)
        act()
        return put(*arguments, **named)

    monkeypatch.setattr(store, "put", put_after_another)


def test_endless_contention_is_worth_a_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = services()

    def refuse(*arguments: Any, **named: Any) -> Any:
        raise PreconditionFailed("gallery.json")

    monkeypatch.setattr(gallery.site, "put", refuse)
    with pytest.raises(TransientError):
        update_gallery(gallery, ["a"])


def home(gallery: GalleryServices) -> str:
    return str(gallery.site.get("index.html")[0].decode())


def test_the_first_page_says_how_to_fill_it_until_something_is_there() -> None:
    gallery = services(image("a <b>", "1"))
    write_home(gallery.site, gallery.base)
    assert "vitrine ingest painting.tif" in home(gallery)
    update_gallery(gallery, ["a <b>"])
    assert "vitrine ingest painting.tif" not in home(gallery)
    assert "a &lt;b&gt;" in home(gallery)
    assert 'href="/objects/a%20%3Cb%3E"' in home(gallery)


def test_the_first_list_has_what_is_in_the_table() -> None:
    gallery = ObjectBench(*IMAGES).gallery()
    assert (begin_list(gallery.site), begin_list(gallery.site)) == (1, 0)
    update_gallery(gallery, ["one"])
    assert set(shown(gallery)) == {"one", "three", "two"}
    assert begin_list(gallery.site) == 0


def test_objects_and_collections_are_on_the_first_page_and_their_images_are_not() -> None:
    bench = ObjectBench(*IMAGES)
    gallery = bench.gallery()
    update_gallery(gallery, ["one"])
    assert set(shown(gallery)) == {"one", "three", "two"}
    bench.objects.put(book())
    bench.objects.put(shelf())
    update_gallery(gallery, ["book", "shelf"])
    assert shown(gallery) == []
    update_gallery(gallery, ["one"])
    assert shown(gallery) == []
    assert 'href="/objects/book"' in home(gallery)
    assert 'href="/collections/shelf"' in home(gallery)
    bench.objects.withdraw("book", "A claim.")
    update_gallery(gallery, ["book"])
    assert 'href="/objects/book"' not in home(gallery)


def test_a_first_page_in_a_language_that_the_theme_drops_leads_to_the_first_page() -> None:
    bench = ObjectBench(*IMAGES)
    gallery = bench.gallery()
    bench.speak("en", "de")
    update_gallery(gallery, ["one"])
    assert "/iiif/3/one/" in bench.site.get("home/de")[0].decode()
    bench.speak("en")
    write_home(gallery.site, gallery.base)
    assert 'content="0; url=/"' in bench.site.get("home/de")[0].decode()
    with pytest.raises(ObjectMissing):
        bench.site.get("home/fr")


def test_the_page_is_that_of_the_last_list_also_when_two_write_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gallery = services(image("a", "1"), image("b", "2"))
    update_gallery(gallery, ["a", "b"])
    gallery.site.purge("index.html")  # type: ignore[attr-defined]
    put = gallery.site.put

    def overtaken(key: str, *arguments: Any, **named: Any) -> Any:
        if key == "index.html":
            monkeypatch.setattr(gallery.site, "put", put)
            withdraw(gallery, "b")
            update_gallery(gallery, ["b"])
        return put(key, *arguments, **named)

    monkeypatch.setattr(gallery.site, "put", overtaken)
    write_home(gallery.site, gallery.base)
    assert 'href="/objects/b"' not in home(gallery)


def test_an_image_that_is_not_public_leaves_and_one_that_is_small_is_listed_small() -> None:
    sides = ((4_000, 3_000), (2_000, 1_500), (1_000, 750), (500, 375), (250, 187))
    shown_small = replace(image("small", "1"), width=4_000, height=3_000, levels=sides)
    gallery = services(image("a", "2"), shown_small)
    update_gallery(gallery, ["a", "small"])
    for name, rule in (("a", "closed"), ("small", "small:1000")):
        current = gallery.identifiers.get(name)
        assert isinstance(current, Live)
        gallery.identifiers.write(replace(current, access=rule), current)
    update_gallery(gallery, ["a", "small"])
    body, _ = gallery.site.get("gallery.json")
    listed = json.loads(body)["images"]
    assert [(one["identifier"], one["width"], one["height"]) for one in listed] == [
        ("small", 1_000, 750)
    ]
