"""What is noted of pages is written a few times, and what a killed process wrote is enough."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.sources.ocr.page_rig import PageRig, read_pages
from vitrine.iiif.presentation.model import Canvas
from vitrine.sources.ocr.claim import MAX_TRIES, UNNOTED_PAGES
from vitrine.sources.ocr.ocr_services import PageReader
from vitrine.sources.ocr.page_image import PageImage
from vitrine.text.ocr_results.stored import load_readings
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, TextBox, Word

PAGES = 500
LAMBDA = timedelta(seconds=540)
"""In which pages are begun, of the 900 seconds that it has."""


def show_book(rig: PageRig, pages: int) -> list[str]:
    """Publish an object of `pages` images, all of the same bytes under different versions."""
    first = rig.identifiers.get("p1")
    names = [f"page-{number:03}" for number in range(pages)]
    for name in names:
        rig.identifiers.write(
            replace(first, identifier=name, version=f"{name}-v1", revision=0), None
        )
    rig.objects.put(book(canvases=tuple(Canvas(image=name) for name in names), ocr="eng"))
    return names


def reader(rig: PageRig, seconds: float) -> PageReader:
    """Return a reader that takes a number of seconds for each page."""

    def read(image: PageImage, languages: str, canvas: CanvasSize) -> PageText:
        rig.moment += timedelta(seconds=seconds)
        rig.asked.append(languages)
        return PageText((Line((Word("word", (TextBox(1, 2, 3, 4),)),)),))

    return PageReader(read=read, most_pixels=1_000_000, described="a reader")


def turn(rig: PageRig, seconds: float) -> Counter[str]:
    """Read for as long as a Lambda lives."""
    end = rig.moment + LAMBDA
    return read_pages(rig.services(reader(rig, seconds)), "book", lambda: rig.moment < end)


def states(rig: PageRig) -> Counter[str]:
    """What became of pages, by their notes."""
    return Counter(one.state for one in load_readings(rig.records, "book")[0].pages.values())


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.5, 4, 30])
def test_notes_on_a_book_are_written_a_few_times(rig: PageRig, seconds: float) -> None:
    show_book(rig, PAGES)
    while sum(turn(rig, seconds).values()):
        pass
    assert len(rig.asked) == PAGES
    assert states(rig) == {"read": PAGES}
    # One for each page took 508 writes and 9.5 MB, for pages of four seconds.
    most = {0.5: 30, 4: 40, 30: 180}[seconds]
    assert len(rig.records.written) <= most
    assert sum(rig.records.written) <= most * 20_000


@pytest.mark.slow
def test_a_killed_process_has_a_few_pages_at_most_read_again(rig: PageRig) -> None:
    show_book(rig, 2 * UNNOTED_PAGES + 10)
    killed = 2 * UNNOTED_PAGES + 5
    empty = ["", "word"] * UNNOTED_PAGES + ["word"] * 5
    with pytest.raises(SystemExit):
        read_pages(rig.services(rig.typist(*empty, SystemExit())), "book")
    rig.asked.clear()
    rig.moment += timedelta(hours=1)
    while sum(turn(rig, 1).values()):
        pass
    assert len(states(rig)) == 2
    assert states(rig)["read"] + states(rig)["empty"] == killed + 5
    # What has a text is found; of twenty pages, ten had none.
    assert 5 <= len(rig.asked) <= 5 + 1 + UNNOTED_PAGES / 2


@pytest.mark.slow
def test_a_page_that_ends_its_process_behind_many_that_were_read_before_is_given_up(
    rig: PageRig,
) -> None:
    names = show_book(rig, 3 * UNNOTED_PAGES)
    # Read of another object: these are found by their texts, and noted at the end.
    few = tuple(Canvas(image=name) for name in names[:-1])
    rig.objects.put(book("other", canvases=few, ocr="eng"))
    read_pages(rig.services(reader(rig, 0)), "other")
    for _ in range(MAX_TRIES):
        with pytest.raises(SystemExit):
            read_pages(rig.services(rig.typist(SystemExit())), "book")
        rig.moment += timedelta(hours=1)
    assert turn(rig, 1) == {"pages_failed": 1}


def test_texts_that_a_killed_process_had_not_noted_are_published_by_the_next(rig: PageRig) -> None:
    rig.put()
    with pytest.raises(SystemExit):
        read_pages(rig.services(rig.typist("one", SystemExit())), "book")
    assert states(rig) == {}
    rig.moment += timedelta(hours=1)
    with pytest.raises(SystemExit):
        read_pages(rig.services(rig.typist(SystemExit())), "book")
    assert states(rig) == {"read": 1, "begun": 1}
    rig.publisher.publish("book")
    assert "annotations" in rig.document("book")["items"][0]


def test_if_all_was_read_and_not_noted_it_is_found_and_published(rig: PageRig) -> None:
    rig.put()
    rig.records.faults = [None, SystemExit()]
    with pytest.raises(SystemExit):
        read_pages(rig.services(rig.typist("one", "two")), "book")
    rig.moment += timedelta(hours=1)
    assert read_pages(rig.services(rig.typist()), "book") == {}
    assert rig.named("TextsRead") == ["book"]
    assert states(rig) == {"read": 2}
    assert not load_readings(rig.records, "book")[0].claimed_until
