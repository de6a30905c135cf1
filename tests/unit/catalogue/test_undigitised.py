"""An object may have a page before its first image is published; it says so, and nothing else."""

import pytest

from tests.unit.catalogue.object_bench import BASE, ObjectBench, book
from tests.unit.deliver.deliver_records import live
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject
from vitrine.iiif.presentation.schema import find_schema_faults
from vitrine.records import Removed
from vitrine.search.titles.rows import make_row
from vitrine.site.pages.strings import strings
from vitrine.store.publications import Published, Waiting, Withdrawn
from vitrine.store.site_layout import NOT_DIGITISED, object_page_key

SAID = "This object is not digitised yet"


@pytest.fixture
def bench() -> ObjectBench:
    return ObjectBench("cover")


def folio(*images: str, **changes: object) -> PublishedObject:
    return book(
        "folio",
        "A folio",
        canvases=tuple(Canvas(image=image) for image in images),
        page_before_images=True,
        **changes,
    )


def page_of(bench: ObjectBench, language: str = "") -> str:
    return bench.site.get(object_page_key("folio", language))[0].decode()


def test_it_has_a_page_and_documents_with_one_picture_that_stands_for_its_images(
    bench: ObjectBench,
) -> None:
    bench.speak("en", "de")
    bench.objects.put(folio("recto", "verso", ocr="deu"))
    assert SAID in page_of(bench)
    assert strings("de")["not_digitised"] in page_of(bench, "de")
    assert "viewer/start.js" not in page_of(bench)
    manifest = bench.document("folio")
    assert not find_schema_faults(manifest)
    [canvas] = manifest["items"]
    assert canvas["items"][0]["items"][0]["body"]["id"] == BASE + NOT_DIGITISED
    assert canvas["label"]["en"] == [SAID]
    assert len(bench.document("folio", 2)["sequences"][0]["canvases"]) == 1


def test_it_is_found_by_its_title_before_and_after(bench: ObjectBench) -> None:
    bench.objects.put(folio("recto"))
    row = make_row("folio", "1", bench.published("folio"), BASE)
    assert row.card
    assert row.card.thumbnail == NOT_DIGITISED


def test_it_shows_its_first_image_as_soon_as_that_is_published(bench: ObjectBench) -> None:
    bench.objects.put(folio("recto", "verso"))
    bench.write(live("verso", 800, 600))
    publish_changed_images(bench.publisher, ["verso"])
    assert SAID not in page_of(bench)
    assert NOT_DIGITISED not in str(bench.document("folio"))
    assert len(bench.document("folio")["items"]) == 1


def test_it_says_so_of_none_that_shows_something(bench: ObjectBench) -> None:
    bench.objects.put(folio("cover", "recto"))
    assert SAID not in page_of(bench)
    assert len(bench.document("folio")["items"]) == 1


def test_what_was_digitised_and_withdrawn_is_gone(bench: ObjectBench) -> None:
    bench.objects.put(folio("cover"))
    bench.withdraw_image("cover")
    publish_changed_images(bench.publisher, ["cover"])
    assert isinstance(bench.published("folio"), Withdrawn)


def test_of_what_was_digitised_and_withdrawn_in_part_nothing_is_said(bench: ObjectBench) -> None:
    bench.objects.put(folio("cover", "recto"))
    bench.withdraw_image("cover")
    publish_changed_images(bench.publisher, ["cover"])
    assert isinstance(bench.published("folio"), Waiting)


@pytest.mark.parametrize("closed_before", [True, False])
def test_nothing_is_said_of_an_object_whose_images_will_be_closed(
    bench: ObjectBench, closed_before: bool
) -> None:
    def close() -> None:
        bench.write(Removed(identifier="recto", access="closed", changed_at="2026-11-29T12:00:00Z"))

    if closed_before:
        close()
    bench.objects.put(folio("recto", "verso"))
    assert isinstance(bench.published("folio"), Waiting if closed_before else Published)
    if not closed_before:
        close()
        publish_changed_images(bench.publisher, ["recto"])
    assert isinstance(bench.published("folio"), Waiting)
    assert "A folio" not in page_of(bench)


@pytest.mark.parametrize("is_listed_first", [True, False])
def test_nothing_is_said_of_an_object_in_a_closed_collection(
    bench: ObjectBench, is_listed_first: bool
) -> None:
    member = Member(identifier="folio", label={"en": ("A folio",)}, image="recto")
    shelf = ObjectCollection(
        identifier="shelf", label={"en": ("A shelf",)}, members=(member,), access="closed"
    )
    puts = [lambda: bench.objects.put(folio("recto")), lambda: bench.objects.put(shelf)]
    for put in reversed(puts) if is_listed_first else puts:
        put()
    bench.publisher.publish("folio")
    assert isinstance(bench.published("folio"), Waiting)
