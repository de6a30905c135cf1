"""The only Locust user: sends the generator's requests at the generator's times."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, ClassVar

from gevent.pool import Pool
from locust import User, task
from locust.exception import StopUser

from loadtest.locust.http_connection import UserConnections
from loadtest.locust.locust_run import LocustRun
from loadtest.workload.answers import Answer
from loadtest.workload.request import UserRequest
from loadtest.workload.target import Target


class LoadVisitor(User):
    """User number n of the workload."""

    joined: ClassVar[LocustRun]
    """The run that all users of this process belong to."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._think_seconds = 0.0
        self._steps: Iterator[list[UserRequest]] = iter(())
        run = self.joined
        self._connections = UserConnections(environment.host, run.sample, run.scenario.connections)
        self._pool = Pool(self.joined.scenario.connections)

    def on_start(self) -> None:
        """Take a number."""
        requests = self.joined.requests(self.joined.numbers.take())
        self._steps = (list(group) for _, group in groupby(requests, attrgetter("step")))

    def on_stop(self) -> None:
        """Hang up."""
        self._connections.close()

    def wait_time(self) -> float:
        """Seconds before the next step."""
        return self._think_seconds

    @task
    def step(self) -> None:
        """Send one request, or several at once."""
        requests = next(self._steps, None)
        if requests is None:
            self.joined.numbers.end()
            raise StopUser
        if len(requests) == 1:
            self._request_target(requests[0].target)
        else:
            for request in requests:
                self._pool.spawn(self._request_target, request.target)
            self._pool.join()
        self._think_seconds = requests[-1].think_seconds

    def _request_target(self, target: Target) -> None:
        stage = self.joined.stage
        self._count_answer(stage, self._connections.request(target))

    def _count_answer(self, stage: str, answer: Answer) -> None:
        self.environment.events.request.fire(
            request_type=stage,
            name=answer.target.kind,
            response_time=answer.seconds * 1000,
            response_length=answer.bytes,
            exception=self.joined.failure(answer),
            context={},
            response=None,
        )
