"""The same queues on our engine: one replication each.

`customers` are counted after as many again have warmed the queue up.
"""

from collections.abc import Callable, Generator
from statistics import fmean
from typing import Any, Protocol

from capacity.engine.clock import SECOND, Clock, nanoseconds
from capacity.engine.stations import Done
from capacity.engine.streams import Streams, exponential


class Station(Protocol):
    """What all stations of the engine have in common."""

    def serve(self, service: int, done: Done, subject: Any = None) -> None:
        """Take a request with its service time."""


def open_response(
    seed: str,
    customers: int,
    station: Callable[[Clock], Station],
    arrival_rate: float,
    service: Callable[[Any], float],
) -> float:
    """Mean response time in seconds of Poisson arrivals at one station."""
    clock, streams = Clock(), Streams(seed)
    served, responses = station(clock), list[int]()

    def leave(came: int) -> None:
        responses.append(clock.now - came)

    def arrivals() -> Generator[Any, Any, None]:
        gaps, services = streams.stream("arrivals"), streams.stream("services")
        for _ in range(2 * customers):
            yield clock.timeout(nanoseconds(exponential(gaps, 1 / arrival_rate)))
            served.serve(nanoseconds(service(services)), leave, clock.now)

    clock.process(arrivals())
    clock.run()
    return fmean(responses[customers:]) / SECOND


def closed_throughput(
    seed: str,
    customers: int,
    station: Callable[[Clock], Station],
    population: int,
    think: float,
    service: float,
) -> float:
    """Completions per second of a closed population with exponential times."""
    clock, streams = Clock(), Streams(seed)
    served, completions = station(clock), list[int]()

    def user(name: int) -> Generator[Any, Any, None]:
        thinking, serving = streams.stream(f"think/{name}"), streams.stream(f"serve/{name}")
        while len(completions) < 2 * customers:
            yield clock.timeout(nanoseconds(exponential(thinking, think)))
            done = clock.event()
            served.serve(nanoseconds(exponential(serving, service)), done.succeed)
            yield done
            completions.append(clock.now)

    for name in range(population):
        clock.process(user(name))
    clock.run()
    window = completions[2 * customers - 1] - completions[customers - 1]
    return customers * SECOND / window
