"""The autoscaler: target tracking of CPU, as ECS has it."""

from collections import deque
from collections.abc import Generator
from math import ceil
from typing import Any

from capacity.engine.clock import Clock, to_nanoseconds
from capacity.model.cost_profile import CostProfile
from capacity.model.design import Design
from capacity.model.fleet import TaskFleet


class Autoscaler:
    """Target tracking: an alarm on each side of the target, and a pause after each change.

    The number that it wants is the present one times metric over target, rounded up. AWS does not
    publish all of it; `default_profile.toml` says which of its numbers are assumed.
    """

    def __init__(
        self, clock: Clock, design: Design, profile: CostProfile, fleet: TaskFleet
    ) -> None:
        self._clock, self._design, self._profile, self._fleet = clock, design, profile, fleet
        self._out, self._in = int(profile.scale_out_periods), int(profile.scale_in_periods)
        self._seen: deque[float] = deque(maxlen=max(self._out, self._in))
        self._out_again = self._in_again = 0

    def run(self, end: int) -> Generator[Any, Any, None]:
        """Take the metric until `end`, in nanoseconds."""
        period = to_nanoseconds(self._profile.metric_seconds)
        delay = to_nanoseconds(self._profile.metric_delay_seconds)
        while self._clock.now + period <= end:
            yield self._clock.timeout(period)
            self._clock.after(delay, self._compare_metric, self._fleet.metric(period))

    def _compare_metric(self, metric: float) -> None:
        self._seen.append(metric)
        now, target = self._clock.now, self._design.target_cpu_percent
        latest = list(self._seen)[-self._out :]
        if len(latest) == self._out and min(latest) > target and now >= self._out_again:
            self._resize_fleet(
                latest[-1], to_nanoseconds(self._profile.scale_out_seconds), out=True
            )
            return
        low = target * self._profile.scale_in_share
        latest = list(self._seen)[-self._in :]
        if len(latest) == self._in and max(latest) < low and now >= self._in_again:
            self._resize_fleet(
                max(latest), to_nanoseconds(self._profile.scale_in_seconds), out=False
            )

    def _resize_fleet(self, metric: float, pause: int, *, out: bool) -> None:
        fleet, design = self._fleet, self._design
        target = ceil(fleet.desired * metric / design.target_cpu_percent)
        target = min(max(target, design.minimum), design.maximum)
        if (target > fleet.desired) if out else (target < fleet.desired):
            fleet.resize(target)
            if out:
                self._out_again = self._clock.now + pause
            # Nothing is taken away soon after something was changed.
            self._in_again = self._clock.now + to_nanoseconds(self._profile.scale_in_seconds)
