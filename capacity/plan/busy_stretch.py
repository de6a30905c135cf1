"""The stretch of a day that is simulated: its busiest hour, or as much of it as time allows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design, Traffic
from capacity.model.past_visits import first_visit, past_requests
from capacity.model.simulate_day import simulate_day
from capacity.plan.question import Question
from capacity.replications import run_all

MAX_VISITS = 400
"""Mean number of visits that are simulated in one run; each has some 110 requests."""
MIN_VISITS_AN_HOUR = 60
"""Visits in an hour below which more of the day is simulated."""
MIN_HOURS = 2 / 60
"""A visit lasts about a minute: as many as come in that time must be under way at once."""
WARM_VISITS = 2_000
"""The last before, that fill the tasks' disks."""
WARM_DAYS = 30.0
"""Days before, whose visits fill the edge: the lifetime of an answer there."""

Job = tuple[Design, Traffic, int]
"""A design, what it meets, and the seed of its chances."""


@dataclass(frozen=True)
class Stretch:
    """Traffic around the busiest moment of a day, after visits that warmed the caches."""

    traffic: Traffic

    @classmethod
    def of(
        cls,
        question: Question,
        warm_days: float = WARM_DAYS,
        shortest_hours: float | None = None,
    ) -> "Stretch":
        """Return the stretch to simulate: an hour; less where that is too many visits, but at
        least `shortest_hours` (None: `MIN_HOURS`); more where it is too few."""
        an_hour = question.visits_per_day * question.peak_factor / 24
        hours = max(
            shortest_hours or MIN_HOURS,
            min(1.0, MAX_VISITS / an_hour),
            MIN_VISITS_AN_HOUR / an_hour,
        )
        hours = min(24.0, hours)
        # As many visits as come in the days, where those are fewer.
        visits = int(min(WARM_VISITS, warm_days * question.visits_per_day))
        return cls(question.traffic(hours=hours, warm_days=warm_days, warm_visits=visits))

    @property
    def warm_days(self) -> float:
        """Days before whose visits fill the edge: fewer than asked for where there are too many."""
        return first_visit(self.traffic) / self.traffic.visits_per_day

    def jobs(self, design: Design, seeds: Sequence[int]) -> list[Job]:
        """Return a job for each seed: whatever the design, a seed's visits are the same."""
        return [(design, replace(self.traffic, seed=seed), seed) for seed in seeds]


def simulate_all(
    jobs: Sequence[Job], profile: CostProfile, label: str, workers: int | None
) -> list[DayOutcome]:
    """Return the outcome of each job, in their order."""
    met = Counter(traffic for _, traffic, _ in jobs)
    for traffic, times in met.items():
        # Once for all designs: the processes that simulate them inherit it.
        if times > 1:
            past_requests(traffic)
    tasks = [(simulate_day, (design, traffic, profile, seed)) for design, traffic, seed in jobs]
    outcomes, _ = run_all(tasks, label, workers)
    return outcomes
