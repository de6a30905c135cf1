"""Every queue with an exact solution, simulated and compared."""

from collections.abc import Callable
from dataclasses import dataclass

from capacity.confidence import Interval, interval
from capacity.engine.stations import Cores, ManyServers, ProcessorSharing, SingleServer
from capacity.engine.streams import exponential
from capacity.validation.theory.queue_formulas import (
    md1_response,
    mm1_response,
    mmc_response,
    repairman_throughput,
    shared_response,
)
from capacity.validation.theory.simulated_queues import closed_throughput, open_response

CUSTOMERS = 6_000
CONFIDENCE = 0.999
"""Of each interval. At 90 % one check in ten would fail by chance."""


@dataclass(frozen=True)
class Check:
    """A queue: its exact mean, and one replication of it for a seed and a number of customers."""

    name: str
    measure: str
    exact: float
    replicate: Callable[[str, int], float]


CHECKS = (
    Check(
        "M/M/1, 70 % busy",
        "response time, s",
        mm1_response(0.7, 1),
        lambda seed, n: open_response(seed, n, SingleServer, 0.7, lambda s: exponential(s, 1)),
    ),
    Check(
        "M/M/6, 70 % busy",
        "response time, s",
        mmc_response(4.2, 1, 6),
        lambda seed, n: open_response(
            seed, n, lambda clock: ManyServers(clock, 6), 4.2, lambda s: exponential(s, 1)
        ),
    ),
    Check(
        "M/D/1, 70 % busy",
        "response time, s",
        md1_response(0.7, 1),
        lambda seed, n: open_response(seed, n, SingleServer, 0.7, lambda _: 1),
    ),
    Check(
        "M/M/1 shared, 70 % busy",
        "response time, s",
        mm1_response(0.7, 1),
        lambda seed, n: open_response(
            seed,
            n,
            lambda clock: ProcessorSharing(clock, Cores(1)),
            0.7,
            lambda s: exponential(s, 1),
        ),
    ),
    Check(
        "M/D/1 shared, 70 % busy",
        "response time, s",
        shared_response(0.7, 1),
        lambda seed, n: open_response(
            seed, n, lambda clock: ProcessorSharing(clock, Cores(1)), 0.7, lambda _: 1
        ),
    ),
    Check(
        "M/M/4 shared, 70 % busy",
        "response time, s",
        mmc_response(2.8, 1, 4),
        lambda seed, n: open_response(
            seed,
            n,
            lambda clock: ProcessorSharing(clock, Cores(4)),
            2.8,
            lambda s: exponential(s, 1),
        ),
    ),
    Check(
        "machine repairman, 10 machines, 1 repairer",
        "repairs per second",
        repairman_throughput(10, 1, 8, 1),
        lambda seed, n: closed_throughput(seed, n, SingleServer, 10, 8, 1),
    ),
    Check(
        "machine repairman, 20 machines, 3 repairers",
        "repairs per second",
        repairman_throughput(20, 3, 5, 1),
        lambda seed, n: closed_throughput(seed, n, lambda clock: ManyServers(clock, 3), 20, 5, 1),
    ),
)


def simulate(check: Check, seed: int, replications: int, customers: int = CUSTOMERS) -> Interval:
    """Simulate the mean: an interval that holds the exact one unless the engine is wrong."""
    samples = [check.replicate(f"{seed}/{check.name}/{n}", customers) for n in range(replications)]
    return interval(samples, CONFIDENCE)
