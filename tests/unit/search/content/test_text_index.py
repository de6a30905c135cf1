"""A text index as a file: what it reads, what it holds, and what is refused."""

import random
from itertools import count

import pytest

from tests.unit.search.content.content_bench import Reads, index_of, page, search
from tests.unit.search.content.scan import make_pages, make_vocabulary
from vitrine.errors import InvalidRequest, TextRefused
from vitrine.search.content import build, text_index
from vitrine.search.content.build import build_index
from vitrine.search.content.form import index_name
from vitrine.search.content.packed_pages import PackedPage, PackedPages, pack_boxes, pack_texts
from vitrine.search.content.packing import count_positions, pack_positions, unpack_positions
from vitrine.search.content.query import MAX_QUERY_LENGTH, MAX_WORDS, parse_query
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.content.search import find_matches
from vitrine.search.content.text_index import FIRST_BYTES, TextIndex
from vitrine.text.transcription.page_text import MAX_SIDE, Line, PageText, TextBox, Word


@pytest.fixture(scope="module")
def book() -> bytes:
    """A book whose index does not come with the first read."""
    made = random.Random(1)
    words = make_vocabulary(made, 8_000)
    weights = [1 / (rank + 1) for rank in range(len(words))]
    return build_index(make_pages(made, words, weights, 120, 300))


def test_texts_and_boxes_come_back_as_they_were() -> None:
    pages = [
        page("one two", "three"),
        PageText(()),
        PageText(
            (
                Line((Word("Reisebericht", (TextBox(900, 10, 30, 10), TextBox(0, 30, 30, 10))),)),
                Line((Word("bare"), Word("漢", (TextBox(2_000_000, 1, 1, 1),)))),
            )
        ),
    ]
    packed = PackedPages(pack_texts(pages), pack_boxes(pages))
    assert [unpack(PackedPage(packed, number)) for number in range(len(packed))] == pages


def unpack(packed: PackedPage) -> PageText:
    """Return a whole page."""
    places = count()
    return PageText(
        tuple(
            Line(tuple(Word(text, packed.boxes(next(places))) for text in line))
            for line in packed.lines
        )
    )


def test_boxes_on_the_largest_canvas_come_back_as_they_were() -> None:
    last = MAX_SIDE - 1
    boxes = [
        TextBox(last, last, 1, 1),
        TextBox(0, 0, MAX_SIDE, MAX_SIDE),
        TextBox(0, last, MAX_SIDE, 1),
        TextBox(last, 0, 1, MAX_SIDE),
        TextBox(0, 0, 1, 1),
    ]
    pages = [
        PageText((Line((Word("a", (one,)), Word("b", (other,)))),))
        for one in boxes
        for other in boxes
    ]
    packed = PackedPages(pack_texts(pages), pack_boxes(pages))
    assert [unpack(PackedPage(packed, number)) for number in range(len(packed))] == pages


def test_what_no_word_should_hold_changes_no_other_word() -> None:
    odd = [Word("a\fb\nc"), Word(" "), Word("\ud800"), Word("\0"), Word("x y")]
    index = index_of(
        PageText((Line((*odd, Word("needle", (TextBox(1, 2, 3, 4),))), "", ""), Line(())))
    )
    (match,) = search(index, "needle").items
    assert match.boxes == (TextBox(1, 2, 3, 4),)
    assert match.before.endswith("x\u00a0y ")


def test_an_object_without_a_word_has_no_index() -> None:
    assert build_index([]) == b""
    assert build_index([PageText(()), page("— …")]) == b""


def test_an_object_with_too_many_words_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MAX_WORDS", 50)
    with pytest.raises(TextRefused, match="more than 50 words") as refused:
        build_index(page("ten words are a line of this page as said") for _ in range(6))
    assert refused.value.code == "words"


def test_a_name_depends_on_each_text_and_its_canvas() -> None:
    names = {index_name(texts) for texts in ([], [""], ["a"], ["", "a"], ["a", ""], ["ab"])}
    assert len(names) == 6
    assert index_name(["a", "b"]) == index_name(iter(["a", "b"]))


def test_a_query_reads_some_ranges_and_not_the_file(book: bytes) -> None:
    reads = Reads(book)
    index = TextIndex(reads)
    find_matches(index, parse_query("chohi"), 1)
    assert reads.ranges[0] == (0, FIRST_BYTES)
    assert len(reads.ranges) <= 8
    assert len(set(reads.ranges)) == len(reads.ranges)


def test_what_was_read_is_not_read_again(book: bytes) -> None:
    reads = Reads(book)
    index = TextIndex(reads)
    first = find_matches(index, parse_query("bach*"), 1)
    before = len(reads.ranges)
    assert find_matches(index, parse_query("bach*"), 1) == first
    assert len(reads.ranges) == before


def test_words_with_a_beginning_are_counted(book: bytes) -> None:
    index = TextIndex(Reads(book))
    words = dict(index.complete("lumka"))
    assert len(words) > 1
    assert list(words) == sorted(words)
    for word, times in words.items():
        assert find_matches(index, parse_query(word), 1).total == times
    assert dict(index.complete("nirgends")) == {}


def test_a_beginning_of_too_many_words_is_refused(
    book: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index, "MAX_TERM_BYTES", 1_000)
    index = TextIndex(Reads(book))
    with pytest.raises(InvalidRequest, match="more letters"):
        find_matches(index, parse_query("b*"), 1)
    with pytest.raises(InvalidRequest, match="more letters"):
        list(index.complete("b"))


@pytest.mark.parametrize("query", ["x" * (MAX_QUERY_LENGTH + 1), "a " * (MAX_WORDS + 1), "漢" * 17])
def test_queries_of_too_many_words_are_refused(query: str) -> None:
    with pytest.raises(InvalidRequest, match="at most"):
        parse_query(" ".join(f"{number}{part}" for number, part in enumerate(query.split())))


def test_the_same_word_twice_is_one() -> None:
    assert parse_query("a A á a") == parse_query("a")


@pytest.mark.parametrize(
    "body", [b"", b"VTX", b"PK\3\4" + b"x" * 100, b"VTX2\xff\xff\xff\x7f\0\0\0\0xx"]
)
def test_other_files_are_no_index(body: bytes) -> None:
    with pytest.raises(UnusableIndex):
        TextIndex(Reads(body))


def ask_everything(body: bytes) -> None:
    """Ask an index so that it reads all of its blocks."""
    index = TextIndex(Reads(body))
    assert list(index.complete(""))
    index.pages(range(len(index.starts) - 1))


def test_a_changed_bit_anywhere_is_noticed() -> None:
    body = bytearray(build_index([page("one two three", "four"), page("fünf 六 seven")]))
    for place in range(len(body)):
        body[place] ^= 1 << place % 8
        with pytest.raises(UnusableIndex):
            ask_everything(bytes(body))
        body[place] ^= 1 << place % 8
    ask_everything(bytes(body))


def test_an_index_that_ends_anywhere_is_noticed(book: bytes) -> None:
    short = build_index([page("one two three", "four"), page("fünf 六 seven")])
    cuts = [short[:end] for end in range(len(short))]
    for body in [*cuts, *(book[:end] for end in range(0, len(book), len(book) // 20))]:
        with pytest.raises(UnusableIndex):
            ask_everything(body)


def test_bytes_that_changed_anywhere_are_noticed(book: bytes) -> None:
    made = random.Random(2)
    for _ in range(20):
        body = bytearray(book)
        place = made.randrange(len(body))
        piece = made.randbytes(made.randint(1, 64))
        body[place : place + len(piece)] = piece
        if bytes(body) != book:
            with pytest.raises(UnusableIndex):
                ask_everything(bytes(body))


def test_what_was_damaged_on_its_way_is_read_again(book: bytes) -> None:
    reads = Reads(book)
    index = TextIndex(reads)
    reads.body = book[:-40_000] + bytes(40_000)
    with pytest.raises(UnusableIndex, match="another checksum"):
        index.pages([119])
    reads.body = book
    assert index.pages([119])


def test_words_that_occur_too_often_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(*(page("one two three") for _ in range(400)))
    assert find_matches(index, parse_query("one"), 1).total == 400
    monkeypatch.setattr(text_index, "MAX_POSITION_BYTES", 1_000)
    assert find_matches(index, parse_query("t*"), 1).total == 800
    for query in ("one two three", "o* t* th*"):
        with pytest.raises(InvalidRequest, match="occur too often"):
            find_matches(index, parse_query(query), 1)


@pytest.mark.parametrize("seed", range(20))
def test_positions_come_back_as_they_were(seed: int) -> None:
    made = random.Random(seed)
    positions = sorted(made.sample(range(made.choice((300, 10_000, 5_000_000))), 200))
    packed = pack_positions(positions)
    assert unpack_positions(packed) == positions
    assert count_positions(packed) == len(positions)


def test_a_file_that_was_cut_is_noticed(book: bytes) -> None:
    index = TextIndex(Reads(book[: FIRST_BYTES + 10]))
    with pytest.raises(UnusableIndex, match="shorter"):
        find_matches(index, parse_query("lum*"), 1)
