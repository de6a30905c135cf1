"""The stretch of a day that is simulated: its busiest hour, or as much of it as time allows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from capacity.model.cost_profile import Profile
from capacity.model.day_outcome import Outcome
from capacity.model.design import Design, Traffic
from capacity.model.simulate_day import simulate
from capacity.plan.question import Question
from capacity.replications import run_all

MOST_VISITS = 400
"""That are simulated in one run, in the mean; each asks for some 110 things."""
FEWEST_VISITS = 60
"""Where fewer come in an hour, more of the day is simulated."""
SHORTEST_HOURS = 2 / 60
"""A visit lasts about a minute: as many as come in that time must be under way at once."""
WARM_VISITS = 2_000
"""That fill the caches before; a real edge has seen more, and answers more by itself."""

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
        warm_visits: int = WARM_VISITS,
        shortest_hours: float | None = None,
    ) -> "Stretch":
        """Return the stretch to simulate: an hour; less where that is too many visits, but at
        least `shortest_hours` (None: `SHORTEST_HOURS`); more where it is too few."""
        an_hour = question.visits_per_day * question.peak_factor / 24
        hours = max(
            shortest_hours or SHORTEST_HOURS,
            min(1.0, MOST_VISITS / an_hour),
            FEWEST_VISITS / an_hour,
        )
        hours = min(24.0, hours)
        return cls(question.traffic(hours=hours, warm_visits=warm_visits))

    def jobs(self, design: Design, seeds: Sequence[int]) -> list[Job]:
        """Return a job for each seed: whatever the design, a seed's visits are the same."""
        return [(design, replace(self.traffic, seed=seed), seed) for seed in seeds]


def simulate_all(
    jobs: Sequence[Job], profile: Profile, label: str, workers: int | None
) -> list[Outcome]:
    """Return the outcome of each job, in their order."""
    tasks = [(simulate, (design, traffic, profile, seed)) for design, traffic, seed in jobs]
    outcomes, _ = run_all(tasks, label, workers)
    return outcomes
