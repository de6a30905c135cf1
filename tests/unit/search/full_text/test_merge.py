"""Segments that become one: no page and no word is lost, and none of a dead object is left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.search.content.content_bench import page
from tests.unit.search.full_text.full_text_bench import Opened, merge, segment_of, words_by_page
from vitrine.search.full_text.live_list import LiveSegment
from vitrine.search.full_text.merge import plan_merge

pages = st.lists(
    st.lists(st.sampled_from(["a", "b", "ca", "cb", "漢", "é"]), max_size=4).map(" ".join),
    min_size=1,
    max_size=40,
).filter(lambda texts: any(map(str.strip, texts)))
groups = st.lists(st.lists(pages, min_size=1, max_size=4), min_size=1, max_size=4)


@pytest.mark.slow
@given(groups, st.data())
def test_merged_segments_say_what_one_built_at_once_says(
    texts: list[list[list[str]]], data: st.DataObject
) -> None:
    objects = {
        f"object-{group}-{number}": [page(text) for text in one]
        for group, several in enumerate(texts)
        for number, one in enumerate(several)
    }
    dead = data.draw(st.sets(st.sampled_from(sorted(objects)), max_size=len(objects) - 1))
    segments = [
        _bury(
            segment_of(**{name: objects[name] for name in objects if f"-{group}-" in name}),
            [name in dead for name in objects if f"-{group}-" in name],
        )
        for group in range(len(texts))
    ]
    at_once = segment_of(**{name: body for name, body in objects.items() if name not in dead})
    merged = merge(*segments)
    assert words_by_page(merged) == words_by_page(at_once)
    assert (merged[0].objects, merged[0].pages) == (at_once[0].objects, at_once[0].pages)


def _bury(opened: Opened, dead: list[bool]) -> Opened:
    live, segment = opened
    numbers = [number for number, is_dead in enumerate(dead) if is_dead]
    return live.bury(numbers, sum(segment.page_counts[number] for number in numbers)), segment


def _live(pages: int, dead: int = 0) -> LiveSegment:
    return LiveSegment(name=f"{pages}", head=0, size=0, objects=1, pages=pages, dead_pages=dead)


def test_a_segment_is_joined_with_smaller_ones_that_have_as_many_pages() -> None:
    assert plan_merge([]) == plan_merge([_live(5)]) == plan_merge([_live(5), _live(2)]) == []
    assert plan_merge([_live(5), _live(100), _live(5)]) == [_live(5), _live(5)]
    assert plan_merge([_live(9), _live(5), _live(4)]) == [_live(4), _live(5), _live(9)]


def test_a_segment_with_many_dead_pages_is_written_again() -> None:
    decayed = _live(100, 30)
    assert plan_merge([_live(1_000), decayed, _live(10)]) == [decayed]


def test_a_collection_that_grows_object_by_object_has_few_segments_and_writes_few_pages() -> None:
    segments: list[LiveSegment] = []
    written = most = 0
    for _ in range(1_000):
        segments.append(_live(250))
        written += 250
        while joined := plan_merge(segments):
            pages = sum(one.live_pages for one in joined)
            for one in joined:
                segments.remove(one)
            segments.append(_live(pages))
            written += pages
        most = max(most, len(segments))
    assert most <= 10
    assert written <= 11 * 250_000
