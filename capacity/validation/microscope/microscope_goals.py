"""What the fitted profile must show, and whether a study shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from capacity.validation.microscope import published_tables as published

RESPONSE_BOUND = 5.0
UTILISATION_BOUND = 10.0
NO_PROXY_BOUND = 15.0
"""Percent."""


@dataclass(frozen=True)
class Goal:
    """One promise, what was found, and whether that keeps it."""

    promise: str
    found: str
    kept: bool


def goals(study: Mapping[str, Any]) -> list[Goal]:
    """Return all promises on a study of the fitted profile."""
    mean = {
        (cell["hit_rate"], cell["clients"], figure): cell[figure]["mean"]
        for cell in study["cells"]
        for figure in ("response", "proxy")
    }
    return [
        *_table_7(study),
        _ordered(mean),
        _like_no_proxy(mean),
        Goal(
            "30 clients at 100 % hits wait 25 to 40 s",
            f"{mean[1.0, 30, 'response']:.1f} s",
            25 <= mean[1.0, 30, "response"] <= 40,
        ),
        Goal(
            "20 clients at 100 % hits keep the proxy busy, 0.95 or more",
            f"{mean[1.0, 20, 'proxy']:.3f}",
            mean[1.0, 20, "proxy"] >= 0.95,
        ),
    ]


def _table_7(study: Mapping[str, Any]) -> list[Goal]:
    def worst(*metrics: str) -> float:
        errors = [row[metric]["error_percent"] for row in study["table_7"] for metric in metrics]
        return float(max(errors, key=abs))

    response, utilisation = worst("response"), worst("server", "proxy")
    return [
        Goal(
            f"table 7: response times within {RESPONSE_BOUND:g} %",
            f"largest error {response:+.1f} %",
            abs(response) <= RESPONSE_BOUND,
        ),
        Goal(
            f"table 7: utilisations within {UTILISATION_BOUND:g} %",
            f"largest error {utilisation:+.1f} %",
            abs(utilisation) <= UTILISATION_BOUND,
        ),
    ]


def _ordered(mean: Mapping[tuple[float | None, int, str], float]) -> Goal:
    rates = sorted(published.HIT_RATES, reverse=True)
    disorder = [
        clients
        for clients in published.CLIENTS
        for better, worse in pairwise(rates)
        if mean[better, clients, "response"] >= mean[worse, clients, "response"]
    ]
    found = f"not with {disorder[0]} clients" if disorder else "with every number of clients"
    return Goal("the more hits, the faster: 100 < 75 < 50 < 25 < 0 %", found, not disorder)


def _like_no_proxy(mean: Mapping[tuple[float | None, int, str], float]) -> Goal:
    differences = {
        clients: 100 * (mean[0.0, clients, "response"] / mean[None, clients, "response"] - 1)
        for clients in published.CLIENTS
    }
    most = max(differences, key=lambda clients: abs(differences[clients]))
    return Goal(
        f"0 % hits within {NO_PROXY_BOUND:g} % of no proxy",
        f"at most {differences[most]:+.1f} %, with {most} client{'s' if most > 1 else ''}",
        abs(differences[most]) <= NO_PROXY_BOUND,
    )
