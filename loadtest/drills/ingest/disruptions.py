"""The great disruptions of a drill, each once, when so much of the work has ended."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from loadtest.drills.ingest.drill_options import DrillOptions
from loadtest.drills.ingest.drilled_service import DrilledService

_DEAD_SECONDS = 0.5
"""Seconds without any answer before `up` is called."""


@dataclass(frozen=True)
class Disruption:
    """`share` of the masters have ended when it comes."""

    share: float
    name: str
    bring: Callable[[], None]


def list_disruptions(orders: DrillOptions, service: DrilledService) -> list[Disruption]:
    """Return all disruptions, in the order in which they come."""
    found = []
    if orders.outage_seconds:
        found += [
            Disruption(0.15, "S3 refuses everything", _make_outage(orders, service, "s3")),
            Disruption(
                0.65, "DynamoDB refuses everything", _make_outage(orders, service, "dynamodb")
            ),
        ]
    if orders.kill_emulator:
        found.append(
            Disruption(0.4, "the emulator is killed", _make_kill(service, everything=False))
        )
    if orders.kill_everything:
        found.append(
            Disruption(0.33, "every process is killed", _make_kill(service, everything=True))
        )
    return sorted(found, key=lambda trouble: trouble.share)


def _make_outage(orders: DrillOptions, service: DrilledService, name: str) -> Callable[[], None]:
    return lambda: service.begin_outage(name, orders.outage_seconds)


def _make_kill(service: DrilledService, *, everything: bool) -> Callable[[], None]:
    def kill_and_start() -> None:
        if everything:
            service.kill_everything()
        else:
            service.kill_emulator()
        time.sleep(_DEAD_SECONDS)
        service.up()

    return kill_and_start
