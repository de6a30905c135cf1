"""What queries find in the pages of all objects, and in which order."""

import random

import pytest

from tests.unit.search.content.content_bench import page
from tests.unit.search.content.scan import Scan, make_pages, make_query, make_vocabulary
from tests.unit.search.full_text.full_text_bench import Library
from vitrine.errors import InvalidRequest
from vitrine.search.content.form import RemarkEntry
from vitrine.search.content.query import parse_query
from vitrine.search.full_text import search, stored_segments
from vitrine.search.full_text.live_list import SEGMENTS
from vitrine.search.full_text.search import LAST_START, MAX_TRIED, NOTHING, OBJECTS_SHOWN
from vitrine.search.full_text.stored_segments import LIST_SECONDS, StoredSegments
from vitrine.text.transcription.page_text import PageText


@pytest.fixture
def library() -> Library:
    made = Library()
    made.publish("one", page("Die Reise nach Ninive,", "beschrieben von Müller."), page("Schluss"))
    made.publish("two", page("nichts"), page("In Ninive blieb", "der Reisende nach der Reise"))
    made.publish("three", page("東京タワー"), page("京東"), page("L'été à Paris"))
    made.update()
    return made


@pytest.mark.parametrize(
    ("query", "objects"),
    [
        ("ninive", {"one", "two"}),
        ("NINIVE muller", {"one"}),
        ("reis* blieb", {"two"}),
        ('"nach ninive"', {"one"}),
        ('"ninive nach"', set()),
        ("东京", set()),
        ("東京", {"three"}),
        ("l'été", {"three"}),
        ("schluss ninive", set()),
        ("nirgends", set()),
        ("!?", set()),
    ],
)
def test_pages_have_all_words_of_a_query(library: Library, query: str, objects: set[str]) -> None:
    assert {one for one, _ in library.find_all(query)} == objects


def test_an_answer_says_where_words_are_on_the_first_page_that_has_all(library: Library) -> None:
    found = library.find("reise ninive")
    assert (found.total, found.pages, found.is_exact, found.next) == (2, 2, True, 0)
    two = next(one for one in found.items if one.identifier == "two")
    assert [(match.page, match.text) for match in two.matches] == [(1, "Ninive"), (1, "Reise")]
    assert two.matches[0].before == "In "
    assert two.matches[0].boxes


def test_a_phrase_says_that_its_total_is_of_words_in_any_order(library: Library) -> None:
    found = library.find('"東京"')
    assert (found.total, found.pages, found.is_exact) == (1, 2, False)
    assert [(one.identifier, one.pages) for one in found.items] == [("three", 1)]


def test_more_pages_rank_higher_and_longer_objects_lower() -> None:
    library = Library()
    other = [page("other")]
    library.publish("long", page("word"), *other * 20)
    library.publish("two", page("word"), page("word"), *other)
    library.publish("short", page("word"), *other * 2)
    library.update()
    assert [one for one, _ in library.find_all("word")] == ["two", "short", "long"]


def test_answers_follow_each_other_until_all_objects_were_shown() -> None:
    library = Library()
    for number in range(45):
        words = "one two" if number % 3 else "two one"
        library.publish(f"book-{number}", page(words), page("one"))
    library.update()
    assert len(library.find("one").items) == OBJECTS_SHOWN
    assert len(set(library.find_all("one"))) == 45
    assert len(set(library.find_all('"one two"'))) == 30
    assert library.find('"two two"').items == ()
    assert library.find('"two one one"').next == MAX_TRIED


def test_what_is_withdrawn_or_has_another_text_is_not_shown_before_the_next_update(
    library: Library,
) -> None:
    library.withdraw("one")
    library.publish("two", page("ninive"))
    assert library.find("ninive").items == ()
    library.update()
    assert library.find_all("ninive") == [("two", 1)]


@pytest.mark.parametrize("start", [0, 1, 12])
def test_nothing_of_an_answer_tells_of_words_that_are_withdrawn(start: int) -> None:
    library = Library()
    for number in range(11):
        library.publish(f"book-{number}", page("word"), page("other"))
    library.publish("secret", page("hidden word"), page("word"))
    library.update()
    library.withdraw("secret")
    assert library.find("hidden", start) == NOTHING
    found = library.find("word", start)
    assert (found.total, found.pages, found.is_exact) == (11, 11, True)
    library.withdraw("book-10")
    assert (library.find("word").total, library.find("word").next) == (10, 0)


def test_a_frequent_word_is_counted_without_what_an_answer_found_withdrawn() -> None:
    library = Library()
    for number in range(MAX_TRIED + 5):
        library.publish(f"book-{number:02}", page("word"))
    library.update()
    library.withdraw("book-03")
    found = library.find("word")
    assert (found.total, len(found.items), found.next) == (MAX_TRIED + 4, OBJECTS_SHOWN, 11)


def test_what_was_published_just_now_is_found_by_a_process_that_has_found_nothing_before(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_segments, "JUST_SECONDS", 0)
    reader = library.full_text
    assert reader.find(parse_query("zebra"), 0, library.admit).total == 0
    library.publish("new", page("zebra"))
    library.update()
    assert reader.find(parse_query("zebra"), 0, library.admit).total == 1


def test_an_index_that_was_replaced_and_emptied_meanwhile_is_read_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_segments, "MAX_BYTES", 0)
    reader = library.full_text
    assert reader.find(parse_query("ninive"), 0, library.admit).total == 2
    keys = [one.key for one in library.site.list_keys(SEGMENTS).entries]
    before = [key for key in keys if key.startswith(SEGMENTS)]
    library.update(everything=True)
    for key in before:
        library.site.put(key, b"", content_type="x/y")
    assert reader.find(parse_query("reis*"), 0, library.admit).total == 2


def test_an_object_whose_own_index_is_lost_is_logged_and_not_counted(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    for entry in library.site.list_keys("inside/").entries:
        if "/two/" in entry.key:
            library.site.put(entry.key, b"", content_type="x/y")
    found = library.find("ninive")
    assert [one.identifier for one in found.items] == ["one"]
    assert (found.total, found.pages, found.is_exact) == (1, 1, False)
    assert "/two/" in caplog.text
    assert [one for one, _ in library.find_all('"in ninive"')] == []


def test_comments_are_not_among_the_texts_of_all_objects() -> None:
    library = Library()
    texts = [page("a seal of wax"), page("and a ribbon")]
    comments = [
        (RemarkEntry(0, "0a1b2c3d", ("commenting",)), page("a forged seal")),
        (RemarkEntry(1, "0a1b2c3d", ("tagging",)), page("wax and a ribbon")),
    ]
    library.publish("with", *texts, remarks=comments)
    library.publish("alone", PageText(()), remarks=comments)
    library.publish("text", page("a seal"))
    library.update()
    assert dict(library.find_all("seal")) == {"with": 1, "text": 1}
    assert library.find_all("forged") == library.find_all('"forged seal"') == []
    assert library.find_all('"wax and"') == []
    (item,) = library.find('"a ribbon"').items
    assert (item.pages, [match.page for match in item.matches]) == (1, [1])


def test_a_collection_without_an_index_answers_with_nothing() -> None:
    assert Library().find("word") == NOTHING
    assert Library().find("") == NOTHING


def test_what_asks_too_much_is_refused(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidRequest, match="1,000 objects"):
        library.find("ninive", LAST_START + 1)
    monkeypatch.setattr(search, "MAX_BLOCK_BYTES", 10)
    with pytest.raises(InvalidRequest, match="more letters"):
        library.find("n*")


def test_a_new_list_is_read_after_a_while(library: Library) -> None:
    now = [0.0]
    segments = StoredSegments(library.site, clock=lambda: now[0])
    before = [live for live, _ in segments.open_all()]
    library.withdraw("one")
    library.update()
    assert [live for live, _ in segments.open_all()] == before
    now[0] = LIST_SECONDS
    assert [live for live, _ in segments.open_all()] != before


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_index_finds_what_reading_everything_finds(seed: int) -> None:
    made = random.Random(seed)
    words = make_vocabulary(made, 400)
    weights = [1 / (rank + 1) for rank in range(len(words))]
    library = Library()
    for number in range(24):
        pages = make_pages(made, words, weights, made.randint(1, 12), 40)
        library.publish(f"book-{number}", *pages)
        if number % 7 == 0:
            library.update()
    library.update()
    scans = [Scan(pages) for pages in library.texts.values()]
    hits = 0
    for _ in range(25):
        query = make_query(made, made.choice(scans))
        expected = library.scan_all(query)
        found = library.find_all(query)
        assert dict(found) == expected, query
        assert len(found) == len(expected)
        if library.find(query).is_exact:
            assert library.find(query).total == len(expected)
            assert library.find(query).pages == sum(expected.values())
        hits += bool(expected)
    assert hits > 15
