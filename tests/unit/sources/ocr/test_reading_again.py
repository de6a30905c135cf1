"""A page is read once more on request, and shows the text that it had until it has another one."""

import json
from collections.abc import Sequence
from datetime import timedelta

import brotli
import pytest

from tests.unit.sources.ocr.page_rig import PageRig, read_pages
from vitrine.catalogue.reading_again import read_again, read_all_again
from vitrine.errors import TextRefused, TransientError
from vitrine.store.layout import text_page_key
from vitrine.store.publications import Published, decode_page
from vitrine.text.ocr_results.stored import load_readings, ocr_name

NAME = ocr_name("p1-v1", "eng")


def words(rig: PageRig) -> list[str]:
    """The words that are published, page by page."""
    publication = rig.published("book")
    assert isinstance(publication, Published)
    found = []
    for name in filter(None, publication.texts):
        page = decode_page(rig.site.get(text_page_key("book", name))[0])[3]
        document = json.loads(brotli.decompress(page))
        found += [item["body"]["value"] for item in document["items"]]
    return found


def turn(rig: PageRig, *answers: str | BaseException) -> dict[str, int]:
    """Read what there is to read, and publish it."""
    rig.moment += timedelta(hours=1)
    try:
        return dict(read_pages(rig.services(rig.typist(*answers)), "book"))
    finally:
        rig.publisher.publish("book")


@pytest.fixture
def read(rig: PageRig) -> PageRig:
    """A book of which one page has a text, and the other no word."""
    rig.put()
    turn(rig, "one", "")
    assert words(rig) == ["one"]
    return rig


def test_a_page_with_a_text_is_read_once_more_only_if_that_is_said(read: PageRig) -> None:
    assert read_again(read.publisher, "book").unread.pages == 1
    assert turn(read, "two") == {"pages_read": 1}
    assert read_again(read.publisher, "book").unread.pages == 0
    assert turn(read) == {}
    assert read_again(read.publisher, "book", with_texts=True).unread.pages == 2


def test_it_shows_its_old_text_until_it_has_the_new_one(read: PageRig) -> None:
    read_again(read.publisher, "book", with_texts=True)
    assert words(read) == ["one"]
    assert turn(read, "three", "four") == {"pages_read": 2}
    assert words(read) == ["three", "four"]
    # What names the old text may be kept at the edge and by viewers.
    assert load_readings(read.records, "book")[0].pages[NAME].text not in ("", NAME)
    assert turn(read) == {}


def test_it_is_read_as_often_as_that_is_requested(read: PageRig) -> None:
    for text in ("two", "three"):
        read_again(read.publisher, "book", with_texts=True)
        turn(read, text, "")
        assert words(read) == [text]


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        ([TextRefused("ocr-time", "it took more than 300 seconds"), ""], ["one"]),
        (["", ""], []),
    ],
)
def test_a_page_that_fails_keeps_its_text_and_one_without_a_word_has_none(
    read: PageRig, answers: Sequence[str | BaseException], shown: list[str]
) -> None:
    read_again(read.publisher, "book", with_texts=True)
    turn(read, *answers)
    assert words(read) == shown
    assert turn(read) == {}


def test_a_page_that_failed_and_has_its_old_text_is_read_again_as_one_without(
    read: PageRig,
) -> None:
    read_again(read.publisher, "book", with_texts=True)
    turn(read, TextRefused("ocr-time", "slow"), "")
    read_again(read.publisher, "book")
    assert words(read) == ["one"]
    assert turn(read, "", "five") == {"pages_empty": 1, "pages_read": 1}


def test_a_fault_or_a_killed_process_loses_neither_the_request_nor_the_text(read: PageRig) -> None:
    read_again(read.publisher, "book", with_texts=True)
    with pytest.raises(SystemExit):
        turn(read, SystemExit())
    assert words(read) == ["one"]
    with pytest.raises(TransientError):
        turn(read, "", TransientError("throttled"))
    assert words(read) == ["one"]
    assert turn(read, "six") == {"pages_read": 1}
    assert words(read) == ["six"]


def test_all_objects_are_read_once_more(read: PageRig) -> None:
    (found,) = read_all_again(read.publisher, with_texts=True)
    assert (found.identifier, found.unread.pages) == ("book", 2)
    assert read.named("TextsRequested") == ["book", "book"]
