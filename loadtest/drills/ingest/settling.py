"""Waits until nothing moves any more, and notes how it went second by second."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from loadtest.drills.ingest.drilled_service import DrilledService
from loadtest.drills.ingest.event_courier import Courier
from loadtest.drills.ingest.lambda_killer import list_workers
from loadtest.drills.ingest.stored_state import Truth
from vitrine.errors import VitrineError

_SAMPLE_SECONDS = 1.0
_CALM_LOOKS = 2
"""Between a message's end and the execution it started nothing is seen for a moment."""
_MAX_CALM_LOOKS = 120
"""On a busy machine that moment is longer: what has no end after a minute of calm is lost."""
_LOOK_SECONDS = 0.5
_UNREACHABLE = (VitrineError, BotoCoreError, ClientError)


class ServiceWatch:
    """Samples in a thread of its own."""

    def __init__(self, service: DrilledService, truth: Truth, done: Callable[[], int]) -> None:
        self._service = service
        self._truth = truth
        self._done = done
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch_service, name="watch", daemon=True)
        self._begun = time.monotonic()
        self.samples: list[dict[str, Any]] = []
        """`seconds` since the beginning, acts done, outcomes by state, messages, executions."""

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()

    @property
    def latest(self) -> Counter[str]:
        """Outcomes by state at the last look that met a living emulator."""
        states = (sample["outcomes"] for sample in reversed(self.samples) if "outcomes" in sample)
        return Counter(next(states, {}))

    @property
    def ended(self) -> int:
        """Number of masters that had ended by then."""
        states = self.latest
        return states.total() - states["running"]

    def latest_line(self) -> str:
        """Return the latest state as a line of text."""
        return ", ".join(f"{count} {state}" for state, count in sorted(self.latest.items()))

    def mark(self, event: str) -> None:
        """Note that something was done to the service just now."""
        self.samples.append({"seconds": self._elapsed_seconds(), "event": event})

    def _elapsed_seconds(self) -> float:
        return round(time.monotonic() - self._begun, 2)

    def _watch_service(self) -> None:
        while not self._ended.wait(_SAMPLE_SECONDS):
            sample: dict[str, Any] = {"seconds": self._elapsed_seconds(), "acts": self._done()}
            try:
                outcomes = self._truth.all_outcomes().values()
                sample["outcomes"] = dict(Counter(outcome.state for outcome in outcomes))
                sample["waiting"] = {
                    name: count for name, count in self._truth.waiting().items() if count
                }
                sample["running"] = self._truth.running()
                sample["lambdas"] = len(list_workers(self._service.emulator_pid))
            except _UNREACHABLE as error:
                sample["unreachable"] = type(error).__name__
            self.samples.append(sample)


def await_settled(
    truth: Truth,
    courier: Courier | None,
    limit_seconds: float,
    all_have_ended: Callable[[], bool] = lambda: True,
) -> float:
    """Wait until no message waits and no execution runs; the seconds it took.

    `all_have_ended` is looked at then: while it says no, something may still begin to move. Raises
    TimeoutError with what still moves.
    """
    begun = time.monotonic()
    calm = 0
    while calm < _CALM_LOOKS or (calm < _MAX_CALM_LOOKS and not all_have_ended()):
        moving = _count_moving(truth, courier)
        calm = 0 if moving else calm + 1
        if moving and time.monotonic() - begun > limit_seconds:
            raise TimeoutError(f"not settled after {limit_seconds:g} s: {moving}")
        time.sleep(_LOOK_SECONDS)
    return round(time.monotonic() - begun, 1)


def _count_moving(truth: Truth, courier: Courier | None) -> dict[str, int]:
    found = truth.waiting() | {"executions": truth.running()}
    if courier is not None:
        found["events to carry"] = courier.waiting()
    return {name: count for name, count in found.items() if count}
