"""What the generators themselves do, summed up over all workers: CPU, and decoded answers."""

import os
import time

from locust.env import Environment

from loadtest.workload.decode import AnswerSampler

_MIN_SECONDS = 0.5
_CPU = "vitrine-cpu-percent"
_DECODED = "vitrine-decoded"


class GeneratorLoad:
    """The CPU use of the generators."""

    def __init__(self) -> None:
        self.percent = 0.0
        """Per cent of a core: the busiest process, in its busiest time."""
        self._start = self._before = self._read_clocks()
        self._elsewhere: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """CPU seconds of all processes."""
        return self._read_clocks()[1] - self._start[1] + sum(self._elsewhere.values())

    def listen(self, environment: Environment) -> None:
        """Make workers report to their masters."""
        environment.events.report_to_master.add_listener(
            lambda client_id, data, **_: data.update({_CPU: (self.look(), self.seconds)})
        )
        environment.events.worker_report.add_listener(
            lambda client_id, data, **_: self._note_worker(client_id, *data.get(_CPU, (0.0, 0.0)))
        )

    def look(self) -> float:
        """Measure this process since the last look, and return the most so far in per cent."""
        wall, cpu = self._read_clocks()
        if wall - self._before[0] >= _MIN_SECONDS:
            self._note_percent(100 * (cpu - self._before[1]) / (wall - self._before[0]))
            self._before = wall, cpu
        return self.percent

    def _note_worker(self, worker: str, percent: float, seconds: float) -> None:
        self._note_percent(percent)
        self._elsewhere[worker] = seconds

    def _note_percent(self, percent: float) -> None:
        self.percent = max(self.percent, percent)

    @staticmethod
    def _read_clocks() -> tuple[float, float]:
        times = os.times()
        return time.perf_counter(), times.user + times.system


class DecodedCount:
    """The number of answers that were decoded to their last pixel, here and by workers."""

    def __init__(self, sample: AnswerSampler) -> None:
        self._sample = sample
        self._elsewhere: dict[str, int] = {}

    @property
    def count(self) -> int:
        """Number of decoded answers of all processes."""
        return self._sample.decoded + sum(self._elsewhere.values())

    def listen(self, environment: Environment) -> None:
        """Make workers report to their masters."""
        environment.events.report_to_master.add_listener(
            lambda client_id, data, **_: data.update({_DECODED: self._sample.decoded})
        )
        environment.events.worker_report.add_listener(
            lambda client_id, data, **_: self._elsewhere.update({client_id: data.get(_DECODED, 0)})
        )
