"""The same visits, met by `prod` as stacks/designs.py deploys it: how fast, at what price."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from capacity.model.cost_profile import CostProfile
from capacity.plan.bill import by_service, month_of, sum_lines
from capacity.plan.busy_stretch import Stretch, simulate_all
from capacity.plan.collection_size import CollectionSize
from capacity.plan.deployed_designs import PROD
from capacity.plan.figures import figures_of
from capacity.plan.monthly_usage import mean_usage, usage_of
from capacity.plan.question import Question


def price_prod(
    question: Question,
    collection: CollectionSize,
    profile: CostProfile,
    stretch: Stretch,
    seeds: Sequence[int],
    workers: int | None,
) -> dict[str, Any]:
    """Return its design, figures and bill, for the visits of these seeds."""
    outcomes = simulate_all(stretch.jobs(PROD, seeds), profile, "prod as it is deployed", workers)
    usage = mean_usage([usage_of(outcome, PROD, question) for outcome in outcomes])
    lines = month_of(PROD, usage, collection, question)
    return {
        "design": asdict(PROD),
        "figures": figures_of(outcomes),
        "usd": sum_lines(lines),
        "by_service": by_service(lines),
    }
