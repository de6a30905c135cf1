"""What a month asks of every service, from a simulated busiest hour and the curve of a day."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import fsum
from statistics import fmean

from capacity.model.arrivals import day_curve
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design
from capacity.plan.question import Question
from vitrine.costs.prices import HOURS


@dataclass(frozen=True)
class MonthlyUsage:
    """Per month of `HOURS`. Task-hours are those of a service that follows the day's curve."""

    requests: float
    viewer_bytes: float
    shield_hits: float
    origin_requests: float
    origin_bytes: float
    store_requests: float
    identifier_reads: float
    on_demand_hours: float
    spot_hours: float


def usage_of(outcome: DayOutcome, design: Design, question: Question) -> MonthlyUsage:
    """Return a month whose every visit asks for what the simulated ones asked for.

    Caches answer the same share all day: at night, when less is asked for, they answer a little
    less, which is of few requests. Raises ValueError for an outcome without visits.
    """
    if not outcome.visits:
        raise ValueError("nobody came in the simulated hour: simulate more of it")
    months = question.visits_per_day * HOURS / 24 / outcome.visits
    on_demand, spot = _task_hours(cpu_seconds_of(outcome, design), design, question)
    return MonthlyUsage(
        requests=outcome.requests * months,
        viewer_bytes=outcome.viewer_bytes * months,
        shield_hits=outcome.shield_hits * months,
        origin_requests=outcome.origin_requests * months,
        origin_bytes=outcome.origin_bytes * months,
        store_requests=outcome.store_requests * months,
        identifier_reads=outcome.identifier_reads * months,
        on_demand_hours=on_demand,
        spot_hours=spot,
    )


def mean_usage(usages: Sequence[MonthlyUsage]) -> MonthlyUsage:
    """Return the mean of replications."""
    return MonthlyUsage(
        **{
            item.name: fmean(getattr(one, item.name) for one in usages)
            for item in fields(MonthlyUsage)
        }
    )


def cpu_seconds_of(outcome: DayOutcome, design: Design) -> float:
    """CPU seconds that a visit costs the tasks."""
    used = fsum(sample.tasks * sample.cpu_percent / 100 for sample in outcome.series)
    return used * outcome.sample_seconds * design.vcpus / outcome.visits


def tasks_needed(cpus: float, design: Design) -> int:
    """Tasks that the autoscaler runs for a load in CPUs."""
    aimed = design.vcpus * design.target_cpu_percent / 100
    return min(design.maximum, max(design.minimum, math.ceil(cpus / aimed)))


def _task_hours(cpu_seconds: float, design: Design, question: Question) -> tuple[float, float]:
    """On-demand and Spot task-hours of a month, for visits that cost so much CPU each."""
    on_demand, spot = [], []
    for share in day_curve(question.peak_factor):
        cpus = question.visits_per_day * share / 60 * cpu_seconds
        beyond = tasks_needed(cpus, design) - design.minimum
        on_spot = beyond * design.spot_share_percent / 100
        on_demand.append(design.minimum + beyond - on_spot)
        spot.append(on_spot)
    return HOURS * fmean(on_demand), HOURS * fmean(spot)
