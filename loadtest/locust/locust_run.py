"""One run: its scenario, its stage, how busy its generators are; used by users and shape."""

import sys
import time
from collections.abc import Iterator
from typing import Any

from locust.env import Environment
from locust.exception import LocustError
from locust.runners import MasterRunner, WorkerRunner

from loadtest.locust.generator_load import DecodedCount, GeneratorLoad
from loadtest.locust.http_connection import UserConnections
from loadtest.locust.user_numbers import Numbers
from loadtest.workload.answers import Answer
from loadtest.workload.decode import AnswerSampler
from loadtest.workload.request import UserRequest, Workload
from loadtest.workload.scenario import Scenario

RAMP = "ramp"
"""The type of requests that were sent while users were still being added."""
_STAGE = "vitrine-stage"
_MAX_FAILURES = 1_000
_UNUSABLE = 2


class FaultyAnswer(LocustError):
    """A wrong answer: its fault and its address."""

    def __repr__(self) -> str:
        """Return the text that Locust's tables show."""
        return str(self)


class LocustRun:
    """The run that users and shape belong to."""

    def __init__(self, environment: Environment, scenario: Scenario, workload: Workload) -> None:
        self.scenario = scenario
        self.workload = workload
        self.environment = environment
        self.runner = environment.runner
        self.numbers = Numbers(self.runner)
        self.stage = RAMP
        self.stages: dict[str, float] = {}
        """Length of each stage in seconds, by its name."""
        self.began = time.perf_counter()
        self.started = time.time()
        """Start of the last stage, by the clock of Locust's figures."""
        self.complete = False
        """True if it came to its end, and was not interrupted."""
        self.load = GeneratorLoad()
        self.sample = AnswerSampler()
        self.decoded = DecodedCount(self.sample)
        self._failures: set[str] = set()
        if isinstance(self.runner, WorkerRunner):
            self.runner.register_message(_STAGE, self._enter_stage_of_master)

    def requests(self, number: int) -> Iterator[UserRequest]:
        """Yield the requests of this user."""
        return self.workload.requests(number, self.scenario.most_users)

    @property
    def elapsed(self) -> float:
        """Seconds since the stage began."""
        return time.perf_counter() - self.began

    def enter(self, stage: str) -> None:
        """Count requests that are sent from now on under `stage`, on all workers."""
        now = time.perf_counter()
        if self.stage != RAMP:
            self.stages[self.stage] = self.elapsed
        if stage != RAMP:
            self.started = time.time()
        self.stage, self.began = stage, now
        if isinstance(self.runner, MasterRunner):
            self.runner.send_message(_STAGE, {"stage": stage})

    def _enter_stage_of_master(self, environment: Any, msg: Any, **_: Any) -> None:
        self.stage = msg.data["stage"]

    def failure(self, answer: Answer) -> FaultyAnswer | None:
        """Return the failure of a wrong answer. After a thousand different ones failures lose their
        address."""
        if not answer.fault:
            return None
        text = f"{answer.fault} · {answer.target.path}"
        if text not in self._failures and len(self._failures) >= _MAX_FAILURES:
            return FaultyAnswer(answer.fault)
        self._failures.add(text)
        return FaultyAnswer(text)

    def warm(self) -> None:
        """Request once what is to be in a cache. Ends the process if that fails."""
        connections = UserConnections(self.environment.host or "", self.sample)
        for target in self.workload.warm:
            answer = connections.request(target)
            if answer.fault:
                end_process(f"warming failed: {target.path}: {answer.fault}")
        connections.close()


def end_process(reason: str) -> Any:
    """End the process: the load test cannot run."""
    print(f"vitrine-loadtest: {reason}", file=sys.stderr)
    sys.exit(_UNUSABLE)
