"""Pages of a word come back as they were, however they are packed and joined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.search.full_text.postings import (
    DENSE,
    Posting,
    align,
    is_dense,
    join_postings,
    pack_posting,
    unpack_pages,
)

pages = st.sets(st.integers(0, 999), min_size=1).map(sorted)


@given(pages, st.integers(1_000, 40_000))
def test_pages_come_back_as_they_were(numbers: list[int], total: int) -> None:
    total = align(total)
    assert unpack_pages(pack_posting("word", numbers, total), total) == numbers


@given(st.lists(st.tuples(pages, st.integers(1_000, 9_000)), min_size=1, max_size=5))
def test_joined_pages_are_those_that_would_have_been_packed_at_once(
    parts: list[tuple[list[int], int]],
) -> None:
    joined: list[tuple[Posting, int, int]] = []
    expected: list[int] = []
    base = 0
    for numbers, total in parts:
        joined.append((pack_posting("word", numbers, align(total)), base, align(total)))
        expected += [base + number for number in numbers]
        base += align(total)
    assert join_postings(joined, base) == pack_posting("word", expected, base)


@pytest.mark.parametrize("count", [1, 99, 100, 1_600])
def test_a_frequent_word_has_a_bit_for_each_page_and_a_rare_one_gaps(count: int) -> None:
    posting = pack_posting("word", range(count), 1_600)
    assert is_dense(count, 1_600) == (count * DENSE >= 1_600)
    assert len(posting.packed) == (200 if count >= 100 else count - 1)
