"""`vitrine-capacity plan`: from a question to a design, what it feels like and what it costs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from capacity.confidence import confidence_interval
from capacity.model.arrivals import day_curve
from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design
from capacity.plan.bill import FREE_TIER, BillLine, access_usd, by_service, month_of, sum_lines
from capacity.plan.busy_stretch import WARM_DAYS, Stretch, simulate_all
from capacity.plan.collection_size import CollectionSize, size_collection
from capacity.plan.design_search import Candidate, peak_visits_per_second, search_designs
from capacity.plan.figures import CONFIDENCE, figures_of, outcome_figures
from capacity.plan.flavour_prices import price_flavours
from capacity.plan.growth import Growth, grown_jobs, growth_of, stations_of
from capacity.plan.monthly_usage import cpu_seconds_of, mean_usage, tasks_needed, usage_of
from capacity.plan.plan_limits import require_found, require_possible, require_reachable
from capacity.plan.prod_design import price_prod
from capacity.plan.question import Question
from capacity.plan.quotas import QUOTAS, load_of
from capacity.plan.storage_tiers import tiers_of
from vitrine.costs.ingest_work import ImageWork, measured_image
from vitrine.costs.prices import PRICES_AS_OF, price


def make_plan(
    question: Question,
    profile: CostProfile,
    replications: int,
    seed: int,
    workers: int | None = None,
    warm_days: float = WARM_DAYS,
    image: ImageWork | None = None,
) -> dict[str, Any]:
    """Return a document for JSON, equal for equal arguments. `image` is what ingesting one takes.

    Raise PlanImpossible.
    """
    collection = size_collection(question, image or measured_image())
    require_possible(question, collection, profile)
    stretch = Stretch.of(question, warm_days)
    found = search_designs(question, collection, profile, stretch, seed, workers)
    require_reachable(question, found.fastest)
    least = min(found.candidates, key=lambda one: one.p95_ms)
    best = require_found(question, found.best, least)
    seeds = range(seed + 1, seed + 1 + replications)
    jobs = stretch.jobs(best.design, seeds)
    grown = grown_jobs(best.design, question, warm_days, seed)
    done = simulate_all([*grown.values(), *jobs], profile, "Chosen design", workers)
    outcomes = done[len(grown) :]
    growth = growth_of(best, question, profile, dict(zip(grown, done, strict=False)))
    month = _month_json(best.design, outcomes, collection, question)
    prod = price_prod(question, collection, profile, stretch, seeds, workers)
    return {
        "question": _question_json(question),
        "seed": seed,
        "replications": replications,
        "confidence": CONFIDENCE,
        "stretch": {
            "hours": stretch.traffic.hours,
            "warm_days": stretch.warm_days,
            "visits": [outcome.visits for outcome in outcomes],
        },
        "profile": dict(profile.origins),
        "design": asdict(best.design),
        "figures": figures_of(outcomes),
        "month": month,
        "prod": prod,
        "flavours": price_flavours(question, collection, profile, stretch, seeds, workers, prod),
        "day": _day_json(best, question),
        "candidates": [_candidate_json(one, question, one is best) for one in found.candidates],
        "growth": [_growth_json(one) for one in growth],
        "stations": [asdict(one) for one in stations_of(best, question, profile)],
        "quotas": _quotas_json(best, question),
        "within_budget": month["usd"] <= question.budget,
    }


def _question_json(question: Question) -> dict[str, Any]:
    budget = question.budget if math.isfinite(question.budget) else None
    return asdict(question) | {"budget": budget}


def _month_json(
    design: Design, outcomes: Sequence[DayOutcome], collection: CollectionSize, question: Question
) -> dict[str, Any]:
    """Return the bill of the mean replication, and how much the replications differ."""
    usages = [usage_of(outcome, design, question) for outcome in outcomes]
    usage = mean_usage(usages)
    bills = [sum_lines(month_of(design, one, collection, question)) for one in usages]
    lines = month_of(design, usage, collection, question)
    return {
        "prices_as_of": PRICES_AS_OF,
        "usd": sum_lines(lines),
        "half_width": confidence_interval(bills, CONFIDENCE).half_width,
        "by_service": by_service(lines),
        "lines": [_line_json(line, question.region) for line in lines],
        "usage": asdict(usage),
        "ingest_of_all": collection.ingest_usd(question.region),
        "tiers": asdict(collection.tiers),
        "access_masters": access_usd(collection.tiers, collection, question.region),
        "access_masters_opened": access_usd(
            tiers_of(question.traffic(), index_pages=False), collection, question.region
        ),
    }


def _line_json(line: BillLine, region: str) -> dict[str, Any]:
    if line.item == FREE_TIER:
        return asdict(line) | {"each": line.usd, "source": "AWS pricing page: once an account"}
    known = price(line.item, region)
    return asdict(line) | {"each": known.usd, "source": known.origin}


def _day_json(best: Candidate, question: Question) -> list[dict[str, float]]:
    """Return for each hour the visits, and the tasks that the load asks for."""
    cost = cpu_seconds_of(best.outcome, best.design)
    shares = day_curve(question.peak_factor)
    hours = []
    for hour in range(24):
        share = math.fsum(shares[60 * hour : 60 * hour + 60])
        visits = question.visits_per_day * share
        tasks = tasks_needed(visits / 3600 * cost, best.design)
        hours.append({"hour": hour - 12, "visits": visits, "tasks": tasks})
    return hours


def _candidate_json(one: Candidate, question: Question, chosen: bool) -> dict[str, Any]:
    return {
        "design": asdict(one.design),
        "p95_ms": one.p95_ms,
        "p99_ms": one.outcome.times.p99 * 1000,
        "failures": one.outcome.failures,
        "edge_hit_ratio": one.outcome.edge_hit_ratio,
        "peak_cpu_percent": one.outcome.peak_cpu_percent,
        "peak_tasks": one.outcome.peak_tasks,
        "usd": one.usd,
        "keeps": one.keeps(question.target_p95_ms),
        "chosen": chosen,
    }


def _quotas_json(best: Candidate, question: Question) -> dict[str, Any]:
    load = load_of(best.outcome, best.design, peak_visits_per_second(question))
    return {
        quota.name: {
            "limit": quota.limit,
            "now": quota.load(load),
            "at_it": quota.at_it,
            "source": quota.source,
        }
        for quota in QUOTAS
    }


def _growth_json(one: Growth) -> Mapping[str, Any]:
    return {
        "factor": one.factor,
        "breaks": one.breaks,
        "figures": outcome_figures(one.outcome) if one.outcome else None,
        "asked": {quota.name: quota.load(one.load) for quota in QUOTAS},
        "met": [{"name": quota.name, "at_it": quota.at_it} for quota in one.met],
    }
