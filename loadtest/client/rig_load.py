"""Mixed requests to a rig: its CPU by process, and latencies of each class of requests."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadtest.client.http_client import Check, check_quickly
from loadtest.client.user_load import send_checked
from loadtest.figures.generator_limit import is_generator_limited
from loadtest.figures.order_statistics import median, percentile
from loadtest.rigs.rig import Rig
from loadtest.workload.answers import Answer
from loadtest.workload.target import Target

_EXAMPLES = 5


def send_to_rig(
    rig: Rig, targets: Sequence[Target], connections: int, check: Check = check_quickly
) -> dict[str, Any]:
    """Send all of `targets`, in order, over `connections`, and return the figures.

    Raises ProcessDied when a process of the rig has ended.
    """
    before = rig.cpu_seconds()
    load = send_checked(rig.url, targets, connections, check)
    after = rig.cpu_seconds()
    rig.check()
    return summarise_answers(load.answers) | rates(
        requests=len(load.answers),
        seconds=load.seconds,
        server={name: after[name] - before[name] for name in before},
        generator=load.generator,
        threads=1,
    )


def summarise_answers(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return counts, failures with a few examples, and latencies of each class."""
    failed = [answer for answer in answers if answer.fault]
    kinds = dict.fromkeys(answer.target.kind for answer in answers)
    return {
        "requests": len(answers),
        "bytes": sum(answer.bytes for answer in answers),
        "failures": len(failed),
        "failed": [f"{answer.target.path}: {answer.fault}" for answer in failed[:_EXAMPLES]],
        "classes": {
            kind: latencies(answer.seconds for answer in answers if answer.target.kind == kind)
            for kind in kinds
        },
    }


def latencies(seconds: Iterable[float]) -> dict[str, float]:
    """Return count, median, 99th percentile (nearest rank) and maximum, in milliseconds."""
    values = sorted(seconds)
    return {
        "requests": len(values),
        "p50_ms": round(1000 * median(values), 3),
        "p99_ms": round(1000 * percentile(values, 99), 3),
        "max_ms": round(1000 * values[-1], 3),
    }


def rates(
    *,
    requests: int,
    seconds: float,
    server: Mapping[str, float],
    generator: float,
    threads: int,
) -> dict[str, Any]:
    """Return what follows from the counts: `server` in CPU seconds by process, `generator` in
    cores that its `threads` used together."""
    total = sum(server.values())
    return {
        "requests_per_second": round(requests / seconds, 1),
        "cpu_ms_per_request": round(1000 * total / max(1, requests), 4),
        "cpu_ms_by_process": {
            name: round(1000 * cpu / max(1, requests), 4) for name, cpu in server.items()
        },
        "server_cores": round(total / seconds, 2),
        "generator_cores": round(generator, 2),
        "generator_saturated": is_generator_limited(generator, threads),
    }
