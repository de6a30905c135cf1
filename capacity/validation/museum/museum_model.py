"""The museum's test rig: Locust users, a server of one of two kinds, cores, a link."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any

from capacity.engine.clock import MILLISECOND, SECOND, Clock, to_nanoseconds
from capacity.engine.stations import Cores, ProcessorSharing, StationPool, TokenBucket
from capacity.engine.streams import Streams, draw_uniform, make_chooser
from capacity.validation.museum.museum_tables import DERIVATIVES, MASTERS, MIX, SECONDS, Kind

LOCUST_SHORTEST_WAIT = 0.010
"""Seconds; Locust waits evenly between this and what gives the measured mean."""

LINK_BURST = SECOND
"""Burst of the link, as time to refill: at 10 connections it is no limit."""

_choose_derivative = make_chooser(DERIVATIVES, MIX)


@dataclass(frozen=True)
class ModelledRig:
    """A server and its machine.

    `workers` queues take turns (round robin); each serves `places` requests at a time, on
    `cores` that all share. On top of the work of a kind, each request costs the cores
    `overhead_ms`. Answers pass a link of `link` bytes per second (None: it is no limit).
    A request that took `timeout` seconds counts as failed; its work is done all the same.
    """

    workers: int
    places: int
    cores: Cores
    overhead_ms: float = 0.0
    link: float | None = None
    timeout: float | None = None


@dataclass(frozen=True)
class MuseumWorkload:
    """Requests to a server: pauses in seconds, `demands` in milliseconds, `sizes` in bytes."""

    think: float
    demands: Mapping[Kind, float]
    sizes: Mapping[Kind, float]


@dataclass
class LocustTally:
    """Locust's counts over a number of seconds: response times in nanoseconds by kind, failures."""

    seconds: float
    responses: dict[Kind, list[int]] = field(default_factory=dict)
    failures: int = 0

    @property
    def answered(self) -> list[int]:
        """Response times of all kinds."""
        return [ns for times in self.responses.values() for ns in times]

    @property
    def attempts_per_second(self) -> float:
        """Successes and failures."""
        return (len(self.answered) + self.failures) / self.seconds

    @property
    def average_ms(self) -> float:
        """Mean response time of the successes."""
        return fmean(self.answered) / MILLISECOND


@dataclass(slots=True, eq=False)
class _Request:
    kind: Kind
    pool: StationPool
    answered: Any


class ModelledServer:
    """Takes requests in turns to its queues; calls back when the last byte has arrived."""

    def __init__(self, clock: Clock, rig: ModelledRig, workload: MuseumWorkload) -> None:
        self._pools = [StationPool(rig.places) for _ in range(rig.workers)]
        self._cores = ProcessorSharing(clock, rig.cores)
        self._link = TokenBucket(clock, LINK_BURST) if rig.link else None
        self._overhead = to_nanoseconds(rig.overhead_ms / 1000)
        self._demands = {kind: to_nanoseconds(ms / 1000) for kind, ms in workload.demands.items()}
        link = rig.link or 1.0
        self._transfers = {
            kind: to_nanoseconds(size / link) for kind, size in workload.sizes.items()
        }
        self._turn = 0

    def ask(self, kind: Kind, answered: Any) -> None:
        """Queue a request with the worker whose turn it is."""
        pool = self._pools[self._turn]
        self._turn = (self._turn + 1) % len(self._pools)
        self._cores.serve(self._overhead, self._enter_pool, _Request(kind, pool, answered))

    def _enter_pool(self, request: _Request) -> None:
        request.pool.enter(self._occupy_core, request)

    def _occupy_core(self, request: _Request) -> None:
        self._cores.serve(self._demands[request.kind], self._send_answer, request)

    def _send_answer(self, request: _Request) -> None:
        request.pool.leave()
        if self._link is None:
            request.answered.succeed()
        else:
            self._link.serve(self._transfers[request.kind], self._end_request, request)

    def _end_request(self, request: _Request) -> None:
        request.answered.succeed()


def simulate_museum(
    rig: ModelledRig,
    workload: MuseumWorkload,
    users: Mapping[str, int],
    seed: str,
    seconds: float = SECONDS,
) -> LocustTally:
    """Simulate one test with `users` on each list of masters."""
    clock, streams = Clock(), Streams(seed)
    server, tally = ModelledServer(clock, rig, workload), LocustTally(seconds)
    for masters in MASTERS:
        for number in range(users[masters]):
            draws = streams.stream(f"{masters}/{number}")
            clock.process(
                _simulate_user(clock, server, masters, workload.think, rig.timeout, draws, tally)
            )
    clock.run(until=to_nanoseconds(seconds))
    return tally


def _simulate_user(
    clock: Clock,
    server: ModelledServer,
    masters: str,
    think: float,
    timeout: float | None,
    draws: Random,
    tally: LocustTally,
) -> Generator[Any, Any, None]:
    longest = 2 * think - LOCUST_SHORTEST_WAIT
    limit = to_nanoseconds(timeout) if timeout else None
    while True:
        wait = draw_uniform(draws, LOCUST_SHORTEST_WAIT, longest)
        yield clock.timeout(to_nanoseconds(wait))
        kind = (masters, _choose_derivative(draws))
        sent_at, answered = clock.now, clock.event()
        server.ask(kind, answered)
        if limit is None:
            yield answered
        else:
            yield answered | clock.timeout(limit)
        if answered.processed:
            tally.responses.setdefault(kind, []).append(clock.now - sent_at)
        else:
            tally.failures += 1
