"""What fails while pages are read is tried again, never for ever, and takes no other page along."""

from collections import Counter
from datetime import timedelta

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.sources.ocr.page_rig import MORNING, PageRig, read_pages
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.errors import TransientError
from vitrine.iiif.presentation.model import Canvas
from vitrine.slices import WHOLE
from vitrine.sources.ocr.claim import UNNOTED_TIME
from vitrine.sources.ocr.read_object import read_object
from vitrine.text.ocr_results.stored import CLAIMED, PageReading, load_readings

FOUR = ("p1", "p2", "p3", "p4")


def turn(
    rig: PageRig, *answers: str | BaseException, languages: tuple[str, ...] = ("eng",)
) -> Counter[str]:
    """Read all pages of the book."""
    return read_pages(rig.services(rig.typist(*answers), languages), "book")


def readings(rig: PageRig) -> dict[str, PageReading]:
    """What is known of each image of the book."""
    return {one.image: one for one in load_readings(rig.records, "book")[0].pages.values()}


def with_texts(rig: PageRig) -> list[int]:
    """The canvases that have a text."""
    shown = rig.document("book")["items"]
    return [number for number, canvas in enumerate(shown) if "annotations" in canvas]


def test_what_was_read_between_two_pages_that_end_the_process_is_published(rig: PageRig) -> None:
    for image in FOUR[2:]:
        rig.show(image, image)
    rig.objects.put(book(canvases=tuple(Canvas(image=image) for image in FOUR), ocr="eng"))
    # The second page ends the process before it is noted, and twice after that; then the fourth.
    killed = SystemExit()
    for answers in (("one", killed), (killed,), ("three", killed), (killed,)):
        with pytest.raises(SystemExit):
            turn(rig, *answers)
        rig.moment += timedelta(hours=1)
    # Each said what the one before it had read.
    assert rig.named("TextsRead") == ["book"] * 3
    rig.publisher.publish("book")
    assert with_texts(rig) == [0, 2]


def test_a_claim_is_over_when_the_message_of_a_dead_process_comes_back(rig: PageRig) -> None:
    rig.put()

    def later() -> bool:
        rig.moment += timedelta(minutes=7)
        return True

    with pytest.raises(SystemExit):
        read_pages(rig.services(rig.typist("one", SystemExit())), "book", later)
    rig.moment = MORNING + timedelta(minutes=17)
    assert turn(rig, "two") == {"pages_read": 1}


@pytest.mark.parametrize("error", [OSError("no space left"), MemoryError("malloc")])
def test_an_error_that_nobody_foresaw_is_tried_again_once_and_stops_no_other(
    rig: PageRig, error: Exception
) -> None:
    rig.put()
    with pytest.raises(TransientError, match=str(error)):
        turn(rig, error, "two")
    assert {image: one.state for image, one in readings(rig).items()} == {
        "p1": "begun",
        "p2": "read",
    }
    assert rig.named("TextsRead") == ["book"]
    assert turn(rig, error) == {"pages_failed": 1}
    assert readings(rig)["p1"].reason == f"{type(error).__name__}: {error}"
    assert turn(rig) == {}


def test_an_access_master_that_stays_away_is_noted(rig: PageRig) -> None:
    rig.put()
    image = rig.identifiers.get("p1")
    rig.access_masters.delete(image.access_master_key)
    with pytest.raises(TransientError, match="p1"):
        turn(rig, "two")
    assert turn(rig) == {"pages_failed": 1}
    assert "ObjectMissing" in readings(rig)["p1"].reason
    assert turn(rig) == {}


def test_a_service_that_fails_costs_a_page_no_try(rig: PageRig) -> None:
    rig.put()
    for _ in range(5):
        with pytest.raises(TransientError, match="throttled"):
            turn(rig, *[TransientError("throttled")] * 2)
    assert turn(rig, "one", "two") == {"pages_read": 2}


def test_pages_that_were_read_before_a_fault_are_counted(
    rig: PageRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.put()
    counts: Counter[str] = Counter()

    def turn_with_fault(*answers: str | BaseException) -> None:
        read_object(rig.services(rig.typist(*answers)), "book", WHOLE, counts)

    with pytest.raises(TransientError, match="1 faults of book: p2: throttled"):
        turn_with_fault("one", TransientError("throttled"))
    assert counts == {"pages_read": 1}

    def fail(*_: object) -> None:
        raise TransientError("no event")

    # So they are if the object cannot be published, and if what became of a page is not noted.
    with monkeypatch.context() as patch:
        patch.setattr(rig.events, "publish", fail)
        with pytest.raises(TransientError, match="no event"):
            turn_with_fault("two")
    assert counts == {"pages_read": 2}
    rig.put(ocr="eng+deu")
    rig.records.faults = [None, TransientError("throttled")]
    services = rig.services(rig.typist("a", ""), ("eng", "deu"))
    with pytest.raises(TransientError, match="throttled"):
        read_object(services, "book", WHOLE, counts)
    assert counts == {"pages_read": 3, "pages_empty": 1}


def test_languages_that_are_reverted_are_not_read_again(rig: PageRig) -> None:
    rig.put()
    assert turn(rig, "one", "") == {"pages_read": 1, "pages_empty": 1}
    rig.put(ocr="eng+deu")
    assert turn(rig, "a", "b", languages=("eng", "deu")) == {"pages_read": 2}
    rig.put(ocr="eng")
    assert turn(rig) == {}
    rig.publisher.publish("book")
    assert with_texts(rig) == [0]


def test_an_image_restricted_while_it_is_read_has_no_text_until_it_is_open(rig: PageRig) -> None:
    rig.put()
    answers = iter(["staff", ""])

    def restrict() -> bool:
        if access := next(answers):
            rig.show("p1", "NINEVEH", access=access)
        return True

    read_pages(rig.services(rig.typist("one", "two")), "book", restrict)
    publish_changed_images(rig.publisher, ["p1"])
    assert with_texts(rig) == [1]
    rig.show("p1", "NINEVEH")
    publish_changed_images(rig.publisher, ["p1"])
    assert with_texts(rig) == [0, 1]
    assert turn(rig) == {}


def is_claimed(rig: PageRig) -> bool:
    """True if a process holds the object, or the notes say so."""
    return bool(load_readings(rig.records, "book")[0].claimed_until)


def test_notes_that_cannot_be_saved_end_the_claim_and_what_was_read_is_published(
    rig: PageRig,
) -> None:
    rig.put()
    rig.records.faults = [None, TransientError("throttled")]

    waits = iter([timedelta(), UNNOTED_TIME])

    def later() -> bool:
        rig.moment += next(waits)
        return True

    with pytest.raises(TransientError, match="1 faults of book: throttled"):
        read_pages(rig.services(rig.typist("one")), "book", later)
    assert not is_claimed(rig)
    # The second page was not begun, so that costs it no try.
    assert {image: one.state for image, one in readings(rig).items()} == {"p1": "read"}
    assert rig.named("TextsRead") == ["book"]
    assert turn(rig, "two") == {"pages_read": 1}


def test_a_text_that_cannot_be_looked_for_ends_the_claim(
    rig: PageRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.put()

    def fail(key: str) -> None:
        raise TransientError("throttled")

    with monkeypatch.context() as patch:
        patch.setattr(rig.records, "head", fail)
        with pytest.raises(TransientError, match="throttled"):
            turn(rig)
    assert not is_claimed(rig)
    assert turn(rig, "one", "two") == {"pages_read": 2}


def test_an_error_between_two_pages_ends_the_claim(rig: PageRig) -> None:
    rig.put()
    answers = iter([True])
    with pytest.raises(StopIteration):
        read_pages(rig.services(rig.typist("one")), "book", lambda: next(answers))
    assert not is_claimed(rig)
    assert readings(rig)["p1"].state == "read"


def test_an_event_of_a_dead_process_that_is_not_sent_ends_the_claim(
    rig: PageRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.put()
    with pytest.raises(SystemExit):
        turn(rig, "one", SystemExit())
    assert is_claimed(rig)
    rig.moment += timedelta(hours=1)

    def fail(*_: object) -> None:
        raise TransientError("throttled")

    with monkeypatch.context() as patch:
        patch.setattr(rig.events, "publish", fail)
        with pytest.raises(TransientError, match="throttled"):
            turn(rig)
    assert not is_claimed(rig)
    assert turn(rig, "two") == {"pages_read": 1}
    assert rig.named("TextsRead") == ["book"]


def test_notes_that_cannot_be_saved_at_the_end_are_made_up_for_when_the_claim_is_over(
    rig: PageRig,
) -> None:
    rig.put()
    rig.records.faults = [None, TransientError("throttled")]
    with pytest.raises(TransientError, match="throttled"):
        turn(rig, "one", "two")
    assert is_claimed(rig)
    rig.moment += CLAIMED
    assert turn(rig) == {}
    assert not is_claimed(rig)
    assert rig.named("TextsRead") == ["book"]
