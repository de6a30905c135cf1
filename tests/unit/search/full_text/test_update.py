"""The index has the words of what is published, whatever happened before, and little is written."""

import gzip
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.search.content.content_bench import page
from tests.unit.search.full_text.full_text_bench import Library
from vitrine.errors import TransientError
from vitrine.search.claim import LASTS, Claim
from vitrine.search.content.form import RemarkEntry
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.full_text import update
from vitrine.search.full_text.live_list import LIST
from vitrine.search.full_text.update import CLAIM, KNOWN, update_full_text
from vitrine.search.titles.update import update_search
from vitrine.store.changed_publications import TextIndexes
from vitrine.store.layout import PUBLICATIONS, publication_key

WORDS = ["a", "b", "ca", "cb", "漢"]
QUERIES = ["a", "b a", "c*", '"a b"', "漢", "ca c*"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=20)
steps = st.lists(
    st.tuples(st.sampled_from(["w", "x", "y/z"]), st.one_of(st.none(), texts), st.booleans()),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=60)
@given(steps)
def test_after_any_history_the_index_is_as_one_built_at_once(
    history: list[tuple[str, list[str] | None, bool]],
) -> None:
    library, at_once = Library(), Library()
    for identifier, lines, is_update in history:
        if lines is None:
            library.withdraw(identifier)
        else:
            library.publish(identifier, *map(page, lines))
        if is_update:
            library.update()
    result = library.update()
    for identifier, pages in library.texts.items():
        at_once.publish(identifier, *pages)
    whole = at_once.update()
    assert (result.objects, result.pages) == (whole.objects, whole.pages)
    for query in QUERIES:
        found = dict(library.find_all(query))
        assert found == dict(at_once.find_all(query)) == library.scan_all(query)


def test_a_publication_that_the_titles_were_read_from_is_not_read_again(library: Library) -> None:
    library.publish("new", page("one word"))
    noted: TextIndexes = {}
    update_search(library.site, "https://images.example.org", texts=noted)
    with patch.object(library.site, "get", wraps=library.site.get) as get:
        assert library.update(texts=noted).added == 1
    assert publication_key("new") not in [one.args[0] for one in get.call_args_list]
    assert "new" in dict(library.find_all("word"))


def test_nothing_is_written_if_nothing_changed(library: Library) -> None:
    version = library.site.head(LIST).version
    result = library.update()
    assert (result.read, result.added, result.removed, result.written) == (0, 0, 0, 0)
    assert (result.objects, result.pages, result.segments) == (5, 10, 1)
    assert library.site.head(LIST).version == version


def test_only_what_changed_is_read_and_written(library: Library) -> None:
    library.publish("book-3", page("changed"), page("word"))
    library.withdraw("book-4")
    result = library.update()
    assert (result.read, result.added, result.removed) == (2, 1, 1)
    assert (result.objects, result.pages) == (4, 8)
    assert library.find_all("number3") == library.find_all("number4") == []
    assert library.find_all("changed") == [("book-3", 1)]


def test_everything_is_made_again_on_request(library: Library) -> None:
    result = library.update(everything=True)
    assert (result.read, result.added, result.removed, result.segments) == (5, 5, 0, 1)
    assert dict(library.find_all("word")) == library.scan_all("word")


def test_an_update_without_time_is_gone_on_with(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "BATCH_PAGES", 4)
    for number in range(20):
        library.publish(f"more-{number}", page("word"), page("more"))
    assert not library.update(most_seconds=0).is_complete
    assert library.update().is_complete
    assert dict(library.find_all("more")) == library.scan_all("more")


@pytest.mark.parametrize("place", [0, 0.5, 0.98])
@pytest.mark.parametrize("damage", [b"", b"?", b"?" * 40])
def test_what_was_known_is_read_again_if_its_file_is_damaged(
    library: Library, place: float, damage: bytes
) -> None:
    body, _ = library.site.get(KNOWN)
    at = int(len(body) * place)
    rest = body[at + len(damage) :] if damage else b""
    library.site.put(KNOWN, body[:at] + damage + rest, content_type="x/y")
    library.withdraw("book-4")
    library.publish("new", page("word"))
    assert (library.update().read, library.find_all("number4")) == (6, [])
    assert dict(library.find_all("word")) == library.scan_all("word")
    assert library.update().read == 0


def test_what_was_known_in_another_form_is_read_again(library: Library) -> None:
    library.site.put(KNOWN, gzip.compress(b'{"another": "form"}\n'), content_type="x/y")
    assert library.update().read == 5
    assert library.update().read == 0


@pytest.mark.parametrize("everything", [True, False])
def test_a_damaged_publication_keeps_nobody_else_from_being_found(
    library: Library, everything: bool, caplog: pytest.LogCaptureFixture
) -> None:
    key = publication_key("book-4")
    library.site.put(key, b"\xc1damaged", content_type="x/y")
    library.texts.pop("book-4")
    library.publish("new", page("word"))
    result = library.update(everything=everything)
    assert (result.objects, library.find_all("number4")) == (5, [])
    assert dict(library.find_all("word")) == library.scan_all("word")
    assert '"book-4" is left out of the search in texts' in caplog.text


def test_waiting_for_another_update_counts(library: Library) -> None:
    Claim(library.site, key=CLAIM).take(timedelta(0))
    waits: list[float] = []
    now = datetime.now(UTC)
    late = Claim(
        library.site,
        key=CLAIM,
        clock=lambda: now + timedelta(seconds=sum(waits)),
        wait=waits.append,
    )
    with pytest.raises(TransientError):
        library.update(claim=late, most_seconds=10)
    assert sum(waits) == 10


@pytest.mark.slow
def test_what_was_read_before_the_time_was_over_is_not_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = Library()
    for number in range(300):
        library.publish(f"book-{number:03}", page("word"))
    now = 0.0
    get = library.site.get

    def slow(key: str) -> Any:
        nonlocal now
        now += key.startswith(PUBLICATIONS)
        return get(key)

    monkeypatch.setattr(library.site, "get", slow)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    read, runs = 0, 0
    while not (result := update_full_text(library.site, most_seconds=100)).is_complete:
        read, runs = read + result.read, runs + 1
        assert 0 < result.read < 140
    monkeypatch.undo()
    assert (read + result.read, runs > 1) == (300, True)
    library.restart()
    assert dict(library.find_all("word")) == library.scan_all("word")


def test_what_there_was_no_time_to_look_at_stays_as_it_was(library: Library) -> None:
    library.withdraw("book-4")
    library.site.put(KNOWN, b"", content_type="x/y")
    result = library.update(most_seconds=0)
    assert (result.is_complete, result.read, result.objects) == (False, 0, 5)
    assert library.update().objects == 4


def test_an_update_that_dies_between_two_segments_leaves_an_index_that_answers(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "BATCH_PAGES", 4)
    for number in range(9):
        library.publish(f"more-{number}", page("word"), page("more"))

    def die(objects: int) -> None:
        if objects >= 6:
            raise TransientError("gone")

    with pytest.raises(TransientError):
        library.update(on_progress=die)
    assert len(library.find_all("more")) == 6
    assert library.update().added == 3
    assert dict(library.find_all("more")) == library.scan_all("more")


def test_one_writes_at_a_time(library: Library) -> None:
    other = Claim(library.site, key=CLAIM)
    other.take(timedelta(0))
    late = Claim(library.site, key=CLAIM, wait=lambda seconds: None)
    with pytest.raises(TransientError, match="written by others"):
        late.take(timedelta(0))
    after = datetime.now(UTC) + LASTS + timedelta(minutes=1)
    library.update(claim=Claim(library.site, key=CLAIM, clock=lambda: after))


def test_an_object_whose_own_index_is_damaged_is_tried_again(library: Library) -> None:
    name = library.publish("new", page("new words"))
    key = next(one.key for one in library.site.list_keys("inside/").entries if name in one.key)
    body, _ = library.site.get(key)
    for damaged in (b"", body[:40], body[:40] + b"?" + body[41:]):
        library.site.put(key, damaged, content_type="x/y")
        assert (library.update().left_out, library.find_all("new")) == (1, [])
    library.site.put(key, body, content_type="x/y")
    assert (library.update().left_out, library.find_all("new")) == (0, [("new", 1)])


@pytest.mark.parametrize("is_cut", [True, False])
@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.8, 0.99])
def test_damage_is_named_and_mended_by_making_everything_again(
    library: Library, place: float, is_cut: bool
) -> None:
    for key in (*library.segments(), LIST):
        body, _ = library.site.get(key)
        at = int(len(body) * place)
        rest = b"" if is_cut else bytes([body[at] ^ 1]) + body[at + 1 :]
        library.site.put(key, body[:at] + rest, content_type="x/y")
        library.restart()
        with pytest.raises(UnusableIndex, match="inside/across/"):
            library.find("word number1")
        library.update(everything=True)
        assert dict(library.find_all("word")) == library.scan_all("word")


def test_an_object_with_a_comment_and_no_text_stops_no_search_and_no_update(
    library: Library,
) -> None:
    comment = RemarkEntry(0, "comment", ("commenting",))
    library.publish("commented", page(""), remarks=[(comment, page("remark"))])
    assert library.update().objects == 6
    assert dict(library.find_all("word")) == library.scan_all("word")
    library.publish("later", page("word"))
    assert library.update().objects == 7
    assert dict(library.find_all("word")) == library.scan_all("word")
    assert library.find_all("remark") == library.find_all("r*") == []


@pytest.mark.parametrize("place", [0.1, 0.5, 0.8, 0.99])
def test_searches_are_answered_from_the_other_segments_if_one_is_damaged(
    library: Library, place: float, caplog: pytest.LogCaptureFixture
) -> None:
    library.publish("alone", page("word alone"))
    assert library.update().segments == 2
    *_, key = library.segments()
    body, _ = library.site.get(key)
    at = int(len(body) * place)
    library.site.put(key, body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :], content_type="x/y")
    library.restart()
    expected = library.scan_all("word")
    expected.pop("alone")
    assert dict(library.find_all("word")) == expected
    assert not library.find("word").is_exact
    assert (library.full_text.missing, key in caplog.text) == (1, True)
    library.update(everything=True)
    assert dict(library.find_all("word")) == library.scan_all("word")
    assert (library.full_text.missing, library.find("word").is_exact) == (0, True)
