"""The paper's experiment: all factor levels, replicated, with what its figures and tables show."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from capacity.confidence import confidence_interval
from capacity.replications import run_all
from capacity.validation.microscope import published_tables as published
from capacity.validation.microscope.factorial import two_level
from capacity.validation.microscope.implied_demands import implied_demands
from capacity.validation.microscope.microscope_model import ReplicationOutcome, simulate_microscope
from capacity.validation.microscope.microscope_profile import FITTED, PaperProfile
from capacity.validation.microscope.profile_choices import alternatives

SYSTEMS = (None, *published.HIT_RATES)
"""Without a proxy, then its hit rates."""

FIGURES = ("response", "small", "large", "server", "proxy")
"""Figures 14 to 18 by what they plot over the number of clients, in their order."""

PROBES = (*published.CORNERS, (1.0, 30), (None, 30))
"""Levels at which alternatives are compared: table 7, and the ends of figure 14's outer curves."""

CONFIDENCE = 0.9


def run_study(
    profile: PaperProfile,
    replications: int,
    seed: int,
    sensitivity: int,
    workers: int | None = None,
) -> dict[str, Any]:
    """Run everything; a document for JSON.

    `sensitivity` is the number of replications of each alternative choice, 0 for none; choices
    are those of the fitted profile, so the printed one has none. Equal arguments give equal
    documents, but for `speed`.
    """
    cells = [(system, clients) for clients in published.CLIENTS for system in SYSTEMS]
    variants = list(alternatives()) if profile == FITTED and sensitivity else []
    tasks = [
        (simulate_microscope, (profile, clients, system, f"{seed}/{number}"))
        for system, clients in reversed(cells)
        for number in range(replications)
    ]
    for variant in variants:
        changed = alternatives()[variant]
        tasks += [
            (simulate_microscope, (changed, clients, hit_rate, f"{seed}/{number}"))
            for hit_rate, clients in PROBES
            for number in range(sensitivity)
        ]
    outcomes, spent = run_all(tasks, "Virtual Microscope", workers)
    main = len(cells) * replications
    by_cell = dict(
        zip(reversed(cells), _group_outcomes(outcomes[:main], replications), strict=True)
    )
    corners = {corner: by_cell[corner] for corner in published.CORNERS}
    return {
        "profile": asdict(profile),
        "seed": seed,
        "replications": replications,
        "confidence": CONFIDENCE,
        "cells": [_cell_json(*cell, by_cell[cell]) for cell in cells],
        "table_7": _table_7(corners),
        "table_8": _table_8(corners),
        "implied": [asdict(row) for row in implied_demands(profile.think)],
        "small_to_large": _small_to_large(by_cell[0.5, 30]),
        "sensitivity": _measure_sensitivity(
            variants,
            [by_cell[probe][:sensitivity] for probe in PROBES],
            _group_outcomes(outcomes[main:], sensitivity),
        ),
        "speed": {
            "requests": sum(outcome.requests for outcome in outcomes),
            "cpu_seconds": round(spent, 1),
            "requests_per_cpu_second": round(sum(o.requests for o in outcomes) / spent),
        },
    }


def _group_outcomes(
    outcomes: Sequence[ReplicationOutcome], size: int
) -> list[Sequence[ReplicationOutcome]]:
    return [outcomes[start : start + size] for start in range(0, len(outcomes), size or 1)]


def _cell_json(
    system: float | None, clients: int, sample: Sequence[ReplicationOutcome]
) -> dict[str, Any]:
    figures = {}
    for figure in FIGURES:
        values = [getattr(outcome, figure) for outcome in sample]
        known = [value for value in values if value is not None]
        if len(known) > 1:
            spread = confidence_interval(known, CONFIDENCE)
            figures[figure] = {"mean": spread.mean, "half_width": spread.half_width}
    return {"hit_rate": system, "clients": clients, **figures}


def _table_7(corners: dict[Any, Sequence[ReplicationOutcome]]) -> list[dict[str, Any]]:
    rows = []
    for place, ((hit_rate, clients), sample) in enumerate(corners.items()):
        cell = _cell_json(hit_rate, clients, sample)
        for metric, printed in published.TABLE_7.items():
            value = float(printed[place])
            cell[metric] |= {
                "printed": value,
                "error_percent": 100 * (cell[metric]["mean"] / value - 1),
            }
        rows.append(cell)
    return rows


def _table_8(corners: dict[Any, Sequence[ReplicationOutcome]]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for metric in published.TABLE_7:
        means = [fmean(getattr(o, metric) for o in sample) for sample in corners.values()]
        analysis = two_level(("hit rate", "clients"), means)
        document[metric] = {
            "effects": {key: float(value) for key, value in analysis.effects.items()},
            "variation_percent": {k: float(value) for k, value in analysis.variation.items()},
        }
    return document


def _small_to_large(sample: Sequence[ReplicationOutcome]) -> float:
    """Small requests' time as a share of large ones'."""
    return fmean(o.small / o.large for o in sample if o.small and o.large)


def _measure_sensitivity(
    variants: Sequence[tuple[str, str]],
    base: Sequence[Sequence[ReplicationOutcome]],
    changed: Sequence[Sequence[ReplicationOutcome]],
) -> list[dict[str, Any]]:
    """Return by how many percent each alternative moves each metric at each probe."""
    rows = []
    for place, (question, answer) in enumerate(variants):
        samples = changed[place * len(base) : (place + 1) * len(base)]
        row: dict[str, Any] = {"question": question, "answer": answer}
        for metric in published.TABLE_7:
            row[metric] = [
                _change_percent(metric, before, sample)
                for before, sample in zip(base, samples, strict=True)
            ]
        rows.append(row)
    return rows


def _change_percent(
    metric: str, before: Sequence[ReplicationOutcome], after: Sequence[ReplicationOutcome]
) -> float | None:
    """Return the change, or None without anything to compare: a server that is never asked."""
    was = fmean(getattr(outcome, metric) for outcome in before)
    return 100 * fmean(getattr(outcome, metric) for outcome in after) / was - 100 if was else None
