"""What queries find inside an object, and where it is on the canvas."""

import random
from collections.abc import Iterable

import pytest

from tests.unit.search.content.content_bench import Reads, found, index_of, page, search
from tests.unit.search.content.scan import (
    MOTIVATIONS,
    TEXT,
    Scan,
    make_pages,
    make_query,
    make_remarks,
    make_vocabulary,
)
from vitrine.search.content import text_index
from vitrine.search.content.build import build_index
from vitrine.search.content.form import PREFIX, RemarkEntry
from vitrine.search.content.motivations import RequestedMotivations, read_motivations
from vitrine.search.content.query import parse_query
from vitrine.search.content.search import (
    CONTEXT_CHARACTERS,
    PAGE_OF_MATCHES,
    find_spans,
    match_page,
)
from vitrine.search.content.text_index import TextIndex
from vitrine.text.transcription.page_text import Line, PageText, TextBox, Word

BOOK = (
    page("Die Reise nach Ninive,", "beschrieben von Müller."),
    PageText(()),
    page("In Ninive blieb", "der Reisende: die Straße war zu."),
    page("東京 タワー は", "L'été à Paris"),
    page("שָׁלוֹם עולם", "مُحَمَّد علي"),
    page("हिन्दी हिन्दू", "ภาษาไทยและที่", "か が"),
)


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("ninive", [(0, "Ninive,"), (2, "Ninive")]),
        ("NINIVE reise", [(0, "Reise"), (0, "Ninive,")]),
        ("reis*", [(0, "Reise"), (2, "Reisende:")]),
        ('"die reise"', [(0, "Die Reise")]),
        ('"reise die"', []),
        ('"die str*"', [(2, "die Straße")]),
        ("strasse muller", []),
        ("strasse", [(2, "Straße")]),
        ("MÜLLER", [(0, "Müller.")]),
        ("l'été", [(3, "L'été")]),
        ("ete", [(3, "L'été")]),
        ("京タ", [(3, "京タ")]),
        ("ー", [(3, "ー")]),
        ("שלום", [(4, "שָׁלוֹם")]),
        ("محمد", [(4, "مُحَمَّد")]),
        ("हिन्दी", [(5, "हिन्दी")]),
        ("हन", []),
        ("हिन्*", [(5, "हिन्दी"), (5, "हिन्दू")]),
        ("ไทย", [(5, "ไทย")]),
        ("ที่", [(5, "ที่")]),
        ("ที", []),
        ("が", [(5, "が")]),
        ("!? *", []),
        ("", []),
        ("nirgends", []),
    ],
)
def test_words_phrases_and_beginnings_are_found_in_every_script(
    query: str, matches: list[tuple[int, str]]
) -> None:
    assert found(index_of(*BOOK), query) == matches


def test_a_phrase_does_not_go_on_at_the_next_page() -> None:
    index = index_of(page("one two"), page("three four"))
    assert found(index, '"two three"') == []
    assert found(index, '"three four"') == [(1, "three four")]


def test_a_match_has_its_box_and_the_words_around_it() -> None:
    (match,) = search(index_of(*BOOK), '"nach ninive"').items
    assert match.boxes == (TextBox(100, 0, 120, 15),)
    assert (match.before, match.after) == ("Die Reise ", " beschrieben von Müller.")


def test_a_phrase_on_two_lines_has_a_box_on_each() -> None:
    (match,) = search(index_of(*BOOK), '"ninive beschrieben von"').items
    assert match.boxes == (TextBox(150, 0, 70, 15), TextBox(0, 20, 150, 15))


def test_a_hyphenated_word_has_the_boxes_of_both_parts() -> None:
    parts = (TextBox(900, 10, 30, 10), TextBox(0, 30, 30, 10))
    split = PageText((Line((Word("Reisebericht", parts),)),))
    assert search(index_of(split), "reisebericht").items[0].boxes == parts


DIVIDED = (
    page("ein quin-", "tal schwer und quin"),
    page("Jean-Pi-", "erre, Haupt-", "und Nebensachen 1914-", "1918 Ge=", "birge"),
    page("re-", "spon-", "sible -", "also 漢-", "字 end-"),
    page("of a page quin-", "tal"),
)
A, B = TextBox(40, 0, 50, 15), TextBox(0, 20, 30, 15)


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("quintal", [(0, "quin- tal"), (3, "quin- tal")]),
        ("quin", [(0, "quin-"), (0, "quin"), (3, "quin-")]),
        ("tal", [(0, "tal"), (3, "tal")]),
        ("quin*", [(0, "quin- tal"), (0, "quin"), (3, "quin- tal")]),
        ("quint*", [(0, "quin- tal"), (3, "quin- tal")]),
        ("ta*", [(0, "tal"), (3, "tal")]),
        ("quin-tal", [(0, "quin- tal"), (3, "quin- tal")]),
        ('"ein quintal schwer"', [(0, "ein quin- tal schwer")]),
        ('"ein quin tal schwer"', [(0, "ein quin- tal schwer")]),
        ('"ein quin* tal"', [(0, "ein quin- tal")]),
        ('"ein quin*"', [(0, "ein quin-")]),
        ('"quin schwer"', []),
        ('"quintal tal"', []),
        ('"quin quintal"', []),
        ("quintal schwer", [(0, "quin- tal"), (0, "schwer")]),
        ("pierre", [(1, "Jean-Pi- erre,")]),
        ('"jean pierre"', [(1, "Jean-Pi- erre,")]),
        ("hauptund", [(1, "Haupt- und")]),
        ('"haupt und nebensachen"', [(1, "Haupt- und Nebensachen")]),
        ("19141918", []),
        ("gebirge", [(1, "Ge= birge")]),
        ("respon", [(2, "re- spon-")]),
        ("sible", [(2, "sible")]),
        ("siblealso", []),
        ("漢字", [(2, "漢- 字")]),
        ("endof", []),
    ],
)
def test_a_word_that_a_line_divides_is_found_as_a_whole_and_by_its_parts(
    query: str, matches: list[tuple[int, str]]
) -> None:
    index = index_of(*DIVIDED)
    assert found(index, query) == matches
    phrases = parse_query(query)
    for number in {number for number, _ in matches}:
        first = {one.text for one in match_page(index, number, phrases)}
        assert first <= {text for place, text in matches if place == number}


def test_a_divided_word_has_the_boxes_of_both_parts_and_either_part_its_own() -> None:
    index = index_of(*DIVIDED)
    assert search(index, "quintal").items[0].boxes == (A, B)
    assert search(index, "quin").items[0].boxes == (A,)
    assert search(index, "tal").items[0].boxes == (B,)
    (match,) = search(index, '"ein quintal schwer"').items
    assert match.boxes == (TextBox(0, 0, 90, 15), TextBox(0, 20, 100, 15))
    (match, _) = search(index, "quintal").items
    assert (match.before, match.after) == ("ein ", " schwer und quin")
    assert dict(index.complete("quin")) == {"quin": 3, "quintal": 2}
    assert {word: pages for word, pages in index.words() if word.startswith("quin")} == {
        "quin": [0, 3],
        "quintal": [0, 3],
    }


def test_words_with_the_box_of_their_line_have_it_once() -> None:
    box = (TextBox(5, 5, 500, 20),)
    line = PageText((Line((Word("one", box), Word("two", box))),))
    assert search(index_of(line), '"one two"').items[0].boxes == box


def of_one_word(text: str, box: TextBox) -> TextIndex:
    """An index of one line, which OCR took for a word."""
    return index_of(PageText((Line((Word(text, (box,)),)),)))


def test_of_a_line_without_spaces_the_signs_that_match_are_shown() -> None:
    index = of_one_word("昨日、東京タワーを見た。", TextBox(100, 50, 1200, 100))
    (match,) = search(index, "東京タワー").items
    assert (match.before, match.text, match.after) == ("昨日、", "東京タワー", "を見た。")
    assert match.boxes == (TextBox(400, 50, 500, 100),)


def test_signs_from_top_to_bottom_are_cut_that_way() -> None:
    (match,) = search(of_one_word("昨日東京", TextBox(10, 50, 30, 120)), "東京").items
    assert match.boxes == (TextBox(10, 110, 30, 60),)


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("昨日東京", TextBox(100, 50, 1200, 100)),  # longer than four signs are
        ("昨日東京ab", TextBox(100, 50, 600, 100)),
        ("ｷﾉｳ東京", TextBox(100, 50, 500, 100)),
    ],
)
def test_a_box_is_not_cut_where_nobody_knows_where_its_signs_are(text: str, box: TextBox) -> None:
    (match,) = search(of_one_word(text, box), "東京").items
    assert (match.text, match.boxes) == ("東京", (box,))


def test_the_box_of_a_line_that_several_words_share_is_not_cut() -> None:
    box = TextBox(0, 0, 400, 100)
    line = Line((Word("昨日", (box,)), Word("東京都", (box,))))
    (match,) = search(index_of(PageText((line,))), "東京").items
    assert (match.text, match.boxes) == ("東京", (box,))


def test_a_match_from_word_to_word_ends_at_its_signs() -> None:
    line = (Word("昨日東", (TextBox(0, 0, 300, 100),)), Word("京都", (TextBox(300, 0, 200, 100),)))
    (match,) = search(index_of(PageText((Line(line),))), "東京").items
    assert (match.before, match.text, match.after) == ("昨日", "東京", "都")
    assert match.boxes == (TextBox(200, 0, 200, 100),)


def test_a_word_of_letters_among_signs_is_shown_alone() -> None:
    (match,) = search(of_one_word("昨日「Tokyo」駅", TextBox(0, 0, 10, 10)), "tokyo").items
    assert (match.before, match.text, match.after) == ("昨日", "「Tokyo」", "駅")


def test_a_word_without_a_box_is_found() -> None:
    (match,) = search(index_of(PageText((Line((Word("alone"),)),))), "alone").items
    assert (match.page, match.boxes) == (0, ())


def test_context_is_bounded_whatever_the_words_are() -> None:
    long = "x" * 1_000
    (match,) = search(index_of(page(f"{long} needle {long}")), "needle").items
    assert len(match.before) == len(match.after) == CONTEXT_CHARACTERS


def test_matches_come_in_pages_that_together_are_all() -> None:
    index = index_of(*(page("word other word") for _ in range(40)))
    pages = [search(index, "word", number) for number in (1, 2, 3)]
    assert [len(one.items) for one in pages] == [PAGE_OF_MATCHES, 80 - PAGE_OF_MATCHES, 0]
    assert [one.total for one in pages] == [80, 80, 80]
    assert [one.first for one in pages] == [0, PAGE_OF_MATCHES, 2 * PAGE_OF_MATCHES]
    assert pages[1].items[0].page == PAGE_OF_MATCHES // 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_index_finds_what_reading_everything_finds(seed: int) -> None:
    made = random.Random(seed)
    words = make_vocabulary(made, 400)
    weights = [1 / (rank + 1) for rank in range(len(words))]
    pages = [*make_pages(made, words, weights, 25, 200), PageText(())]
    index, scan = TextIndex(_read(build_index(pages))), Scan(pages)
    counts = []
    for _ in range(60):
        query = make_query(made, scan)
        matches = scan.find(query)
        assert find_spans(index, parse_query(query)) == matches, query
        counts.append(len(matches))
    assert sum(map(bool, counts)) > 30


@pytest.mark.parametrize("seed", range(5))
def test_the_index_finds_in_comments_what_reading_everything_finds(seed: int) -> None:
    made = random.Random(seed)
    words = make_vocabulary(made, 200)
    weights = [1 / (rank + 1) for rank in range(len(words))]
    pages = [*make_pages(made, words, weights, 12, 120), PageText(())]
    remarks = make_remarks(made, pages, 60)
    index, scan = TextIndex(_read(build_index(pages, remarks))), Scan(pages, remarks)
    counts = []
    for _ in range(60):
        query = make_query(made, scan)
        requested = made.sample((*MOTIVATIONS, *TEXT, "unknown"), made.randint(0, 3))
        matches = scan.find(query, requested)
        motivations = read_motivations(" ".join(requested), 2)
        assert find_spans(index, parse_query(query), motivations) == matches, (query, requested)
        counts.append(len(matches))
    assert sum(map(bool, counts)) > 20


def _read(body: bytes):  # type: ignore[no-untyped-def]
    return lambda offset, length: body[offset : offset + length]


@pytest.mark.parametrize("motivation", ["commenting", "tagging", "supplementing", "nothing"])
def test_what_is_requested_is_decided_once_for_all_words_of_a_query(
    motivation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A completion of thousands of words over thousands of comments took minutes."""
    several = [(RemarkEntry(0, f"{n:08x}", ("commenting",)), page(f"ab{n}")) for n in range(200)]
    index = TextIndex(Reads(build_index(BOOK, several)))
    decided: list[object] = []
    has = RequestedMotivations.has

    def count(self: RequestedMotivations, motivations: Iterable[str]) -> bool:
        decided.append(motivations)
        return has(self, motivations)

    monkeypatch.setattr(RequestedMotivations, "has", count)
    requested = read_motivations(motivation, 2)
    words = list(index.complete("ab", requested))
    spans = find_spans(index, parse_query("ab1 ab2*"), requested)
    assert len(words) == (200 if motivation == "commenting" else 0)
    assert spans == []
    assert len(decided) == 2


def test_no_words_are_read_for_what_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "FIRST_BYTES", PREFIX.size)
    reads = Reads(build_index(BOOK))
    index = TextIndex(reads)
    reads.ranges.clear()
    assert find_spans(index, parse_query("reise"), read_motivations("tagging", 2)) == []
    assert list(index.complete("r", read_motivations("tagging", 2))) == []
    assert reads.ranges == []
