"""Users who ask a server for what a workload says, each when its last answer is there.

The generator is one uvloop process, not Locust: it costs less than half the CPU per request
(0.06 ms: `vitrine-loadtest study generator`), so that it does not become the limit; its requests
are those that Locust's users send, since both take them from `loadtest.workload`.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import uvloop

from loadtest.client.http_client import Answer, Client
from loadtest.workload.decode import Sample
from loadtest.workload.request import Request, Workload
from loadtest.workload.target import Target

SATURATED = 0.8
"""Of a core: a generator that is busier measures itself."""
Progress = Callable[[int, int], None]
"""Answers so far, and how many of them were wrong."""
_LOOK_SECONDS = 0.25


@dataclass
class Load:
    """What came of it."""

    answers: list[Answer] = field(default_factory=list)
    """In the order they came."""
    seconds: float = 0.0
    """From the first request to the last answer."""
    generator: float = 0.0
    """What this process took of a core."""
    decoded: int = 0
    """How many of the answers were decoded to their last pixel."""
    complete: bool = True
    """Whether it came to its end, and was not interrupted."""

    @property
    def client_bound(self) -> bool:
        """Whether the generator was the limit, so that the figures prove nothing."""
        return self.generator > SATURATED


def ask_as_users(
    url: str,
    workload: Workload,
    users: int,
    *,
    seconds: float = 0.0,
    progress: Progress | None = None,
) -> Load:
    """Let so many users ask; after `seconds` nobody begins a request, but all are waited for.

    0 seconds: until the workload's end. Ctrl-C ends it: what was answered is kept, and `complete`
    is False.
    """
    streams = [workload.requests(user, users) for user in range(users)]
    return _run(url, streams, seconds, progress)


def ask_each(
    url: str,
    targets: Iterable[Target],
    clients: int,
    progress: Progress | None = None,
    *,
    seconds: float = 0.0,
) -> Load:
    """Ask once for each of these, without time to think; whoever is free takes the next.

    `seconds` as above.
    """
    requests = (Request(target, 0.0, 0, step) for step, target in enumerate(targets))
    return _run(url, [requests] * clients, seconds, progress)


def fingerprint(workload: Workload, users: int, requests: int = 1_000) -> str:
    """SHA-256 of what the users ask for at first: kind, address below the image's base URI, and
    time to think. Equal for servers that are asked for the same, whatever their addresses."""
    digest = hashlib.sha256()
    for user in range(users):
        for request in islice(workload.requests(user, users), -(-requests // users)):
            image = request.target.image
            path = request.path.removeprefix(image.base) if image else request.path
            line = f"{user} {request.kind} {path} {request.think_seconds:.6f}\n"
            digest.update(line.encode())
    return digest.hexdigest()


def _run(
    url: str, streams: list[Iterator[Request]], seconds: float, progress: Progress | None
) -> Load:
    load = Load()
    sample = Sample()
    clients = [Client(url, sample) for _ in streams]
    before, start = os.times(), time.perf_counter()
    try:
        uvloop.run(_all(clients, streams, seconds, load, progress))
    except KeyboardInterrupt:
        load.complete = False
    after, load.seconds = os.times(), time.perf_counter() - start
    used = after.user + after.system - before.user - before.system
    load.generator = used / load.seconds
    load.decoded = sample.decoded
    return load


async def _all(
    clients: list[Client],
    streams: list[Iterator[Request]],
    seconds: float,
    load: Load,
    progress: Progress | None,
) -> None:
    deadline = time.perf_counter() + seconds if seconds else float("inf")
    watch = asyncio.create_task(_watch(load, progress)) if progress else None
    try:
        async with asyncio.TaskGroup() as users:
            for client, requests in zip(clients, streams, strict=True):
                users.create_task(_user(client, requests, deadline, load))
    finally:
        if watch:
            watch.cancel()
        for client in clients:
            client.close()


async def _user(client: Client, requests: Iterator[Request], deadline: float, load: Load) -> None:
    for request in requests:
        if time.perf_counter() >= deadline:
            return
        load.answers.append(await client.ask(request.target))
        if request.think_seconds:
            left = deadline - time.perf_counter()
            await asyncio.sleep(max(0.0, min(request.think_seconds, left)))


async def _watch(load: Load, progress: Progress) -> None:
    faults = seen = 0
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        faults += sum(1 for answer in load.answers[seen:] if answer.fault)
        seen = len(load.answers)
        progress(seen, faults)
