"""What is written to runs comes back as if it had stayed in memory."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.search.titles.terms import Term, Terms

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=3)
ADDED = st.lists(st.tuples(WORDS, WORDS, st.integers(0, 2**32 - 1)))


def merged(folder: Path, most: int, added: list[tuple[str, str, int]]) -> list[Term]:
    terms = Terms(folder, most)
    for word, stem, posting in added:
        terms.add_stem(word, stem)
        terms.add_posting(stem, posting)
        terms.make_room()
    assert (len(list(folder.iterdir())) > 0) == (most == 0 and bool(added))
    return list(terms.merge())


@given(added=ADDED)
def test_terms_are_the_same_from_runs_and_from_memory(
    tmp_path_factory: pytest.TempPathFactory, added: list[tuple[str, str, int]]
) -> None:
    spilled, kept = (merged(tmp_path_factory.mktemp("runs"), most, added) for most in (0, 10**6))
    assert spilled == kept


def test_terms_come_in_the_order_in_which_the_browser_compares_them(tmp_path: Path) -> None:
    added = [(word, word, 1) for word in ("\uffee", "\U00020000", "b", "a:b", "a")]
    terms = [term for term, _, _ in merged(tmp_path, 0, added)]
    assert terms == ["a", "a:b", "b", "\U00020000", "\uffee"]


def test_a_word_has_its_stems_and_a_stem_its_objects_ascending(tmp_path: Path) -> None:
    added = [("watches", "watch", 9), ("watches", "watche", 4), ("watch", "watch", 3)]
    found = {term: (stems, list(postings)) for term, stems, postings in merged(tmp_path, 0, added)}
    assert found["watches"] == (["watch", "watche"], [])
    assert found["watch"] == (["watch"], [3, 9])
