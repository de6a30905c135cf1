"""What a run of the edge's bench promises, and what it says when a promise is broken."""

from typing import Any

from loadtest.studies.edge.edge_report import table
from loadtest.studies.edge.edge_study import broken
from loadtest.studies.edge.session_replay import CATALOGUE, sessions, with_noise
from loadtest.workload.catalogue import Catalogue, Image


def figures(**changes: Any) -> dict[str, Any]:
    replayed = {
        "label": "sessions",
        "turn": "second",
        "requests": 100,
        "different": 90,
        "failures": 0,
        "failed": [],
        "origin_requests": 5,
        "hit_percent": 95.0,
    }
    spelt = {
        "what": "a query",
        "known": True,
        "status": 200,
        "same_bytes": True,
        "origin_requests": 0,
        "rendered_again": False,
    }
    return {
        "least_hit_percent": 95.0,
        "replays": [{**replayed, **{k: v for k, v in changes.items() if k in replayed}}],
        "spellings": [{**spelt, **{k: v for k, v in changes.items() if k in spelt}}],
    }


def test_a_good_run_breaks_nothing() -> None:
    assert broken(figures()) == []
    # The first turn fills the cache, and what cannot be known may cost a request.
    assert broken(figures(turn="first", hit_percent=3.0)) == []
    assert broken(figures(known=False, origin_requests=1)) == []


def test_too_few_hits_are_said() -> None:
    assert broken(figures(hit_percent=94.9)) == ["sessions, second: 94.9 % hits"]


def test_failures_and_other_answers_are_said() -> None:
    assert len(broken(figures(turn="first", failures=1, failed=["x: 500"]))) == 1
    assert broken(figures(status=404)) == ["a query: another answer, 404"]
    assert broken(figures(same_bytes=False)) == ["a query: another answer, 200"]


def test_a_spelling_that_costs_a_request_is_said() -> None:
    sentences = broken(figures(known=True, origin_requests=1))
    assert "a query: the request reached the origin again" in sentences


def test_sessions_are_the_same_each_time_and_differ_in_version() -> None:
    catalogue = Catalogue.of(
        Image(f"image-{number}", *size, version=3 - number % 2)
        for number, size in enumerate(CATALOGUE)
    )
    asks = sessions(catalogue, 8)
    assert asks == sessions(catalogue, 8)
    assert {ask.path.split("/")[2] for ask in asks} == {"2", "3"}
    assert {ask.kind for ask in asks} == {"info.json", "tile"}


def test_noise_is_another_query_each_time() -> None:
    catalogue = Catalogue.of([Image("a", 1000, 900)])
    noisy = with_noise(sessions(catalogue, 2))
    assert len({ask.path for ask in noisy}) == len(noisy)
    assert noisy[0].path.endswith("?t=123")


def test_the_table_holds_every_row() -> None:
    text = table(figures())
    assert "| sessions | second | 100 | 90 | 5 | 95.0 % | 0 |" in text
    assert "| a query | yes | 0 | 0 |" in text
