"""Which design is the cheapest that keeps the target in the busiest hour: a few are simulated.

First two rooms with more than enough of everything: one says what a visit costs, the other what no
design of ours can better. Then task sizes, the least that bears the load of each; then cache,
Origin Shield and Spot around the best of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from capacity.model.arrivals import day_curve
from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design
from capacity.plan.bill import BillLine, month_of, sum_lines
from capacity.plan.busy_stretch import Stretch, simulate_all
from capacity.plan.collection_size import CollectionSize
from capacity.plan.monthly_usage import cpu_seconds_of, tasks_needed, usage_of
from capacity.plan.question import Question

GIBIBYTES_PER_VCPU = 4
"""As in stacks/designs.py: memory is not simulated."""
VCPUS = (0.5, 1, 2, 4)
CACHES = (14.75, 34.75, 94.75)
"""GiB: disks of 20 (which is free), 40 and 100 GiB, less what is no cache."""
SPOT_SHARES = (0, 50, 100)
HEADROOM = 2.0
"""Tasks at most, over those of the busiest minute."""
MAX_FAILURES = 0.001
"""Share of all requests."""
MAX_TASKS = 32
"""Tasks that always run, among the designs that are tried."""
_GUESSED_VISIT_CPU_SECONDS = 0.3
_ROOMY_VCPUS, _ROOMY_CACHE = 4, 195


@dataclass(frozen=True)
class Candidate:
    """A design, its outcome in the busiest hour, and its bill."""

    design: Design
    outcome: DayOutcome
    lines: Sequence[BillLine]

    @property
    def usd(self) -> float:
        """Per month."""
        return sum_lines(self.lines)

    @property
    def p95_ms(self) -> float:
        """At the viewer."""
        return self.outcome.times.p95 * 1000

    def keeps(self, target_p95_ms: float) -> bool:
        """Return whether it is fast enough and answers every request."""
        failed = self.outcome.failures > MAX_FAILURES * self.outcome.requests
        return self.p95_ms <= target_p95_ms and not failed


@dataclass(frozen=True)
class Search:
    """All that were tried, and the cheapest that keeps the target, if there is one."""

    candidates: Sequence[Candidate]
    best: Candidate | None
    fastest: Candidate
    """Candidate with more than enough of everything."""


def search_designs(
    question: Question,
    collection: CollectionSize,
    profile: CostProfile,
    stretch: Stretch,
    seed: int,
    workers: int | None,
) -> Search:
    """Simulate designs and price them; the same for the same arguments."""

    def tried(designs: Sequence[Design], label: str) -> list[Candidate]:
        jobs = [job for design in designs for job in stretch.jobs(design, [seed])]
        outcomes = simulate_all(jobs, profile, label, workers)
        return [
            _price_design(design, outcome, question, collection)
            for design, outcome in zip(designs, outcomes, strict=True)
        ]

    (fastest,) = tried([roomy_design(question)], "With more than enough of everything")
    if not fastest.keeps(question.target_p95_ms):
        return Search([fastest], None, fastest)
    cost = cpu_seconds_of(fastest.outcome, fastest.design)
    found = tried([size_design(vcpus, cost, question) for vcpus in VCPUS], "Sizes of tasks")
    while _find_cheapest(found, question) is None and found[-1].design.minimum < MAX_TASKS:
        more = [_double_tasks(one.design) for one in found[-len(VCPUS) :]]
        found += tried(more, f"{more[0].minimum} tasks always")
    around = _neighbouring_designs(
        _find_cheapest(found, question) or min(found, key=lambda one: one.p95_ms)
    )
    found += tried(around, "Caches and Origin Shield")
    best = _find_cheapest(found, question)
    if best and best.outcome.peak_tasks > best.design.minimum:
        shares = [share for share in SPOT_SHARES if share != best.design.spot_share_percent]
        found += tried([replace(best.design, spot_share_percent=one) for one in shares], "Spot")
        best = _find_cheapest(found, question)
    return Search(found, best, fastest)


def _double_tasks(design: Design) -> Design:
    """Return the design with twice the tasks that always run: the autoscaler sees CPU alone."""
    minimum = 2 * design.minimum
    return replace(design, minimum=minimum, maximum=max(minimum + 1, design.maximum))


def peak_visits_per_second(question: Question) -> float:
    """Return the visits a second in the busiest minute."""
    return question.visits_per_day * max(day_curve(question.peak_factor)) / 60


def size_design(vcpus: float, visit_cpu_seconds: float, question: Question) -> Design:
    """Tasks of this size, at most as many as bear the busiest minute with `HEADROOM`."""
    one = design_of(vcpus, CACHES[0], minimum=1, maximum=1_000_000)
    needed = tasks_needed(peak_visits_per_second(question) * visit_cpu_seconds, one)
    fewest = question.fewest_tasks
    most = max(fewest + 1, math.ceil(HEADROOM * max(needed, fewest)))
    return replace(one, minimum=fewest, maximum=most)


def design_of(vcpus: float, cache_gibibytes: float, *, minimum: int, maximum: int) -> Design:
    """Return our design, changed in these: memory and large renders follow the vCPUs."""
    return Design(
        vcpus=vcpus,
        memory_gibibytes=GIBIBYTES_PER_VCPU * vcpus,
        cache_gibibytes=cache_gibibytes,
        minimum=minimum,
        maximum=maximum,
        large_renders=max(1, int(vcpus) // 2),
    )


def roomy_design(question: Question) -> Design:
    """Never short of anything, at any price."""
    cpus = peak_visits_per_second(question) * _GUESSED_VISIT_CPU_SECONDS
    tasks = max(4, question.fewest_tasks, math.ceil(cpus / (_ROOMY_VCPUS * 0.3)))
    design = design_of(_ROOMY_VCPUS, _ROOMY_CACHE, minimum=tasks, maximum=tasks)
    return replace(design, origin_shield=True, large_renders=_ROOMY_VCPUS)


def _neighbouring_designs(best: Candidate) -> list[Design]:
    caches = [replace(best.design, cache_gibibytes=cache) for cache in CACHES[1:]]
    return [*caches, replace(best.design, origin_shield=True)]


def _find_cheapest(found: Sequence[Candidate], question: Question) -> Candidate | None:
    keeping = [one for one in found if one.keeps(question.target_p95_ms)]
    return min(keeping, key=lambda one: one.usd, default=None)


def _price_design(
    design: Design, outcome: DayOutcome, question: Question, collection: CollectionSize
) -> Candidate:
    usage = usage_of(outcome, design, question)
    return Candidate(design, outcome, month_of(design, usage, collection, question))
