"""Figures of a run of the cache study, for its reports."""

from typing import Any

from loadtest.client.user_load import Load
from loadtest.studies.cache_percent.cache_percent_study import _load_figures, _warming_figures


def cache_figures(load: Load) -> dict[str, Any]:
    names = ("num_requests", "cache_percent", "num_clients", "only_warm", "skip_warm", "seed")
    return {
        "complete": load.complete,
        "url": "x",
        "parameters": dict.fromkeys(names, 0),
        "images": [],
        "warming": _warming_figures(Load()),
        **_load_figures(load),
    }
