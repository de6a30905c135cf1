"""Lines with known answers: double clicks, zooms, robots, days, and what too many people are."""

import random
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.statistics.log_bench import DAY, cloudfront
from vitrine.statistics import count as counting
from vitrine.statistics.count import Count, DayCount, Figures
from vitrine.statistics.log_lines import read_cloudfront_line

PAGE, INFO = "/objects/a", "/iiif/3/a/info.json"
COARSE, FINE = (f"/iiif/3/a/0,0,2048,2048/{side},{side}/0/default.jpg" for side in (256, 1024))


def counted(*lines: bytes) -> DayCount:
    count = Count([DAY])
    count.add_lines(lines, read_cloudfront_line)
    count.end()
    return count.days[DAY]


def clock(second: int) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def at(path: str, *seconds: int) -> list[bytes]:
    return [cloudfront(path, clock(36_000 + second)) for second in seconds]


@pytest.mark.parametrize(
    ("seconds", "views"),
    [
        ((0,), 1),
        ((0, 30), 1),
        ((0, 31), 2),
        ((0, 30, 60, 90), 1),
        ((0, 0, 0), 1),
        ((0, 31, 62), 3),
        ((60, 0, 30), 1),
        ((61, 0, 30), 2),
    ],
)
def test_requests_within_half_a_minute_count_once(seconds: tuple[int, ...], views: int) -> None:
    assert counted(*at(PAGE, *seconds)).together == Figures(views=views)


def test_other_browsers_addresses_and_objects_are_counted_apart() -> None:
    found = counted(
        cloudfront(PAGE),
        cloudfront(PAGE, **{"c-ip": "192.0.2.2", "c-country": "FR"}),
        cloudfront(PAGE, **{"cs(User-Agent)": "Mozilla/5.0 (Macintosh)"}),
        cloudfront("/objects/b"),
        cloudfront("/collections/a"),
    )
    assert found.together == Figures(views=5)
    assert found.countries == {"DE": Figures(views=4), "FR": Figures(views=1)}
    assert found.items == {
        ("object", "a"): Figures(views=3),
        ("object", "b"): Figures(views=1),
        ("collection", "a"): Figures(views=1),
    }


@pytest.mark.parametrize(
    ("lines", "zooms"),
    [
        (at(INFO, 0), 0),
        (at(INFO, 0) + at(COARSE, 1) + at(FINE, 2), 0),
        (at(INFO, 0) + at(COARSE, 1) + at(FINE, 9), 1),
        (at(INFO, 0) + at(FINE, 1) + at(COARSE, 9), 0),
        (at(INFO, 0) + at(COARSE, 20) + at(FINE, 22), 0),
        (at(FINE, 0), 1),
        (at(COARSE, 0, 5, 25), 1),
    ],
    ids=["info", "opened", "closer", "farther", "slow", "our own page", "our own page, far"],
)
def test_a_zoom_comes_closer_than_the_first_look(lines: list[bytes], zooms: int) -> None:
    assert counted(*lines).together == Figures(openings=1, zooms=zooms)
    assert counted(*reversed(lines)).together == Figures(openings=1, zooms=zooms)


def test_robots_are_counted_apart() -> None:
    robot = {"cs(User-Agent)": "Mozilla/5.0%20(compatible;%20GPTBot/1.2)"}
    found = counted(cloudfront(PAGE), cloudfront(PAGE, **robot), cloudfront("/style.css", **robot))
    assert (found.together, found.robot_requests, found.requests) == (Figures(views=1), 1, 3)


def test_damaged_lines_are_counted_and_skipped() -> None:
    found = counted(b"{", cloudfront(PAGE), b"", cloudfront("/iiif/3/a/download.jpg"))
    assert (found.together, found.damaged) == (Figures(views=1, downloads=1), 2)


def test_lines_of_other_days_are_passed_over() -> None:
    found = counted(cloudfront(PAGE), cloudfront(PAGE, date="2026-11-27"))
    assert (found.together, found.requests) == (Figures(views=1), 1)


def test_a_sitting_that_an_hour_ends_in_is_one() -> None:
    count = Count([DAY])
    for time in ("10:59:50", "11:00:10"):
        count.add_lines([cloudfront(PAGE, time)], read_cloudfront_line)
        count.end_hour()
    count.end()
    assert count.days[DAY].together == Figures(views=1)


def test_too_many_visitors_are_counted_before_they_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_SITTINGS", 10)
    people = [cloudfront(PAGE, **{"c-ip": f"192.0.2.{one}"}) for one in range(25)]
    found = counted(*people)
    assert (found.together.views, found.cuts) == (25, 2)
    assert counted(*people, *people).together.views <= 50
    # Those who have left make room.
    apart = [cloudfront(PAGE, clock(100 * one)) for one in range(25)]
    assert (counted(*apart).together.views, counted(*apart).cuts) == (25, 0)


def test_too_many_objects_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_ITEMS", 3)
    found = counted(*(cloudfront(f"/objects/{one}") for one in "abcdea"))
    assert (len(found.items), found.together.views, found.others.views) == (3, 5, 2)


@given(
    st.lists(
        st.tuples(st.sampled_from([PAGE, INFO, COARSE, FINE]), st.integers(0, 200)), max_size=30
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_an_hours_lines_changes_nothing(
    requests: list[tuple[str, int]], order: random.Random
) -> None:
    lines = [line for path, second in requests for line in at(path, second)]
    found = counted(*lines)
    order.shuffle(lines)
    assert counted(*lines).together == found.together
    assert found.together.views == _clusters(s for path, s in requests if path == PAGE)
    assert found.together.openings == _clusters(s for path, s in requests if path != PAGE)


def _clusters(seconds: Iterable[int]) -> int:
    ordered = sorted(seconds)
    gaps = sum(later - earlier > 30 for earlier, later in pairwise(ordered))
    return gaps + bool(ordered)
