"""Service demands from the 10-connection tables: what gives their response times in the model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Literal

from capacity.engine.clock import MILLISECOND
from capacity.validation.museum.museum_model import (
    LocustTally,
    ModelledRig,
    MuseumWorkload,
    simulate_museum,
)
from capacity.validation.museum.museum_tables import SECONDS, Kind, LocustRow, LocustTable
from loadtest.figures.order_statistics import median

Statistic = Literal["median", "average"]

ROUNDS = 6
AVERAGED = 3
"""Last rounds that are averaged, so that no single run's luck stays in the demands."""

MAX_STEP = 2.0
MIN_SHARE = 0.05
"""A demand is at least this share of the response time it is made from."""


def calibrate(
    table: LocustTable, rig: ModelledRig, statistic: Statistic, seed: int, seconds: float = SECONDS
) -> MuseumWorkload:
    """Fit the demands of a table's workload so that `rig` answers each kind as measured.

    Where requests wait for each other in queues the median says more of the demand, since most
    requests find no queue; where all share the cores, the average does.
    """
    measured = {kind: _measured_time(row, statistic) for kind, row in table.rows.items()}
    sizes = {kind: float(row.bytes) for kind, row in table.rows.items()}
    workload = MuseumWorkload(table.think_seconds, measured, sizes)
    demands: list[Mapping[Kind, float]] = []
    for number in range(ROUNDS):
        seed_of_round = f"{seed}/calibrate/{number}"
        tally = simulate_museum(rig, workload, table.users(), seed_of_round, seconds)
        workload = replace(workload, demands=_correct_demands(workload, measured, tally, statistic))
        demands.append(workload.demands)
    return replace(workload, demands=_mean_demands(demands[-AVERAGED:]))


def _correct_demands(
    workload: MuseumWorkload,
    measured: Mapping[Kind, float],
    tally: LocustTally,
    statistic: Statistic,
) -> dict[Kind, float]:
    corrected = {}
    for kind, demand in workload.demands.items():
        times = tally.responses.get(kind)
        step = measured[kind] / _simulated_time(times, statistic) if times else 1.0
        step = min(MAX_STEP, max(1 / MAX_STEP, step))
        corrected[kind] = max(MIN_SHARE * measured[kind], demand * step)
    return corrected


def _measured_time(row: LocustRow, statistic: Statistic) -> float:
    return row.median_ms if statistic == "median" else row.average_ms


def _simulated_time(times: Sequence[int], statistic: Statistic) -> float:
    return (median(times) if statistic == "median" else fmean(times)) / MILLISECOND


def _mean_demands(demands: Sequence[Mapping[Kind, float]]) -> dict[Kind, float]:
    return {kind: fmean(each[kind] for each in demands) for kind in demands[0]}
