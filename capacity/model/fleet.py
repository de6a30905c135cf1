"""The tasks behind the load balancer, and the autoscaler that starts and stops them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.engine.streams import draw_exponential
from capacity.model.cost_profile import CostProfile
from capacity.model.design import Design
from capacity.model.image_task import SimulatedTask

_HOUR = 3600


@dataclass(slots=True, eq=False)
class _PaidTask:
    """A task that is paid for."""

    task: SimulatedTask
    spot: bool
    started: int
    stopped: int | None = None
    serving_since: int | None = None
    seen_ns: float = 0.0
    """Busy time of its cores, when the metric was last taken."""


class TaskFleet:
    """Tasks that start, serve, drain and stop. `made` makes one."""

    def __init__(
        self,
        clock: Clock,
        design: Design,
        profile: CostProfile,
        made: Callable[[], SimulatedTask],
        lifetimes: Random,
    ) -> None:
        self._clock, self._design, self._profile = clock, design, profile
        self._made, self._lifetimes = made, lifetimes
        self._all: list[_PaidTask] = []
        self._serving: list[_PaidTask] = []
        self._wanted = 0
        self._turn = 0
        self._counted = 0
        self.serving_ns = self.spot_serving_ns = 0
        """Task-nanoseconds of serving until the last `count`."""
        self.spot_interruptions = self.peak_tasks = 0
        self._ended = False

    def begin(self, tasks: Sequence[SimulatedTask]) -> None:
        """These serve from now on, the minimum of them on demand."""
        for task in tasks:
            place = _PaidTask(task, self._spot_is_next(), self._clock.now)
            self._all.append(place)
            self._begin_serving(place)
        self._wanted = len(tasks)

    def choose(self) -> SimulatedTask:
        """Return the task with the fewest requests outstanding; equals take turns."""
        serving = self._serving
        count = len(serving)
        self._turn = (self._turn + 1) % count
        best, least = serving[self._turn].task, serving[self._turn].task.outstanding
        if least:
            for place in serving:
                if place.task.outstanding < least:
                    best, least = place.task, place.task.outstanding
        return best

    @property
    def desired(self) -> int:
        """Tasks that serve or start."""
        return self._wanted

    def resize(self, tasks: int) -> None:
        """Start or drain tasks until this number of them runs."""
        while self._wanted < tasks:
            self._wanted += 1
            self._start_task()
        while self._wanted > tasks and len(self._serving) > 1:
            self._wanted -= 1
            self._drain_task(
                self._newest_task(spot=self._count_spots() > self._spot_share(self._wanted))
            )

    def metric(self, period: int) -> float:
        """Percent of CPU since it was asked for last, `period` nanoseconds ago."""
        now, used, served = self._clock.now, 0.0, 0.0
        for place in self._serving:
            spent = place.task.cores.spent_ns
            used += spent - place.seen_ns
            place.seen_ns = spent
            assert place.serving_since is not None
            served += min(period, now - place.serving_since)
        return 100 * used / (served * self._design.vcpus) if served else 0.0

    def end(self) -> None:
        """Let what serves now serve until the last answer: no task is taken back any more."""
        self._ended = True

    def count(self) -> None:
        """Bring `serving_ns` and `spot_serving_ns` up to now."""
        elapsed = self._clock.now - self._counted
        self._counted = self._clock.now
        self.serving_ns += elapsed * len(self._serving)
        self.spot_serving_ns += elapsed * sum(place.spot for place in self._serving)

    def spent_ns(self) -> float:
        """Nanoseconds of cores that all tasks have used."""
        return sum(place.task.cores.spent_ns for place in self._all)

    def paid_seconds(self, *, spot: bool, end: int) -> float:
        """Task-seconds from start to stop, until `end` (nanoseconds)."""
        return (
            sum(
                max(0, min(end, end if place.stopped is None else place.stopped) - place.started)
                for place in self._all
                if place.spot == spot
            )
            / SECOND
        )

    def identifier_reads(self) -> int:
        """Return the reads of all tasks."""
        return sum(place.task.identifier_reads for place in self._all)

    def _start_task(self) -> None:
        place = _PaidTask(self._made(), self._spot_is_next(), self._clock.now)
        self._all.append(place)
        delay = to_nanoseconds(self._profile.task_start_seconds)
        self._clock.after(delay, self._serve_unless_stopped, place)

    def _serve_unless_stopped(self, place: _PaidTask) -> None:
        if place.stopped is None:
            self._begin_serving(place)

    def _begin_serving(self, place: _PaidTask) -> None:
        self.count()
        place.serving_since = self._clock.now
        self._serving.append(place)
        self.peak_tasks = max(self.peak_tasks, len(self._serving))
        if place.spot:
            hours = draw_exponential(self._lifetimes, self._profile.spot_lifetime_hours)
            delay = to_nanoseconds(hours * _HOUR)
            self._clock.after(delay, self._interrupt_spot, place)

    def _interrupt_spot(self, place: _PaidTask) -> None:
        """AWS takes a Spot task back: the service starts another at once."""
        if place.stopped is None and len(self._serving) > 1 and not self._ended:
            self.spot_interruptions += 1
            self._drain_task(place)
            self._start_task()

    def _drain_task(self, place: _PaidTask) -> None:
        self.count()
        if place in self._serving:
            self._serving.remove(place)
        place.stopped = self._clock.now + to_nanoseconds(self._profile.drain_seconds)

    def _newest_task(self, *, spot: bool) -> _PaidTask:
        """Return the task that was started last, of this kind if there is one."""
        alike = [place for place in self._serving if place.spot == spot] or self._serving
        return alike[-1]

    def _count_spots(self) -> int:
        return sum(place.spot for place in self._all if place.stopped is None)

    def _spot_share(self, tasks: int) -> int:
        """Return how many of `tasks` are to run on Spot."""
        beyond = max(0, tasks - self._design.minimum)
        return (beyond * self._design.spot_share_percent + 50) // 100

    def _spot_is_next(self) -> bool:
        kept = sum(place.stopped is None for place in self._all)
        return self._count_spots() < self._spot_share(kept + 1)
