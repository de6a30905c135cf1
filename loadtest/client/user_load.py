"""Users who send a server what a workload says, each as soon as the last answer has come.

The generator is one uvloop process, not Locust: it costs less than half the CPU per request
(0.06 ms against 0.13), so that it does not become the limit; its requests
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

from loadtest.client.http_client import Check, HttpClient, check_quickly
from loadtest.figures.generator_limit import is_generator_limited
from loadtest.workload.answers import Answer
from loadtest.workload.decode import AnswerSampler
from loadtest.workload.request import UserRequest, Workload
from loadtest.workload.target import Target

Progress = Callable[[int, int], None]
"""Called with the number of answers so far, and how many of them were wrong."""
_LOOK_SECONDS = 0.25


@dataclass
class Load:
    """The answers to a load, and what it took to send it."""

    answers: list[Answer] = field(default_factory=list)
    """In the order they came."""
    seconds: float = 0.0
    """From the first request to the last answer."""
    generator: float = 0.0
    """Cores that this process used."""
    decoded: int = 0
    """Number of answers that were decoded to their last pixel."""
    complete: bool = True
    """False if it was interrupted before its end."""

    @property
    def client_bound(self) -> bool:
        """True if the generator was the limit, so that the figures prove nothing."""
        return is_generator_limited(self.generator)


def send_as_users(
    url: str,
    workload: Workload,
    users: int,
    *,
    seconds: float = 0.0,
    progress: Progress | None = None,
) -> Load:
    """Let `users` users send the workload's requests.

    After `seconds` no request begins, but all answers are awaited; 0: until the workload's end.
    Ctrl-C ends it: the answers so far are kept, and `complete` is False.
    """
    streams = [workload.requests(user, users) for user in range(users)]
    sample = AnswerSampler()
    load = _send_streams(
        [HttpClient(url, sample=sample) for _ in streams], streams, seconds, progress
    )
    load.decoded = sample.decoded
    return load


def send_each(
    url: str,
    targets: Iterable[Target],
    clients: int,
    progress: Progress | None = None,
    *,
    seconds: float = 0.0,
) -> Load:
    """Send each of these once, without time to think; the next free client takes the next target.

    `seconds` and Ctrl-C as in `send_as_users`.
    """
    sample = AnswerSampler()
    connected = [HttpClient(url, sample=sample) for _ in range(clients)]
    load = _send_streams(connected, [_without_pauses(targets)] * clients, seconds, progress)
    load.decoded = sample.decoded
    return load


def send_checked(
    url: str,
    targets: Iterable[Target],
    clients: int,
    check: Check = check_quickly,
    *,
    seconds: float = 0.0,
    hosts: Iterator[str] | None = None,
) -> Load:
    """Send each of these once; `check` looks at every answer, and no further sample is decoded.

    `seconds` as in `send_as_users`, `hosts` as in `HttpClient`. Raises KeyboardInterrupt, and what
    `check` raises.
    """
    connected = [HttpClient(url, check=check, hosts=hosts) for _ in range(clients)]
    load = _send_streams(connected, [_without_pauses(targets)] * clients, seconds, None)
    if not load.complete:
        raise KeyboardInterrupt
    return load


def workload_fingerprint(workload: Workload, users: int, requests: int = 1_000) -> str:
    """Return the SHA-256 of the users' first requests: kind, address below the image's base URI,
    and time to think. Equal for servers that get the same requests, whatever their addresses."""
    digest = hashlib.sha256()
    for user in range(users):
        for request in islice(workload.requests(user, users), -(-requests // users)):
            image = request.target.image
            path = request.path.removeprefix(image.base) if image else request.path
            line = f"{user} {request.kind} {path} {request.think_seconds:.6f}\n"
            digest.update(line.encode())
    return digest.hexdigest()


def _without_pauses(targets: Iterable[Target]) -> Iterator[UserRequest]:
    return (UserRequest(target, 0.0, 0, step) for step, target in enumerate(targets))


def _send_streams(
    clients: list[HttpClient],
    streams: list[Iterator[UserRequest]],
    seconds: float,
    progress: Progress | None,
) -> Load:
    load = Load()
    before, start = os.times(), time.perf_counter()
    try:
        uvloop.run(_run_users(clients, streams, seconds, load, progress))
    except KeyboardInterrupt:
        load.complete = False
    after, load.seconds = os.times(), time.perf_counter() - start
    used = after.user + after.system - before.user - before.system
    load.generator = used / load.seconds
    return load


async def _run_users(
    clients: list[HttpClient],
    streams: list[Iterator[UserRequest]],
    seconds: float,
    load: Load,
    progress: Progress | None,
) -> None:
    deadline = time.perf_counter() + seconds if seconds else float("inf")
    watch = asyncio.create_task(_report_progress(load, progress)) if progress else None
    users = [
        _run_user(client, requests, deadline, load)
        for client, requests in zip(clients, streams, strict=True)
    ]
    try:
        await asyncio.gather(*users)
    finally:
        if watch:
            watch.cancel()
        for client in clients:
            client.close()


async def _run_user(
    client: HttpClient, requests: Iterator[UserRequest], deadline: float, load: Load
) -> None:
    for request in requests:
        if time.perf_counter() >= deadline:
            return
        load.answers.append(await client.request(request.target))
        if request.think_seconds:
            left = deadline - time.perf_counter()
            await asyncio.sleep(max(0.0, min(request.think_seconds, left)))


async def _report_progress(load: Load, progress: Progress) -> None:
    faults = counted = 0
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        faults += sum(1 for answer in load.answers[counted:] if answer.fault)
        counted = len(load.answers)
        progress(counted, faults)
