"""Plans that nothing can keep, said before anything is simulated."""

from capacity.errors import PlanImpossible
from capacity.model.cost_profile import CostProfile
from capacity.plan.bill import by_service, month_of
from capacity.plan.collection_size import CollectionSize
from capacity.plan.design_search import VCPUS, Candidate, design_of
from capacity.plan.monthly_usage import MonthlyUsage
from capacity.plan.question import Question
from vitrine.costs.prices import HOURS


def require_possible(question: Question, collection: CollectionSize, profile: CostProfile) -> None:
    """Raises PlanImpossible: the target is below the network's time, or the budget below what
    the smallest service costs before anybody comes."""
    round_trip = profile.viewer_round_trip_ms
    if question.target_p95_ms <= round_trip:
        raise PlanImpossible(
            f"a target of {question.target_p95_ms:g} ms is impossible: the round trip between a "
            f"viewer and the edge alone takes {round_trip:g} ms (viewer_round_trip_ms of the "
            "profile), whatever the service does"
        )
    idle = idle_bill(question, collection)
    least = sum(idle.values())
    if question.budget < least:
        parts = ", ".join(f"{service} ${usd:,.0f}" for service, usd in idle.items() if usd >= 1)
        raise PlanImpossible(
            f"a budget of ${question.budget:,.2f} a month is impossible: the smallest service, "
            f"{question.fewest_tasks} tasks of {VCPUS[0]:g} vCPU, and the keeping of "
            f"{question.images:,} images cost ${least:,.2f} before anybody comes ({parts})"
        )


def idle_bill(question: Question, collection: CollectionSize) -> dict[str, float]:
    """USD per month by service of the smallest design, nobody coming."""
    fewest = question.fewest_tasks
    design = design_of(VCPUS[0], 1, minimum=fewest, maximum=fewest)
    return by_service(month_of(design, idle_usage(fewest), collection, question))


def idle_usage(tasks: int) -> MonthlyUsage:
    """Return a month in which `tasks` run and nobody comes."""
    return MonthlyUsage(
        requests=0,
        viewer_bytes=0,
        shield_hits=0,
        origin_requests=0,
        origin_bytes=0,
        store_requests=0,
        identifier_reads=0,
        on_demand_hours=tasks * HOURS,
        spot_hours=0,
    )


def require_reachable(question: Question, fastest: Candidate) -> None:
    """Raises PlanImpossible: a service with more than enough of everything misses the target."""
    if fastest.keeps(question.target_p95_ms):
        return
    slowest = sorted(fastest.outcome.by_class.items(), key=lambda entry: -entry[1].p95)
    classes = ", ".join(f"{name} {1000 * times.p95:,.0f} ms" for name, times in slowest)
    raise PlanImpossible(
        f"a target of {question.target_p95_ms:g} ms is impossible: a service with more than enough "
        f"of everything takes {fastest.p95_ms:,.0f} ms (p95 of all requests; {classes}): that is "
        "the time of the network, the object store and the work itself, which no task more "
        "makes shorter"
    )


def require_found(question: Question, found: Candidate | None, least: Candidate) -> Candidate:
    """`found`. Raises PlanImpossible when none of the designs kept the target."""
    if found is None:
        raise PlanImpossible(
            f"none of the designs that were tried keeps {question.target_p95_ms:g} ms: the best of "
            f"them takes {least.p95_ms:,.0f} ms at ${least.usd:,.0f} a month; a service with far "
            "more tasks would, so name a target between the two, or fewer visits"
        )
    return found
