"""The page of an image under its own identifier: by itself, or leading to what shows it."""

import json
from collections.abc import Callable

import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book, losing, shelf
from tests.unit.deliver.deliver_records import live
from tests.unit.site.pages.page_watch import Watch, text
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.publisher import Publisher
from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.model import Canvas
from vitrine.records import Redirect


def leads(bench: ObjectBench, key: str) -> str:
    """Return where a page leads; empty for one that does not."""
    return text(bench, key).partition('content="0; url=')[2].partition('"')[0]


def test_an_image_that_no_object_shows_has_a_page_of_its_own(bench: ObjectBench) -> None:
    publish_changed_images(bench.publisher, ["one"])
    assert "<h1>one</h1>" in text(bench, "objects/one")
    bench.withdraw_image("one")
    publish_changed_images(bench.publisher, ["one"])
    assert "Reason given: rights" in text(bench, "objects/one")


def test_an_image_that_needs_a_right_and_is_in_no_object_has_a_page_with_the_way_in(
    bench: ObjectBench,
) -> None:
    bench.write(live("one", access="staff", revision=1))
    publish_changed_images(bench.publisher, ["one"])
    shown = text(bench, "objects/one")
    assert "<h1>one</h1>" in shown
    assert 'data-right="staff" data-hidden' in shown
    assert "/iiif/3/one/full/" not in shown
    bench.write(live("one", access="closed", revision=2))
    publish_changed_images(bench.publisher, ["one"])
    assert "data-right" not in text(bench, "objects/one")


def test_an_images_page_leads_to_the_object_that_shows_it(bench: ObjectBench) -> None:
    publish_changed_images(bench.publisher, ["one"])
    bench.objects.put(book("two"))
    bench.objects.put(book("other"))
    assert leads(bench, "objects/one") == "/objects/two#image-one"
    assert leads(bench, "objects/three") == "/objects/two#image-three"
    assert "<h1>A book</h1>" in text(bench, "objects/two")
    assert 'id="image-one"' in text(bench, "objects/two")
    publish_changed_images(bench.publisher, ["one"])
    assert leads(bench, "objects/one") == "/objects/two#image-one"


def test_an_image_does_not_lead_to_an_object_that_named_it_when_it_was_a_collection(
    bench: ObjectBench,
) -> None:
    bench.objects.put(shelf("two"))
    bench.objects.put(book("two", canvases=(Canvas(image="three"),)))
    publish_changed_images(bench.publisher, ["one"])
    assert "<h1>one</h1>" in text(bench, "objects/one")


def test_an_image_takes_no_page_from_an_object_of_the_same_name(bench: ObjectBench) -> None:
    bench.objects.put(book("three", canvases=(Canvas(image="one"),)))
    with Watch(bench) as written:
        publish_changed_images(bench.publisher, ["three"])
    assert written == []
    assert "<h1>A book</h1>" in text(bench, "objects/three")
    assert json.loads(text(bench, "oembed/three"))["title"] == "A book"


def test_an_image_of_the_name_of_a_collection_has_its_page(bench: ObjectBench) -> None:
    bench.objects.put(shelf("three"))
    publish_changed_images(bench.publisher, ["three"])
    assert "<h1>three</h1>" in text(bench, "objects/three")
    assert "<h1>A shelf</h1>" in text(bench, "collections/three")


def test_all_pages_of_an_image_lead_to_the_object(bench: ObjectBench) -> None:
    bench.speak("en", "de")
    publish_changed_images(bench.publisher, ["one"])
    bench.speak("en")
    bench.objects.put(book())
    assert leads(bench, "objects/one/de") == "/objects/one"
    assert leads(bench, "embed/one") == "/embed/book#image-one"
    assert json.loads(text(bench, "oembed/one")) == {"version": "1.0", "type": "link"}


def test_another_object_takes_over_from_one_that_is_withdrawn(bench: ObjectBench) -> None:
    bench.objects.put(book("first"))
    bench.objects.put(book("second"))
    bench.objects.withdraw("first", "A claim.")
    assert leads(bench, "objects/one") == "/objects/second#image-one"
    bench.objects.put(book("first"), replace_withdrawn=True)
    assert leads(bench, "objects/one") == "/objects/second#image-one"
    bench.objects.put(book("second", canvases=(Canvas(image="two"),)))
    assert leads(bench, "objects/one") == "/objects/first#image-one"


def test_an_image_of_a_withdrawn_object_only_is_not_shown_by_itself(bench: ObjectBench) -> None:
    publish_changed_images(bench.publisher, ["one"])
    bench.objects.put(book())
    bench.objects.withdraw("book", "A claim.")
    publish_changed_images(bench.publisher, ["one"])
    assert leads(bench, "objects/one") == "/objects/book"
    assert "/iiif/3/one/" not in text(bench, "embed/one")


def test_an_image_of_what_was_withdrawn_and_became_a_collection_is_shown_by_itself(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    bench.objects.withdraw("book", "A mistake.")
    bench.objects.put(shelf("book"), replace_withdrawn=True)
    assert "<h1>three</h1>" in text(bench, "objects/three")


def test_an_image_that_only_a_collection_names_is_shown_by_itself(bench: ObjectBench) -> None:
    bench.objects.put(shelf())
    publish_changed_images(bench.publisher, ["one"])
    assert "<h1>one</h1>" in text(bench, "objects/one")


def test_an_image_also_leads_to_its_object_under_its_new_name(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.write(live("uno", 800, 600))
    redirect = Redirect(identifier="one", target="uno", changed_at="2026", revision=2)
    bench.write(redirect)
    publish_changed_images(bench.publisher, ["uno", "one"])
    assert leads(bench, "objects/one") == "/objects/uno"
    assert leads(bench, "objects/uno") == "/objects/book#image-uno"
    bench.write(live("uno", 1600, 1200, revision=2))
    assert publish_changed_images(bench.publisher, ["uno"]) == 1
    assert 'data-width="1600"' in text(bench, "objects/book")


def test_an_image_that_changes_while_its_page_is_written_is_looked_at_again(
    bench: ObjectBench,
) -> None:
    put = bench.site.put
    done: list[str] = []

    def overtaken(key: str, *args: object, **how: object) -> object:
        if key == "objects/one" and not done:
            done.append(key)
            bench.withdraw_image("one")
            publish_changed_images(bench.publisher, ["one"])
        return put(key, *args, **how)

    bench.site.put = overtaken
    publish_changed_images(bench.publisher, ["one"])
    assert "Reason given: rights" in text(bench, "objects/one")


def test_an_object_that_comes_while_the_page_of_its_image_is_written_has_its_page(
    bench: ObjectBench,
) -> None:
    put = bench.site.put
    done: list[str] = []

    def overtaken(key: str, *args: object, **how: object) -> object:
        if key == "embed/one" and not done:
            done.append(key)
            bench.objects.put(book("one", title="An object"))
        return put(key, *args, **how)

    bench.site.put = overtaken
    publish_changed_images(bench.publisher, ["one"])
    assert "<h1>An object</h1>" in text(bench, "objects/one")
    assert "<h1>An object</h1>" in text(bench, "embed/one")


def overtake(bench: ObjectBench, key: str, act: Callable[[], object]) -> None:
    """Let somebody act just before this file is put for the first time."""
    put, done = bench.site.put, []

    def overtaken(written: str, *args: object, **how: object) -> object:
        if written == key and not done:
            done.append(key)
            act()
        return put(written, *args, **how)

    bench.site.put = overtaken


def test_an_image_that_closes_before_it_has_a_page_leads_nowhere(bench: ObjectBench) -> None:
    def close() -> None:
        bench.write(live("one", 800, 600, revision=2, access="closed"))
        publish_changed_images(bench.publisher, ["one"])

    overtake(bench, "objects/one", close)
    bench.objects.put(book())
    assert "not on display" in text(bench, "objects/one")
    assert leads(bench, "objects/two") == "/objects/book#image-two"


def test_of_two_objects_that_come_at_once_an_image_leads_to_the_first(bench: ObjectBench) -> None:
    overtake(bench, "objects/one", lambda: bench.objects.put(book("another")))
    bench.objects.put(book())
    bench.objects.put(book("third"))
    assert leads(bench, "objects/one") == "/objects/book#image-one"


def test_an_image_that_another_object_had_at_once_leads_to_the_one_that_was_first(
    bench: ObjectBench,
) -> None:
    with losing(bench.events, "ObjectChanged"):
        bench.objects.put(book())
    bench.site.purge("objects/one")
    bench.objects.put(book("another"))
    assert leads(bench, "objects/one") == "/objects/another#image-one"
    bench.objects.put(book())
    assert leads(bench, "objects/one") == "/objects/book#image-one"


def test_a_closed_image_has_no_page_and_a_small_one_is_shown_small() -> None:
    bench = ObjectBench()
    bench.write(live("one", 4000, 3000))
    publish_changed_images(bench.publisher, ["one"])
    bench.write(live("one", 4000, 3000, revision=1, access="small:1000"))
    publish_changed_images(bench.publisher, ["one"])
    assert 'data-width="1000"' in text(bench, "objects/one")
    bench.write(live("one", 4000, 3000, revision=2, access="closed"))
    publish_changed_images(bench.publisher, ["one"])
    for key in ("objects/one", "embed/one"):
        assert "not on display" in text(bench, key)
    bench.write(live("two", access="closed"))
    publish_changed_images(bench.publisher, ["two"])
    with pytest.raises(ObjectMissing):
        bench.site.get("objects/two")


def test_a_change_looks_only_at_images_that_joined_or_left(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.objects.put(book())
    looked_at: list[str] = []
    monkeypatch.setattr(
        Publisher, "update_image", lambda _, image, record: looked_at.append(image) or 0
    )
    bench.objects.put(book(title="Another title"))
    assert looked_at == []
    bench.objects.put(book(canvases=(Canvas(image="two"), Canvas(image="one"))))
    assert looked_at == ["three"]


def test_a_title_that_looks_like_html_is_read_as_it_is() -> None:
    bench = ObjectBench("<b>")
    publish_changed_images(bench.publisher, ["<b>"])
    shown = text(bench, "objects/<b>")
    assert "<h1>&lt;b&gt;</h1>" in shown
    assert "<title>&lt;b&gt; · " in shown


def test_an_image_that_is_shown_twice_is_one_place_to_lead_to(bench: ObjectBench) -> None:
    bench.objects.put(book(canvases=(Canvas(image="one"), Canvas(image="one"))))
    assert text(bench, "objects/book").count('id="image-one"') == 1
