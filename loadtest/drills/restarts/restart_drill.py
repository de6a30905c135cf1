"""Two image tasks under steady load, while one thing after another is restarted.

In turn: a task is replaced as by a deployment, and interrupted as by Fargate Spot; a process of the
gateway is killed, and one of iipsrv. With an emulator, what plays S3 and DynamoDB is restarted
once, after each task has read all that is requested of it. One of the two tasks is never replaced,
so that what it holds at the end can be compared with what it held at the beginning.
"""

import asyncio
import itertools
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadtest.client.http_client import HttpClient
from loadtest.corpora.access_masters import DESCRIPTIONS, make_master
from loadtest.drills.restarts.balancer import LAG_SECONDS, BalancedClient, Balancer, ExpectedBytes
from loadtest.drills.restarts.drilled_task import Containers, DrilledTask, on_folder
from loadtest.drills.restarts.emulated_cloud import EmulatedCloud, emulated_cloud
from loadtest.figures.order_statistics import percentile
from loadtest.studies.view_mix import view_mix
from loadtest.workload.answers import Answer
from loadtest.workload.target import Target

PICTURE = "photo-24.tif"
DRAINED_SECONDS = LAG_SECONDS + 3.0
"""Seconds for which nginx goes on answering after SIGTERM here; a deployed task has
`drain_seconds`."""
DECKS = 4
LOOK_SECONDS = 1.0
EXAMPLES = 10
MAX_GROWTH = 1.15
"""Growth of the memory of a task that stays, from its second quarter to its last."""
GROWTH_FROM_SECONDS = 600.0
"""Seconds of load before growth is judged; until then, caches are being filled."""
Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class RestartOptions:
    """What to do, for how long."""

    seconds: float
    """At least; each kind of restart happens once."""
    every_seconds: float
    """Pause from one restart to the next."""
    clients: int
    think_seconds: float
    """A client's pause between two requests."""
    seed: int = 1
    emulator: bool = False
    """True: the tasks read from an emulator, which is restarted once."""


@dataclass
class _RestartDrill:
    orders: RestartOptions
    targets: list[Target]
    containers: Containers
    cloud: EmulatedCloud | None
    progress: Progress
    balancer: Balancer = field(default_factory=Balancer)
    expected: ExpectedBytes = field(default_factory=ExpectedBytes)
    answers: list[Answer] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    held: list[dict[str, Any]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    """Containers that had to be killed."""
    cpu_of_stopped: float = 0.0
    began: float = 0.0
    is_over: bool = False

    def __post_init__(self) -> None:
        self._chance = random.Random(self.orders.seed)
        self._revision = 0
        self.steady, self.other = self._new_task(), self._new_task()

    def _new_task(self) -> DrilledTask:
        """Return a task of another revision: its definition differs."""
        self._revision += 1
        return DrilledTask(
            self.containers,
            {
                "VITRINE_DRAIN_SECONDS": str(int(DRAINED_SECONDS)),
                "VITRINE_GATEWAY_PROCESSES": str(2 + self._revision % 2),
            },
        )

    async def run(self) -> None:
        for task in (self.steady, self.other):
            await asyncio.to_thread(task.start)
            self.balancer.register(task)
        self.began = time.monotonic()
        load = asyncio.gather(*(self._run_client(n) for n in range(self.orders.clients)))
        watch = asyncio.create_task(self._watch_resources())
        try:
            await self._restart_in_turn()
            self.is_over = True
            await load
        finally:
            watch.cancel()
            load.cancel()

    def stop(self) -> None:
        for task in (self.other, self.steady):
            self.late += task.stop()

    def elapsed(self) -> float:
        return time.monotonic() - self.began

    async def _run_client(self, number: int) -> None:
        client = BalancedClient(self.balancer, self.expected, self.orders.seed + number)
        targets = random.Random(number).sample(self.targets, len(self.targets))
        for target in itertools.cycle(targets):
            if self.is_over:
                break
            self.answers.append(await client.request(target))
            await asyncio.sleep(self.orders.think_seconds)
        client.close()

    async def _restart_in_turn(self) -> None:
        steps: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("task replaced", self._replace_task),
            ("gateway process killed", self._kill_gateway),
            ("task interrupted", self._interrupt_task),
            ("iipsrv process killed", self._kill_iipsrv),
        ]
        once = [("emulator restarted", self._restart_cloud)] if self.cloud else []
        for name, step in itertools.chain(steps, once, itertools.cycle(steps)):
            left = self.orders.seconds - self.elapsed()
            if left < self.orders.every_seconds and len(self.events) >= len(steps) + len(once):
                await asyncio.sleep(max(0.0, left))
                break
            await asyncio.sleep(self.orders.every_seconds)
            at = self.elapsed()
            await step()
            took = self.elapsed() - at
            self.events.append({"what": name, "at": round(at, 1), "seconds": round(took, 1)})
            failed = sum(bool(answer.fault) for answer in self.answers)
            self.progress(
                f"{at:6.0f} s: {name}, {took:.1f} s; "
                f"{len(self.answers):,} requests, {failed} failed so far"
            )

    async def _replace_task(self) -> None:
        """Deploy: the new task comes first, and the old one stops when it gets no requests."""
        old, self.other = self.other, self._new_task()
        await asyncio.to_thread(self.other.start)
        self.balancer.register(self.other)
        self.balancer.deregister(old)
        await asyncio.sleep(LAG_SECONDS + 1)
        await self._stop_task(old)

    async def _interrupt_task(self) -> None:
        """Stop a task as Fargate Spot does, while requests still come; another one starts later."""
        old, self.other = self.other, self._new_task()
        ending = asyncio.create_task(self._stop_task(old))
        self.balancer.deregister(old)
        await asyncio.to_thread(self.other.start)
        self.balancer.register(self.other)
        await ending

    async def _stop_task(self, task: DrilledTask) -> None:
        self.cpu_of_stopped += task.cpu_seconds()
        self.late += await asyncio.to_thread(task.stop)

    async def _kill_gateway(self) -> None:
        self.steady.kill_process("gateway", self._chance)

    async def _kill_iipsrv(self) -> None:
        self.steady.kill_process("iipsrv", self._chance)

    async def _restart_cloud(self) -> None:
        """Restart S3 and DynamoDB: what a task has not read yet, nobody could give it meanwhile."""
        assert self.cloud
        for task in self.balancer.targets():
            client = HttpClient(task.url, check=self.expected.check)
            for target in self.targets:
                self.answers.append(await client.request(target))
            client.close()
        await asyncio.to_thread(self.cloud.restart)

    async def _watch_resources(self) -> None:
        while True:
            held = await asyncio.to_thread(self.steady.held)
            self.held.append(
                {
                    "at": round(self.elapsed(), 1),
                    **{f"{name}_bytes": item.memory_bytes for name, item in held.items()},
                    **{f"{name}_descriptors": item.descriptors for name, item in held.items()},
                }
            )
            await asyncio.sleep(max(LOOK_SECONDS, self.orders.seconds / 600))


def measure_restarts(orders: RestartOptions, scratch: Path, progress: Progress) -> dict[str, Any]:
    """Run the drill and return its figures. Raises ProcessDied."""
    masters = scratch.resolve() / "restarts"
    targets = view_mix([make_master(masters, PICTURE, progress)], DECKS)
    with ExitStack() as stack:
        cloud = None
        if orders.emulator:
            cloud = stack.enter_context(emulated_cloud(scratch.resolve() / "restarts-cloud"))
            cloud.publish(masters / PICTURE)
        containers = cloud.containers if cloud else on_folder(masters)
        drill = _RestartDrill(orders, targets, containers, cloud, progress)
        stack.callback(drill.stop)
        asyncio.run(drill.run())
        cpu = drill.cpu_of_stopped + drill.steady.cpu_seconds() + drill.other.cpu_seconds()
    seconds = time.monotonic() - drill.began
    failed = [answer for answer in drill.answers if answer.fault]
    times = [answer.seconds for answer in drill.answers]
    return {
        "picture": DESCRIPTIONS[PICTURE],
        "seconds": round(seconds, 1),
        "clients": orders.clients,
        "emulator": orders.emulator,
        "seed": orders.seed,
        "requests": len(drill.answers),
        "requests_per_second": round(len(drill.answers) / seconds, 1),
        "failed": len(failed) - drill.expected.wrong,
        "wrong_bytes": drill.expected.wrong,
        "examples": [f"{one.target.path}: {one.fault}" for one in failed[:EXAMPLES]],
        "killed_at_their_stop": drill.late,
        "server_cores": round(cpu / seconds, 2),
        "p50_ms": round(1000 * percentile(times, 50), 1),
        "p99_ms": round(1000 * percentile(times, 99), 1),
        "events": drill.events,
        "growth": _measure_growth(drill.held, seconds),
        "held": drill.held,
    }


def broken_promises(figures: dict[str, Any]) -> list[str]:
    """Return a sentence for each promise that the run broke."""
    found = []
    if not figures["requests"] or not figures["events"]:
        found.append("Nothing was requested or restarted: let the drill run for longer.")
    if figures["failed"]:
        found.append(f"{figures['failed']} requests failed: {'; '.join(figures['examples'])}")
    if figures["wrong_bytes"]:
        found.append(f"{figures['wrong_bytes']} answers had other bytes than the first.")
    if figures["killed_at_their_stop"]:
        late = ", ".join(figures["killed_at_their_stop"])
        found.append(f"Containers had to be killed at their stop: {late}.")
    grown = {name: ratio for name, ratio in figures["growth"].items() if ratio > MAX_GROWTH}
    found += [f"{name} grew by {100 * (ratio - 1):.0f} %." for name, ratio in grown.items()]
    return found


def _measure_growth(held: list[dict[str, Any]], seconds: float) -> dict[str, float]:
    """Return the medians of the last quarter, as multiples of those of the second.

    Nothing for a run that is too short to say.
    """
    if seconds < GROWTH_FROM_SECONDS:
        return {}
    second = [row for row in held if 0.25 <= row["at"] / seconds < 0.5]
    last = [row for row in held if row["at"] / seconds >= 0.75]
    names = [name for name in held[0] if name != "at"]
    return {
        name: round(_median_of(last, name) / max(1.0, _median_of(second, name)), 3)
        for name in names
    }


def _median_of(rows: list[dict[str, Any]], name: str) -> float:
    return percentile([float(row[name]) for row in rows if name in row], 50)
