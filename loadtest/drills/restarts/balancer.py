"""What a load balancer is to its clients: each request goes to one of the registered targets."""

import random
import time
from collections.abc import Callable
from hashlib import sha256

from loadtest.client.http_client import HttpClient, check_quickly
from loadtest.client.response_reader import HttpResponse
from loadtest.drills.restarts.drilled_task import DrilledTask
from loadtest.workload.answers import Answer
from loadtest.workload.target import Target

LAG_SECONDS = 2.0
"""Seconds for which a deregistered target still gets requests: many machines have to hear of it."""


class ExpectedBytes:
    """The first answer to each address is right; any other to it is wrong."""

    def __init__(self) -> None:
        self._digests: dict[str, bytes] = {}
        self.wrong = 0

    def check(self, target: Target, response: HttpResponse) -> str:
        """Return what is wrong with an answer; "" if nothing is."""
        if fault := check_quickly(target, response):
            return fault
        digest = sha256(response.body).digest()
        if self._digests.setdefault(target.path, digest) == digest:
            return ""
        self.wrong += 1
        return "other bytes than in the first answer"


class Balancer:
    """The registered targets. It retries nothing, as a load balancer does not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[DrilledTask, float] = {}

    def register(self, task: DrilledTask) -> None:
        """Send requests to a task from now on."""
        self._until[task] = float("inf")

    def deregister(self, task: DrilledTask) -> None:
        """Send it none any more, a little later."""
        self._until[task] = self._clock() + LAG_SECONDS

    def targets(self) -> list[DrilledTask]:
        """Return where requests may go now."""
        now = self._clock()
        return [task for task, until in self._until.items() if now < until]


class BalancedClient:
    """One of the clients: a kept connection to each target."""

    def __init__(self, balancer: Balancer, expected: ExpectedBytes, seed: int) -> None:
        self._balancer = balancer
        self._expected = expected
        self._chance = random.Random(seed)
        self._clients: dict[DrilledTask, HttpClient] = {}

    async def request(self, target: Target) -> Answer:
        """Send a request to any target. Network errors are faults of the answer."""
        targets = self._balancer.targets()
        for task in [task for task in self._clients if task not in targets]:
            self._clients.pop(task).close()
        chosen = self._chance.choice(targets)
        if chosen not in self._clients:
            self._clients[chosen] = HttpClient(chosen.url, check=self._expected.check)
        return await self._clients[chosen].request(target)

    def close(self) -> None:
        """Hang up."""
        for client in self._clients.values():
            client.close()
