"""CPU of each class of requests, sent by itself, so that the CPU time is its own.

In the mix the processes work on all classes at once, and Linux counts time by process.
"""

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from loadtest.client.user_load import Progress, send_each
from loadtest.figures.order_statistics import rounded_median
from loadtest.figures.request_figures import Row, count_faults
from loadtest.studies.museum.museum_classes import ANY
from loadtest.studies.museum.museum_servers import MeasuredServer
from loadtest.workload.request import Workload
from loadtest.workload.target import Target

_CLIENTS = 2
_TARGETS = 200
_LOOKED_AT = 30_000
"""Requests of the mix that are searched for targets of the rarest class."""


def targets_by_kind(workload: Workload, kinds: Sequence[str]) -> dict[str, list[Target]]:
    """Return the mix's first targets of each class; a class that it does not reach is left out."""
    found: dict[str, list[Target]] = {kind: [] for kind in kinds}
    for request in islice(workload.requests(0), _LOOKED_AT):
        targets = found.get(request.kind)
        if targets is not None and len(targets) < _TARGETS:
            targets.append(request.target)
            if all(len(targets) == _TARGETS for targets in found.values()):
                break
    return {kind: targets for kind, targets in found.items() if targets}


def cpu_of_class(
    server: MeasuredServer, targets: Sequence[Target], seconds: float, progress: Progress
) -> dict[str, Any]:
    """Measure milliseconds of user and system time for each request, wrong answers included.

    Counted is the server's whole tree of processes (proc(5), in steps of 10 ms)."""
    assert server.rig
    before = sum(server.rig.cpu_seconds().values())
    load = send_each(server.url, cycle(targets), _CLIENTS, progress, seconds=seconds)
    server.rig.check()
    used = sum(server.rig.cpu_seconds().values()) - before
    requests = len(load.answers)
    return {
        "complete": load.complete,
        "requests": requests,
        "failures": sum(1 for answer in load.answers if answer.fault),
        "failed": count_faults(load.answers),
        "seconds": round(load.seconds, 3),
        "cpu_ms": round(1_000 * used / requests, 4) if requests else None,
        "generator_cores": round(load.generator, 3),
    }


def with_cpu(entries: Sequence[Row], alone: Sequence[Row]) -> list[Row]:
    """Add the medians of `alone` to each entry's classes as `cpu_ms`; the mix has its own."""
    found: dict[tuple[str, str], list[float | None]] = {}
    for row in alone:
        if row["complete"]:
            found.setdefault((row["server"], row["kind"]), []).append(row["cpu_ms"])
    return [
        {
            **entry,
            "cpu_ms": {
                kind: rounded_median(found.get((entry["server"], kind), ()))
                for kind in entry["rows"]
            }
            | {ANY: entry["cpu_ms_per_request"]},
        }
        for entry in entries
    ]
