"""Pages without a text are read once, and whatever goes wrong is noted or tried again."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.sources.ocr.page_rig import PAGES, PageRig, needs_tesseract, read_pages
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.errors import TextRefused, TransientError
from vitrine.iiif.presentation.model import Canvas
from vitrine.sources.ocr.ocr_services import PageReader
from vitrine.sources.ocr.page_reader import tesseract_reader
from vitrine.store.clock import rfc3339
from vitrine.store.layout import text_key
from vitrine.store.publications import Published
from vitrine.text.ocr_results.stored import (
    CLAIMED,
    Readings,
    load_readings,
    ocr_name,
    save_readings,
)

pytestmark = pytest.mark.slow


def read(rig: PageRig, reader: PageReader, *, pages: int = 99) -> Counter[str]:
    """Read what there is time for, and publish what was read, as the queues have it."""
    left = iter([True] * pages)
    done = read_pages(rig.services(reader), "book", lambda: next(left, False))
    rig.publisher.publish("book")
    return done


def shown(rig: PageRig) -> str:
    """The texts of the object's annotations."""
    publication = rig.published("book")
    assert isinstance(publication, Published)
    keys = [entry.key for entry in rig.site.list_keys().entries if "/text/" in entry.key]
    return " ".join(name for name in publication.texts if any(name in key for key in keys))


def states(rig: PageRig) -> dict[str, str]:
    pages = load_readings(rig.records, "book")[0].pages.values()
    return {one.image: one.state for one in pages}


@needs_tesseract
def test_words_on_a_page_are_found_at_their_place(rig: PageRig) -> None:
    rig.put()
    assert rig.named("TextsRequested") == ["book"]
    reader = tesseract_reader(memory_mebibytes=1_769, megapixels=40)
    assert read(rig, reader) == {"pages_read": 2}
    assert rig.named("TextsRead") == ["book"]
    document = rig.document("book")
    assert document["items"][0]["annotations"]
    body, info = rig.records.get(text_key(ocr_name("p1-v1", "eng")))
    assert info.metadata["read-by"].startswith("tesseract ")
    assert (info.metadata["languages"], info.metadata["image-version"]) == ("eng", "p1-v1")
    assert body
    # Nothing is left, so nobody is asked again.
    assert rig.named("TextsRequested") == ["book"]


def test_what_was_read_is_not_read_again(rig: PageRig) -> None:
    rig.put()
    assert read(rig, rig.typist("one", "")) == {"pages_read": 1, "pages_empty": 1}
    assert states(rig) == {"p1": "read", "p2": "empty"}
    texts = shown(rig)
    assert texts
    assert read(rig, rig.typist()) == {}
    # The table is published again; it has no text for the page, and does not take this one away.
    rig.put(part_of=("shelf",))
    assert shown(rig) == texts
    assert rig.named("TextsRequested") == ["book"]


def test_a_text_that_a_table_names_later_takes_the_place_of_what_was_read(rig: PageRig) -> None:
    rig.put()
    read(rig, rig.typist("one", "two"))
    read_texts = shown(rig)
    name = "0" * 32
    rig.put(texts=(name, ""))
    item = rig.publisher.journal.latest("book")
    assert json.loads(json.dumps(str(item))).count(name) == 1
    assert shown(rig) != read_texts


def test_a_replaced_image_is_read_again_and_its_old_text_is_not_shown(rig: PageRig) -> None:
    rig.put()
    read(rig, rig.typist("one", "two"))
    before = shown(rig)
    rig.show("p1", "BABYLON", version="v2")
    publish_changed_images(rig.publisher, ["p1"])
    assert rig.named("TextsRequested") == ["book", "book"]
    assert shown(rig) != before
    assert read(rig, rig.typist("three")) == {"pages_read": 1}
    assert ocr_name("p1-v2", "eng") in load_readings(rig.records, "book")[0].pages


def test_other_languages_are_another_text(rig: PageRig) -> None:
    rig.put()
    read(rig, rig.typist("one", "two"))
    rig.put(ocr="eng+deu")
    done = read_pages(rig.services(rig.typist("a", "b"), ("eng", "deu")), "book")
    assert done == {"pages_read": 2}
    assert rig.asked[-1] == "eng+deu"


@pytest.mark.parametrize("rule", ["closed", "staff", "small:1000", "small:1000:staff"])
def test_images_that_not_everybody_may_see_are_not_read(rig: PageRig, rule: str) -> None:
    rig.show("p1", "SECRET", version="v2", access=rule)
    rig.put()
    assert read(rig, rig.typist("two")) == {"pages_read": 1}
    assert states(rig) == {"p2": "read"}


def test_a_page_that_cannot_be_read_is_noted_with_its_reason_and_stops_no_other(
    rig: PageRig,
) -> None:
    rig.put()
    refused = TextRefused("ocr-time", "it took more than 300 seconds")
    assert read(rig, rig.typist(refused, "two")) == {"pages_failed": 1, "pages_read": 1}
    (failed,) = [one for one in load_readings(rig.records, "book")[0].pages.values() if one.reason]
    assert (failed.state, failed.image) == ("failed", "p1")
    assert failed.reason == "it took more than 300 seconds"
    assert read(rig, rig.typist()) == {}


def test_a_fault_of_a_service_has_the_message_come_again_and_the_others_stay(rig: PageRig) -> None:
    rig.put()
    with pytest.raises(TransientError, match="1 faults of book: p1: throttled"):
        read_pages(rig.services(rig.typist(TransientError("throttled"), "two")), "book")
    assert states(rig) == {"p1": "begun", "p2": "read"}
    assert rig.named("TextsRead") == ["book"]
    assert read(rig, rig.typist("one")) == {"pages_read": 1}


def test_a_page_that_ends_the_process_twice_is_not_tried_a_third_time(rig: PageRig) -> None:
    rig.put()
    for _ in range(2):
        with pytest.raises(SystemExit):
            read_pages(rig.services(rig.typist(SystemExit())), "book")
        rig.moment += timedelta(hours=1)
    # The one that was tried least comes first, so each of the two was tried once by now.
    assert read(rig, rig.typist("one", "two")) == {"pages_read": 2}


def test_a_killer_is_given_up(rig: PageRig) -> None:
    rig.put()
    # Nobody had noted it when it ended the first one, which had not noted the page before, either.
    for answers in (("", SystemExit()), ("", SystemExit()), (SystemExit(),)):
        with pytest.raises(SystemExit):
            read_pages(rig.services(rig.typist(*answers)), "book")
        rig.moment += timedelta(hours=1)
    assert read(rig, rig.typist()) == {"pages_failed": 1}
    readings = load_readings(rig.records, "book")[0].pages.values()
    assert [one.reason for one in readings if one.reason] == [
        "it was begun 2 times, and never ended"
    ]


def test_time_that_is_over_leaves_pages_to_the_next_one(rig: PageRig) -> None:
    rig.put()
    assert read(rig, rig.typist("one"), pages=1) == {"pages_read": 1}
    assert rig.named("TextsRequested") == ["book", "book"]
    assert read(rig, rig.typist("two"), pages=1) == {"pages_read": 1}
    assert rig.named("TextsRequested") == ["book", "book"]


def test_a_message_twice_reads_nothing_twice(rig: PageRig) -> None:
    rig.put()
    services = rig.services(rig.typist("one", "two"))
    again: list[Counter[str]] = []

    def meanwhile() -> bool:
        again.append(read_pages(services, "book"))
        return True

    assert read_pages(services, "book", meanwhile) == {"pages_read": 2}
    assert again == [Counter(), Counter()]


def test_what_others_note_meanwhile_is_not_overwritten(rig: PageRig) -> None:
    rig.put()

    def meanwhile() -> bool:
        _, etag = load_readings(rig.records, "book")
        save_readings(rig.records, "book", Readings(), etag)
        return True

    with pytest.raises(TransientError, match="Others changed"):
        read_pages(rig.services(rig.typist("one")), "book", meanwhile)


@pytest.mark.parametrize("ocr", ["", "deu"])
def test_without_languages_that_are_read_here_nobody_is_asked(rig: PageRig, ocr: str) -> None:
    rig.put(ocr=ocr)
    assert rig.named("TextsRequested") == []
    result = rig.publisher.publish("book")
    assert result
    reason = "this environment reads eng, and not deu" if ocr else ""
    assert (result.unread.pages, result.unread.reason) == (len(PAGES) if ocr else 0, reason)


def test_an_object_that_nobody_knows_is_nothing_to_read(rig: PageRig) -> None:
    assert read_pages(rig.services(rig.typist()), "unknown") == {}


def test_images_of_the_same_bytes_are_read_once(rig: PageRig) -> None:
    rig.objects.put(book(canvases=(Canvas(image="p1"), Canvas(image="p1")), ocr="eng"))
    assert read(rig, rig.typist("one")) == {"pages_read": 1}
    assert all("annotations" in canvas for canvas in rig.document("book")["items"])


def test_a_reader_without_the_language_has_the_message_come_again(rig: PageRig) -> None:
    rig.put(ocr="deu")
    with pytest.raises(TransientError, match="book needs deu"):
        read_pages(rig.services(rig.typist()), "book")


def test_without_time_for_a_page_the_message_comes_again(rig: PageRig) -> None:
    rig.put()
    with pytest.raises(TransientError, match="no time"):
        read_pages(rig.services(rig.typist()), "book", lambda: 0)
    assert read(rig, rig.typist("one", "two")) == {"pages_read": 2}


def test_what_was_read_is_published_although_the_event_was_lost(
    rig: PageRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.put()

    def fail(*_: object) -> None:
        raise TransientError("throttled")

    with monkeypatch.context() as patch:
        patch.setattr(rig.events, "publish", fail)
        with pytest.raises(TransientError):
            read_pages(rig.services(rig.typist("one", "two")), "book")
    assert rig.named("TextsRead") == []
    assert read_pages(rig.services(rig.typist()), "book") == {}
    assert rig.named("TextsRead") == ["book"]


def test_what_a_process_read_before_it_died_is_published_by_the_next(rig: PageRig) -> None:
    rig.put()
    with pytest.raises(SystemExit):
        read_pages(rig.services(rig.typist("one", SystemExit())), "book")
    rig.moment += timedelta(hours=1)
    with pytest.raises(TransientError):
        read_pages(rig.services(rig.typist(TransientError("throttled"))), "book")
    assert rig.named("TextsRead") == ["book"]


def test_a_renamed_object_keeps_its_texts_and_nothing_is_read_again(rig: PageRig) -> None:
    rig.put()
    read(rig, rig.typist("one", "two"))
    rig.objects.rename("book", "volume")
    assert all("annotations" in canvas for canvas in rig.document("volume")["items"])
    assert rig.named("TextsRequested") == ["book"]
    assert read_pages(rig.services(rig.typist()), "volume") == {}


def test_a_renamed_object_knows_which_pages_have_no_word_and_which_failed(rig: PageRig) -> None:
    rig.put()
    read(rig, rig.typist("", TextRefused("ocr-time", "it took more than 300 seconds")))
    rig.objects.rename("book", "volume")
    assert load_readings(rig.records, "volume") == load_readings(rig.records, "book")
    assert read_pages(rig.services(rig.typist()), "volume") == {}


def test_a_page_that_is_being_read_under_the_previous_identifier_is_read_under_the_new_one(
    rig: PageRig,
) -> None:
    rig.put()

    def meanwhile() -> bool:
        rig.objects.rename("book", "volume")
        return True

    read_pages(rig.services(rig.typist("one", "two")), "book", meanwhile)
    assert rig.named("TextsRequested") == ["book", "volume"]
    # Their texts are found.
    assert read_pages(rig.services(rig.typist()), "volume") == {"pages_read": 2}


def test_what_a_process_notes_of_the_new_identifier_is_not_overwritten(rig: PageRig) -> None:
    rig.put()
    read(rig, rig.typist("", "two"))
    until = rfc3339(datetime.now(UTC) + CLAIMED)
    save_readings(rig.records, "volume", Readings({}, until), "")
    rig.objects.rename("book", "volume")
    assert load_readings(rig.records, "volume")[0] == Readings({}, until)
