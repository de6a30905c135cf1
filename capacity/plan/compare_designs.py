"""`vitrine-capacity compare`: two designs meet the same visits, and differ by what they are."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from capacity.confidence import confidence_interval
from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design
from capacity.plan.bill import month_of, sum_lines
from capacity.plan.busy_stretch import WARM_DAYS, Stretch, simulate_all
from capacity.plan.collection_size import size_collection
from capacity.plan.figures import CONFIDENCE, outcome_figures
from capacity.plan.monthly_usage import usage_of
from capacity.plan.plan_report import design_words
from capacity.plan.question import Question
from loadtest.report.charts import grouped_bars
from loadtest.report.document import Chart, Part, Table, Text
from vitrine.costs.ingest_work import ImageWork, measured_image


def compare_designs(
    designs: Mapping[str, Design],
    question: Question,
    profile: CostProfile,
    replications: int,
    seed: int,
    workers: int | None = None,
    warm_days: float = WARM_DAYS,
    image: ImageWork | None = None,
) -> dict[str, Any]:
    """Return a document for JSON.

    Replication by replication both designs meet the same visits (common random numbers), so that
    the difference between them is their own.
    """
    collection = size_collection(question, image or measured_image())
    stretch = Stretch.of(question, warm_days)
    seeds = range(seed, seed + replications)
    jobs = [job for design in designs.values() for job in stretch.jobs(design, seeds)]
    done = simulate_all(jobs, profile, " and ".join(designs), workers)
    outcomes = [done[:replications], done[replications:]]

    def measured_of(outcome: DayOutcome, design: Design) -> dict[str, float]:
        usage = usage_of(outcome, design, question)
        usd = sum_lines(month_of(design, usage, collection, question))
        return {"USD a month": usd} | outcome_figures(outcome) | _loads_per_visit(outcome)

    rows = [
        [measured_of(outcome, design) for outcome in of_design]
        for of_design, design in zip(outcomes, designs.values(), strict=True)
    ]
    return {
        "designs": {name: asdict(design) for name, design in designs.items()},
        "region": question.region,
        "visits_per_day": question.visits_per_day,
        "images": question.images,
        "hours": stretch.traffic.hours,
        "warm_days": stretch.warm_days,
        "visits": [outcome.visits for outcome in outcomes[0]],
        "seed": seed,
        "replications": replications,
        "confidence": CONFIDENCE,
        "figures": {
            name: _compare_pair(name, *rows)
            for name in rows[0][0]
            if all(name in row for side in rows for row in side)
        },
    }


def _loads_per_visit(outcome: DayOutcome) -> dict[str, float]:
    visits = outcome.visits
    return {
        "origin requests a visit": outcome.origin_requests / visits,
        "store requests a visit": outcome.store_requests / visits,
        "store MB a visit": outcome.store_bytes / 1e6 / visits,
    }


def _compare_pair(
    name: str, first: Sequence[Mapping[str, float]], second: Sequence[Mapping[str, float]]
) -> dict[str, float | bool | None]:
    pairs = [(one[name], other[name]) for one, other in zip(first, second, strict=True)]
    before = confidence_interval([one for one, _ in pairs], CONFIDENCE)
    after = confidence_interval([other for _, other in pairs], CONFIDENCE)
    change = confidence_interval([other - one for one, other in pairs], CONFIDENCE)
    return {
        "first": before.mean,
        "first_half_width": before.half_width,
        "second": after.mean,
        "second_half_width": after.half_width,
        "ratio": after.mean / before.mean if before.mean else None,
        "difference": change.mean,
        "half_width": change.half_width,
        "differs": change.mean != 0 and 0.0 not in change,
    }


def compare_parts(run: Mapping[str, Any]) -> Sequence[Part]:
    """Return the report of a run of `compare`."""
    first, second = run["designs"]
    rows = [(name, *_format_cells(one)) for name, one in run["figures"].items()]
    header = ("figure", first, second, "ratio", "difference, pair by pair", "differs")
    times = ("p50 ms", "p95 ms", "p99 ms")
    bars = [
        (name, [run["figures"][time][side] for time in times])
        for name, side in ((first, "first"), (second, "second"))
    ]
    return (
        *(Text(f"{name}: {_describe_design(design)}.") for name, design in run["designs"].items()),
        Text(
            f"{run['images']:,} images, {run['visits_per_day']:,.0f} visits a day, "
            f"{run['region']}; {run['replications']} replications of {run['hours'] * 60:.0f} "
            f"minutes around the busiest moment, {sum(run['visits']):,} visits in all, "
            f"the edge filled by the {run['warm_days']:.3g} days before. Both designs meet the "
            f"same visits; intervals of {100 * run['confidence']:.0f} %."
        ),
        Table("Side by side", header, rows),
        Chart(
            "compare-times",
            "Response times at the viewer in the busiest hour",
            grouped_bars("compare-times", times, bars, "ms"),
        ),
    )


def _format_cells(one: Mapping[str, Any]) -> tuple[str, ...]:
    ratio = f"{one['ratio']:.2f}" if one["ratio"] is not None else ""
    return (
        _format_number(one["first"]),
        _format_number(one["second"]),
        ratio,
        f"{_format_number(one['difference'])} ± {_format_number(one['half_width'])}",
        "yes" if one["differs"] else "no",
    )


def _format_number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _describe_design(design: Mapping[str, Any]) -> str:
    words = [
        design_words(design),
        "tiles passed through" if design["pass_through"] else "every tile decoded",
        "whole files copied" if design["whole_file"] else "files read in blocks",
        f"edge of {design['edge_gibibytes']:g} GiB for {design['edge_ttl_seconds'] / 3600:g} hours",
        f"{design['large_renders']} large renders at once",
    ]
    return ", ".join(words)
