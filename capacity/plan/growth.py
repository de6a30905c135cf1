"""What breaks first when traffic grows: the chosen design, its maximum kept, at ten and a hundred
times the visits; and the quotas that are met on the way.

Each station's multiple is estimated from what a visit asks of it today: an upper bound of its load,
since the edge answers more of more visits. Where a minute or more has few enough visits to be
simulated, it is, and says which station it was.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design
from capacity.plan.busy_stretch import Job, Stretch
from capacity.plan.design_search import MAX_FAILURES, Candidate, peak_visits_per_second
from capacity.plan.monthly_usage import cpu_seconds_of, tasks_needed
from capacity.plan.question import Question
from capacity.plan.quotas import QUOTAS, Quota, ServiceLoad, load_of

FACTORS = (10, 100)
MAX_VISITS = 3_000
MIN_HOURS = 1 / 60
SATURATED = 0.95
"""Share of a station's capacity beyond which queues grow as long as the visits come."""
CPU = "CPU of the image tasks"
LINE = "the image tasks' line to the object store"
_MAX_FACTOR = 10_000.0
_STEP = 1.01


@dataclass(frozen=True)
class Station:
    """A part of the service, and how many times today's visits saturate it."""

    name: str
    factor: float
    because: str


@dataclass(frozen=True)
class Growth:
    """The design at `factor` times the visits; without an outcome it was only estimated."""

    factor: int
    outcome: DayOutcome | None
    load: ServiceLoad
    met: Sequence[Quota]
    breaks: str
    """Part that gives way first, in words; empty: none does."""


def grown_jobs(design: Design, question: Question, warm_days: float, seed: int) -> dict[int, Job]:
    """Return the jobs that can be simulated, by factor."""
    jobs = {}
    for factor in FACTORS:
        if factor * peak_visits_per_second(question) * MIN_HOURS * 3600 > MAX_VISITS:
            continue
        grown = replace(question, visits_per_day=question.visits_per_day * factor)
        stretch = Stretch.of(grown, warm_days, MIN_HOURS)
        expected = peak_visits_per_second(grown) * stretch.traffic.hours * 3600
        if expected <= MAX_VISITS:
            (jobs[factor],) = stretch.jobs(design, [seed])
    return jobs


def growth_of(
    best: Candidate, question: Question, profile: CostProfile, outcomes: Mapping[int, DayOutcome]
) -> list[Growth]:
    """Return each factor, simulated where it can be and estimated elsewhere."""
    return [_make_growth(best, question, profile, outcomes.get(one), one) for one in FACTORS]


def stations_of(best: Candidate, question: Question, profile: CostProfile) -> list[Station]:
    """Return the stations that can be estimated, the weakest first."""
    design, outcome = best.design, best.outcome
    rate = peak_visits_per_second(question)
    cpus = rate * cpu_seconds_of(outcome, design)
    line = rate * outcome.store_bytes / outcome.visits
    of_task = profile.task_megabytes * 1e6
    whole = design.maximum * design.vcpus
    factor = _first_factor(
        lambda times: times * line / (tasks_needed(times * cpus, design) * of_task)
    )
    tasks = tasks_needed(factor * cpus, design)
    found = [
        Station(
            CPU,
            SATURATED * whole / cpus,
            f"{cpus:.2g} vCPUs are busy in the busiest minute, of {whole:g} at most",
        ),
        Station(
            LINE,
            factor,
            f"{line / 1e6:.2g} MB/s in the busiest minute; {tasks} tasks would run, at "
            f"{profile.task_megabytes:g} MB/s each: the autoscaler sees their CPU alone",
        ),
    ]
    return sorted(found, key=lambda one: one.factor)


def _first_factor(load: Callable[[float], float]) -> float:
    factor = 1.0
    while load(factor) < SATURATED and factor < _MAX_FACTOR:
        factor *= _STEP
    return factor


def _make_growth(
    best: Candidate,
    question: Question,
    profile: CostProfile,
    outcome: DayOutcome | None,
    factor: int,
) -> Growth:
    design = best.design
    load = load_of(outcome or best.outcome, design, factor * peak_visits_per_second(question))
    met = [quota for quota in QUOTAS if quota.load(load) > quota.limit]
    if outcome:
        breaks = what_breaks(outcome, design, profile, question.target_p95_ms)
    else:
        weakest = stations_of(best, question, profile)[0]
        breaks = f"{weakest.name} (estimated: too many visits to simulate)"
        breaks = breaks if weakest.factor < factor else ""
    return Growth(factor, outcome, load, met, breaks)


def what_breaks(
    outcome: DayOutcome, design: Design, profile: CostProfile, target_p95_ms: float
) -> str:
    """Return the station that gives way; empty when the target is kept."""
    failed = outcome.failures / outcome.requests if outcome.requests else 0.0
    slow = outcome.times.p95 * 1000 > target_p95_ms
    if not slow and failed <= MAX_FAILURES:
        return ""
    parts = [f"{100 * failed:.1f} % of all requests are answered 503"] if failed else []
    parts += [f"p95 is {outcome.times.p95 * 1000:,.0f} ms"] if slow else []
    felt = ", ".join(parts)
    if outcome.peak_cpu_percent >= 100 * SATURATED:
        if outcome.peak_tasks < design.maximum:
            return f"the autoscaler: {outcome.peak_tasks} tasks are busy, more start later; {felt}"
        return f"{CPU}: all {design.maximum} are busy; {felt}"
    if line_load(outcome, profile) >= SATURATED:
        return f"{LINE}, which the autoscaler does not see; {felt}"
    slowest = max(outcome.by_class, key=lambda name: outcome.by_class[name].p95)
    return f"waiting within the tasks, first of {slowest} requests; {felt}"


def line_load(outcome: DayOutcome, profile: CostProfile) -> float:
    """Share of what the tasks' lines to the object store can carry."""
    of_one = profile.task_megabytes * 1e6 * outcome.seconds
    return outcome.store_bytes / (of_one * outcome.peak_tasks)
