"""What a Lambda takes is said by kind of request, with what is charged for its CPU."""

from typing import Any

import pytest

from loadtest.corpora.access_masters import Master
from loadtest.rigs.function_environment import request_event
from loadtest.studies.function_cost.function_cost_report import has_room, table
from loadtest.studies.function_cost.function_cost_study import FIRST, START, addresses, summarise
from vitrine.deliver.function.event import read_event


def row(kind: str, cpu: float, memory: int = 100) -> dict[str, Any]:
    return {"kind": kind, "cpu_ms": cpu, "ms": 2 * cpu, "resident_mebibytes": memory}


ROWS = [row(START, 500), row(FIRST, 10), row(START, 700, 300), row(FIRST, 20), row(START, 900)]


def test_a_kind_is_the_median_of_its_environments_and_the_most_memory() -> None:
    start, first = summarise(ROWS)
    assert (start["kind"], start["cpu_ms"], start["resident_mebibytes"]) == (START, 700, 300)
    assert (first["kind"], first["cpu_ms"], first["ms"]) == (FIRST, 15, 30)
    # Of 1,769 MB for 0.7 s.
    assert start["billed_gb_seconds"] == pytest.approx(0.7 * 1769 / 1024, abs=1e-6)


def test_an_environment_that_holds_more_than_the_lambda_has_is_a_failure() -> None:
    figures = {"megabytes": 1769, "medians": summarise(ROWS)}
    assert has_room(figures)
    assert not has_room({"megabytes": 299, "medians": summarise(ROWS)})
    assert f"| {START} | 700.00 |" in table(figures)


def test_no_tile_from_the_store_was_read_by_the_first_one(tmp_path: Any) -> None:
    levels = ((4096, 4096), (2048, 2048), (1024, 1024))
    kinds = addresses(Master(path=tmp_path / "a.tif", levels=levels), 20)
    assert not set(kinds[FIRST]) & set(kinds["tile, from S3"])
    assert kinds["tile, again"] == kinds["tile, from S3"]
    assert {len(set(kinds[kind])) for kind in ("tile, again", "thumbnail", "!1024")} == {20}


def test_an_event_is_one_that_the_lambda_takes() -> None:
    request = read_event(request_event("/iiif/3/a%2Fb/info.json")).request
    assert (request.method, request.path) == ("GET", "/iiif/3/a%2Fb/info.json")
    assert request.headers["host"] == "images.example.org"
