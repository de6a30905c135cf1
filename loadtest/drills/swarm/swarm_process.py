"""The swarm as a process of its own: `python -m loadtest.drills.swarm.swarm_process ORDERS`.

An open loop: requests leave at their times whatever became of those before, as ten thousand
strangers' do. It prints what became of them as one JSON object.
"""

import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import uvloop

from loadtest.client.http_client import HttpClient
from loadtest.client.response_reader import HttpResponse
from loadtest.drills.swarm.swarm_images import name_images
from loadtest.drills.swarm.swarm_requests import SwarmRequest, swarm_requests
from loadtest.figures.order_statistics import percentile
from loadtest.workload.target import Target

MAX_CONNECTIONS = 1_500
"""Connections, of the 4,096 that nginx takes, two for each request that it passes on. A swarm
behind an edge shares the edge's connections; a request that finds none is counted as not sent."""
_LAST_ANSWERS_SECONDS = 3.0


@dataclass(frozen=True, kw_only=True)
class SwarmOrders:
    """What to send, JSON-ready."""

    url: str
    scratch: str
    addresses: int
    seconds: float
    per_second: float = 0.0
    """Requests that begin in a second."""
    clients: int = 0
    """Instead: clients that each send one request after the other, to find what is possible."""
    seed: int = 1


@dataclass
class _SentCounts:
    statuses: Counter[str] = field(default_factory=Counter)
    """Answers by kind and status, as in `cold 503`; 0: no answer."""
    seconds: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    """Seconds by which requests left after their times."""
    bytes: int = 0
    unsent: int = 0
    open_at_the_end: int = 0


def _accept_answer(target: Target, response: HttpResponse) -> str:
    return ""


class _Swarm:
    def __init__(self, orders: SwarmOrders, requests: Iterator[SwarmRequest]) -> None:
        self._orders = orders
        self._requests = requests
        self._free: list[HttpClient] = []
        self._clients: list[HttpClient] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self.sent = _SentCounts()

    async def run(self) -> None:
        if self._orders.clients:
            await asyncio.gather(*(self._send_in_turn() for _ in range(self._orders.clients)))
        else:
            await self._send_on_time()
        for client in self._clients:
            client.close()

    async def _send_in_turn(self) -> None:
        end = time.monotonic() + self._orders.seconds
        while time.monotonic() < end:
            await self._send_request(next(self._requests))

    async def _send_on_time(self) -> None:
        began = time.monotonic()
        for number in range(int(self._orders.seconds * self._orders.per_second)):
            due = began + number / self._orders.per_second
            if (left := due - time.monotonic()) > 0:
                await asyncio.sleep(left)
            self.sent.late.append(time.monotonic() - due)
            request = next(self._requests)
            if len(self._under_way) >= MAX_CONNECTIONS:
                self.sent.unsent += 1
                continue
            task = asyncio.get_running_loop().create_task(self._send_request(request))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=_LAST_ANSWERS_SECONDS)
        tasks = list(self._under_way)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        # One that was answered in the last moment is counted already, and under way no more.
        self.sent.open_at_the_end = sum(isinstance(e, asyncio.CancelledError) for e in ended)

    async def _send_request(self, request: SwarmRequest) -> None:
        client = self._free.pop() if self._free else self._new_client()
        answer = await client.request(request.target, f"X-Viewer-Address: {request.viewer}\r\n")
        self._free.append(client)
        self.sent.statuses[f"{request.target.kind} {answer.status}"] += 1
        self.sent.seconds.append(answer.seconds)
        self.sent.bytes += answer.bytes

    def _new_client(self) -> HttpClient:
        self._clients.append(HttpClient(self._orders.url, check=_accept_answer))
        return self._clients[-1]


def send_swarm(orders: SwarmOrders) -> dict[str, Any]:
    """Send the swarm's requests, and return what became of them."""
    images = name_images(Path(orders.scratch))
    swarm = _Swarm(orders, swarm_requests(images, orders.addresses, orders.seed))
    before, start = os.times(), time.perf_counter()
    uvloop.run(swarm.run())
    after, seconds = os.times(), time.perf_counter() - start
    sent = swarm.sent
    return {
        "orders": asdict(orders),
        "seconds": round(seconds, 1),
        "answers": dict(sorted(sent.statuses.items())),
        "unsent": sent.unsent,
        "open_at_the_end": sent.open_at_the_end,
        "bytes": sent.bytes,
        "p50_ms": round(1000 * percentile(sent.seconds or [0.0], 50), 1),
        "p99_ms": round(1000 * percentile(sent.seconds or [0.0], 99), 1),
        "late_p99_ms": round(1000 * percentile(sent.late or [0.0], 99), 1),
        "cores": round((after.user + after.system - before.user - before.system) / seconds, 3),
    }


def main() -> None:
    """Read the orders, send, and print."""
    print(json.dumps(send_swarm(SwarmOrders(**json.loads(sys.argv[1])))))


if __name__ == "__main__":
    main()
