"""`vitrine-capacity swarm`: the same visits with a swarm next to them, and without."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

from capacity.confidence import confidence_interval
from capacity.engine.clock import SECOND
from capacity.engine.streams import Streams
from capacity.model.cost_profile import TILE, CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design, Traffic
from capacity.model.past_visits import collection_of
from capacity.model.request_demand import Reader
from capacity.model.swarm import swarm_requests
from capacity.plan.busy_stretch import WARM_VISITS, simulate_all
from capacity.plan.design_variants import PROD
from capacity.plan.figures import CONFIDENCE
from capacity.plan.question import Question
from loadtest.drills.swarm.swarm_bill import TakenResources, hourly_bill
from loadtest.report.charts import grouped_bars
from loadtest.report.document import Chart, Part, Table, Text
from loadtest.workload.mix import Mix
from loadtest.workload.mix import MixPart as Share
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.viewer_session import ViewerSession

VISITORS = Mix((Share(70, ViewerSession()), Share(30, IndexPage())))
"""Viewers and pages of thumbnails, as in `vitrine-loadtest drill swarm`."""
_SAMPLE = 2_000
"""Requests of a swarm whose mean says what the tasks can answer of them."""
ALONE, COUNT, REFUSE = "alone", "swarm, counted", "swarm, refused"


def meet_swarm(
    question: Question,
    profile: CostProfile,
    *,
    tasks: int,
    times: float,
    minutes: float,
    replications: int,
    seed: int,
    warm_days: float,
    workers: int | None = None,
) -> dict[str, Any]:
    """Return a document for JSON.

    `tasks` serve all the time. The swarm asks `times` as much as they can answer of its requests
    with nothing else to do. Replication by replication all parts meet the same visits.
    """
    fixed = replace(PROD, minimum=tasks, maximum=tasks)
    traffic = question.traffic(
        hours=minutes / 60,
        warm_days=warm_days,
        warm_visits=int(min(WARM_VISITS, warm_days * question.visits_per_day)),
        options=VISITORS,
    )
    per_second = times * tasks * fixed.vcpus / _mean_seconds(fixed, traffic, profile, seed)
    pressed = replace(traffic, swarm_per_second=per_second)
    parts = {
        ALONE: (fixed, traffic),
        COUNT: (fixed, pressed),
        REFUSE: (replace(fixed, refuses_under_pressure=True), pressed),
    }
    jobs = [
        (design, replace(met, seed=number), number)
        for design, met in parts.values()
        for number in range(seed, seed + replications)
    ]
    done = simulate_all(jobs, profile, "visits and a swarm", workers)
    found = {
        name: _summarise_figures(done[place * replications :][:replications], fixed, minutes / 60)
        for place, name in enumerate(parts)
    }
    return {
        "design": asdict(fixed),
        "images": question.images,
        "minutes": minutes,
        "times": times,
        "swarm_per_second": per_second,
        "visits": [outcome.visits for outcome in done[:replications]],
        "seed": seed,
        "replications": replications,
        "confidence": CONFIDENCE,
        "parts": found,
    }


def _mean_seconds(design: Design, traffic: Traffic, profile: CostProfile, seed: int) -> float:
    """Return the seconds of a core that a request of the swarm takes, in the mean."""
    reader, draws = Reader(profile, design), Streams(seed).stream("probe")
    requests = islice(swarm_requests(collection_of(traffic), reader, profile, draws), _SAMPLE)
    return sum(request.demand for request in requests) / _SAMPLE / SECOND


def _summarise_figures(
    outcomes: Sequence[DayOutcome], design: Design, hours: float
) -> dict[str, dict[str, float]]:
    rows = [_outcome_row(outcome, design, hours) for outcome in outcomes]
    means = {name: confidence_interval([row[name] for row in rows], CONFIDENCE) for name in rows[0]}
    return {
        name: {"mean": mean.mean, "half_width": mean.half_width} for name, mean in means.items()
    }


def _outcome_row(outcome: DayOutcome, design: Design, hours: float) -> dict[str, float]:
    tiles, small, swarm = outcome.by_class[TILE], outcome.by_class["small"], outcome.swarm
    seconds = hours * 3600
    bill = hourly_bill(
        TakenResources(
            hours=hours,
            requests=outcome.requests + swarm.requests,
            sent_bytes=outcome.viewer_bytes + swarm.bytes,
            store_requests=outcome.store_requests,
            table_reads=outcome.identifier_reads,
            vcpus=design.minimum * design.vcpus,
            memory_gibibytes=design.minimum * design.memory_gibibytes,
        )
    )
    return {
        "tile p50 ms": 1000 * tiles.p50,
        "tile p99 ms": 1000 * tiles.p99,
        "thumbnail p95 ms": 1000 * small.p95,
        "failed of visitors": float(outcome.failures),
        "swarm answered a second": (swarm.requests - swarm.refused) / seconds,
        "swarm refused a second": swarm.refused / seconds,
        "CPU percent": outcome.cpu_percent,
        "store GB an hour": outcome.store_bytes / 1e9 / hours,
        "store requests a second": outcome.store_requests / seconds,
        "edge USD an hour": bill["edge_usd_an_hour"],
        "origin USD an hour": bill["origin_usd_an_hour"],
    }


def swarm_parts(run: Mapping[str, Any]) -> Sequence[Part]:
    """Return the report of a run."""
    parts, design = run["parts"], run["design"]
    rows = [
        (figure, *(_format_cell(part[figure]) for part in parts.values()))
        for figure in parts[ALONE]
    ]
    bars = [
        (figure, [part[figure]["mean"] for part in parts.values()])
        for figure in ("tile p50 ms", "tile p99 ms", "thumbnail p95 ms")
    ]
    return (
        Text(
            f"{design['minimum']} tasks of {design['vcpus']:g} vCPU, {run['images']:,} images; "
            f"{run['replications']} replications of {run['minutes']:g} minutes around the busiest "
            f"moment, {sum(run['visits']):,} visits in all. Next to them comes a swarm of "
            f"{run['swarm_per_second']:,.0f} requests a second, {run['times']:g} times what the "
            "tasks could answer of them: full-size renders that nobody asked for before, images "
            "that nobody opened, names that no image has. The edge can answer none of them from "
            "its caches. Times are those of visitors; intervals of "
            f"{100 * run['confidence']:.0f} %."
        ),
        Table("Visitors, the swarm, and what it takes", ("figure", *parts), rows),
        Chart(
            "swarm-times",
            "Response times of visitors",
            grouped_bars("swarm-times", list(parts), bars, "ms", logarithmic=True),
        ),
    )


def _format_cell(one: Mapping[str, float]) -> str:
    mean, half = one["mean"], one["half_width"]
    digits = 0 if abs(mean) >= 100 else 2
    return f"{mean:,.{digits}f} ± {half:,.{digits}f}"
