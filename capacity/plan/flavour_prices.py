"""What the same visits cost in each flavour of `stacks/flavours.py`, and which one to take.

`museum` and `portal` are simulated. `serverless` is not: its month is the museum's without what
stands by, and with the time of Lambdas: what a task's CPU works for a visit (the same programs),
what the Lambda adds to each request, what its reads wait for, and its starts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.plan.bill import BillLine, StandingCosts, month_of, sum_lines
from capacity.plan.busy_stretch import Stretch, simulate_all
from capacity.plan.collection_size import CollectionSize
from capacity.plan.deployed_designs import MUSEUM, PROD
from capacity.plan.figures import figures_of
from capacity.plan.monthly_usage import MonthlyUsage, cpu_seconds_of, mean_usage, usage_of
from capacity.plan.question import Question
from vitrine.costs.prices import HOURS, price
from vitrine.costs.standing import FUNCTION_ALARM_METRICS
from vitrine.deliver.metrics.minute import METRICS

MUSEUM_STANDING = StandingCosts(architecture="arm64", zones=1)
FUNCTION_GIBIBYTES = 1_769 / 1_024
"""Memory of the Lambda that serves images (stacks/flavours.py): one vCPU."""
VISITS_OF_A_YEAR = 365
_STANDING_BY = ("Fargate", "Load balancer", "Network", "Web ACL", "CloudWatch")


@dataclass(frozen=True, kw_only=True)
class FlavourMonth:
    """A flavour with the visits of a question."""

    name: str
    usd: float
    """Per month."""
    p95_ms: float | None
    """At the viewer, in the busiest hour; None: not simulated."""
    keeps: bool
    """True if it keeps the question's target and number of tasks, as far as that is known."""


def price_flavours(
    question: Question,
    collection: CollectionSize,
    profile: CostProfile,
    stretch: Stretch,
    seeds: Sequence[int],
    workers: int | None,
    prod: dict[str, Any],
) -> dict[str, Any]:
    """Return a month in each flavour, and the cheapest that keeps what is asked for.

    `prod` is the document of `price_prod`, which is the portal.
    """
    outcomes = simulate_all(stretch.jobs(MUSEUM, seeds), profile, "museum", workers)
    usage = mean_usage([usage_of(outcome, MUSEUM, question) for outcome in outcomes])
    lines = month_of(MUSEUM, usage, collection, question, MUSEUM_STANDING)
    cpu = sum(cpu_seconds_of(outcome, MUSEUM) for outcome in outcomes) / len(outcomes)
    function = serverless_lines(lines, usage, question, cpu, profile)
    museum_p95 = figures_of(outcomes)["p95 ms"]["mean"]
    prod_p95 = prod["figures"]["p95 ms"]["mean"]
    months = [
        FlavourMonth(name="serverless", usd=sum_lines(function), p95_ms=None, keeps=True),
        FlavourMonth(
            name="museum",
            usd=sum_lines(lines),
            p95_ms=museum_p95,
            keeps=_keeps_target(question, museum_p95, outcomes)
            and question.fewest_tasks <= MUSEUM.minimum,
        ),
        FlavourMonth(
            name="portal",
            usd=prod["usd"],
            p95_ms=prod_p95,
            keeps=prod_p95 <= question.target_p95_ms and question.fewest_tasks <= PROD.minimum,
        ),
    ]
    fitting = [one for one in months if one.keeps]
    return {
        "visits_per_year": question.visits_per_day * VISITS_OF_A_YEAR,
        "months": [asdict(one) for one in months],
        "take": min(fitting, key=lambda one: one.usd).name,
    }


def _keeps_target(question: Question, p95_ms: float, outcomes: Sequence[DayOutcome]) -> bool:
    return p95_ms <= question.target_p95_ms and not any(one.failures for one in outcomes)


def serverless_lines(
    lines: Sequence[BillLine],
    usage: MonthlyUsage,
    question: Question,
    cpu_seconds: float,
    profile: CostProfile,
) -> list[BillLine]:
    """Return a museum's bill as that of `serverless`; `cpu_seconds` are a task's for a visit.

    The logs are the tasks': a line for each request, three times as long, is within a dollar.
    """
    kept = [
        line
        for line in lines
        if line.service not in _STANDING_BY or line.item.startswith("CloudWatch Logs")
    ]
    added = []
    for service, item, quantity in _list_charges(usage, question, cpu_seconds, profile):
        known = price(item, question.region)
        added.append(BillLine(service, item, quantity, quantity * known.usd, known.confirmed))
    return kept + [line for line in added if line.quantity]


def _list_charges(
    usage: MonthlyUsage, question: Question, cpu_seconds: float, profile: CostProfile
) -> Iterator[tuple[str, str, float]]:
    visits = question.visits_per_day * HOURS / 24 if usage.requests else 0
    # A start is charged like work since August 2025.
    start_ms = profile.function_start_ms + profile.function_loading_ms
    seconds = (
        visits * (cpu_seconds + profile.function_starts * start_ms / 1000)
        + (
            usage.origin_requests * profile.function_request_ms
            + usage.store_requests * profile.store_first_byte_ms
        )
        / 1000
    )
    yield "Lambda", "Lambda arm64, GB-second", seconds * FUNCTION_GIBIBYTES
    yield "Lambda", "Lambda, million requests", usage.origin_requests / 1e6
    yield "CloudWatch", "CloudWatch alarm, month", FUNCTION_ALARM_METRICS
    # Of an hour without a request no metric has a value; with visits, every hour is counted.
    yield "CloudWatch", "CloudWatch metric, month", len(METRICS) if visits else 0
