"""Cached and other answers are distinguished, and counted as bench.py counts them."""

import pytest

from loadtest.client.user_load import Load
from loadtest.studies.cache_percent import cache_percent_report as cache_report
from loadtest.studies.cache_percent.server_hints import app_seconds, from_cache
from tests.unit.loadtest.cache_run import cache_figures
from tests.unit.loadtest.shown_report import page_of, text_of
from tests.unit.loadtest.studies_answers import answer


@pytest.mark.parametrize(
    ("headers", "cached"),
    [
        ({"x-cache": "HIT"}, True),
        ({"x-cache": "Hit from cloudfront"}, True),
        ({"x-cache": "RefreshHit from cloudfront"}, True),
        ({"x-cache": "MISS"}, False),
        ({"x-cache": "Miss from cloudfront", "age": "7"}, False),
        ({"cache-status": "ExampleCache; hit"}, True),
        ({"cache-status": "ExampleCache; fwd=uri-miss"}, False),
        ({"x-from-cache": "True"}, True),
        ({"x-from-cache": "False"}, False),
        ({"age": "12"}, True),
        ({"age": "0"}, False),
        ({}, None),
    ],
)
def test_servers_tell_whether_an_answer_was_cached(
    headers: dict[str, str], cached: bool | None
) -> None:
    assert from_cache(headers) is cached


def test_server_timing_tells_the_time_in_the_application() -> None:
    assert app_seconds({"server-timing": 'db;dur=12.5, app;desc="x";dur=7.5'}) == 0.02
    assert app_seconds({"server-timing": "miss"}) is None
    assert app_seconds({}) is None


def test_cached_and_other_answers_are_counted_as_the_server_says() -> None:
    answers = [
        answer(0.1, kind="cached 150", x_cache="HIT", size=10),
        answer(0.2, kind="new 150", x_cache="HIT", size=20),
        answer(0.4, kind="cached info", x_cache="MISS", size=40, server_timing="app;dur=300"),
        answer(0.9, "status 503", kind="new 150"),
    ]
    figures = cache_figures(Load(answers=answers, seconds=2.0))
    assert (figures["requests"], figures["errors"], figures["requests_per_second"]) == (3, 1, 1.5)
    assert (figures["cached"]["requests"], figures["cached"]["bytes"]) == (2, 30)
    assert figures["cached"]["average_seconds"] == 0.15
    assert figures["non_cached"]["worst_seconds"] == 0.4
    assert figures["non_cached"]["average_app_seconds"] == 0.3
    printed = text_of(cache_report.REPORT, figures)
    for words in (
        "3 successful requests, 1 errors.",
        "Run time 2.000000 seconds = 1.500 requests/sec.",
        "* 1 non-cached responses, 40 bytes",
        "* 2 cached responses, 30 bytes",
        "Average app time 0.300000 seconds",
        "Worst response 0.400000 seconds",
        "p95 0.200000",
        "failed 1 x  status 503",
    ):
        assert words in printed


def test_a_silent_servers_answers_are_counted_as_they_were_planned() -> None:
    answers = [answer(0.1, kind="cached 150"), answer(0.2, kind="new 150")]
    figures = cache_figures(Load(answers=answers, seconds=1.0))
    assert (figures["cached"]["requests"], figures["non_cached"]["requests"]) == (1, 1)
    assert "2 answers do not tell" in text_of(cache_report.REPORT, figures)
    assert "2 answers do not tell" in page_of(cache_report.REPORT, figures)
