"""Figures of a run of the cache study, for its reports."""

from typing import Any

from loadtest.client.user_load import Load
from loadtest.studies.cache_percent.cache_percent_study import _figures, _warming


def cache_figures(load: Load) -> dict[str, Any]:
    names = ("num_requests", "cache_percent", "num_clients", "only_warm", "skip_warm", "seed")
    return {
        "complete": load.complete,
        "url": "x",
        "parameters": dict.fromkeys(names, 0),
        "images": [],
        "warming": _warming(Load()),
        **_figures(load),
    }
