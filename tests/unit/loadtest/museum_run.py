"""Rounds and figures of the museum's study, for its reports."""

from typing import Any

from loadtest.figures.request_figures import row_of
from loadtest.studies.museum.museum_classes import ANY, KINDS
from loadtest.studies.museum.museum_medians import museum_medians
from tests.unit.loadtest.studies_answers import answer


def round_of(server: str, number: int, times: list[float], **more: Any) -> dict[str, Any]:
    row = row_of([answer(seconds) for seconds in times], 2.0)
    return {
        "server": server,
        "connections": 10,
        "round": number,
        "complete": True,
        "seconds": 2.0,
        "generator_cores": 0.1,
        "client_bound": False,
        "cpu_ms_per_request": 5.0 * number,
        "failed": [],
        "rows": {KINDS[0]: row, ANY: row},
        **more,
    }


def figures_of(rounds: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "complete": True,
        "scenario": {"rounds": 3, "seconds": 2.0, "seed": 2019},
        "images": [["a", 10, 10]],
        "servers": {row["server"]: "a server" for row in rounds},
        "versions": {"nginx": "1.22"},
        "pinned": {"server_core": 0, "generator_core": 1},
        "same_requests": True,
        "rounds": rounds,
        "medians": museum_medians(rounds),
        **more,
    }
