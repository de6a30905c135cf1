"""What each program of this machine's image task has done, and did in each of the last minutes."""

import http.client
import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vitrine.bootstrap.local_service import LocalService
from vitrine.deliver.metrics.counters import Samples
from vitrine.deliver.metrics.minute import METRICS
from vitrine.deliver.metrics.program_cpu import tree_seconds
from vitrine.deliver.metrics.prometheus import parse_samples
from vitrine.local.process import log_path, read_notes

SECONDS = 5.0
MINUTES = 60
"""Minutes that are shown."""
_LOG_BYTES = 4 << 20
"""Bytes that are read of the end of the gateway's log: more than an hour of it, unless all is
logged."""
_REQUESTS = re.compile(r"^\s*\d+ \d+ (\d+)\s*$", re.MULTILINE)
"""The line of nginx's stub_status with connections accepted, handled, and requests."""


@dataclass(frozen=True, kw_only=True)
class ProgramWork:
    """The work of one program since its start."""

    program: str
    did: dict[str, int]
    """Number by what was done: requests, tiles, renders."""
    cpu_seconds: float | None
    """With all its processes; None if it does not run."""


@dataclass(frozen=True, kw_only=True)
class MinuteWork:
    """What happened within a minute, from the gateway's log."""

    minute: str
    """RFC 3339 UTC."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Metrics of docs/reference/metrics.md by name, summed over the gateway's processes."""
    percentile_95_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds by kind of request, of the process that was slowest."""
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    """CPU seconds by program."""


def read_programs_work(directory: Path, service: LocalService) -> list[ProgramWork]:
    """Return the work of nginx, the gateway and iipsrv; what does not answer has done nothing.

    Where a Lambda serves the images, its log has a line for each request, and nothing is summed.
    """
    if service.image_function:
        return []
    pids = {note.name: note.pid for note in read_notes(directory) if note.alive}
    samples = parse_samples(_get_text(f"{service.origin_url}/metrics"))
    requests = _REQUESTS.search(_get_text(f"{service.origin_url}/nginx-status"))
    done = {
        "nginx": {"requests": int(requests[1]) if requests else 0},
        "gateway": {
            "answers": _sum_samples(samples, "answers_total"),
            "tiles passed through": _sum_samples(samples, 'tiles_total{way="passed_through"'),
            "renders": _sum_samples(samples, "renders_total", but='renderer="iipsrv"'),
        },
        "iipsrv": {"renders": _sum_samples(samples, 'renders_total{renderer="iipsrv"')},
    }
    return [
        ProgramWork(program=name, did=did, cpu_seconds=_cpu_seconds(pids.get(name)))
        for name, did in done.items()
    ]


def read_minutes(directory: Path) -> list[MinuteWork]:
    """Return what the gateway's processes logged of the last minutes, the oldest first."""
    minutes: dict[str, MinuteWork] = {}
    for line in _minute_lines(log_path(directory, "gateway")):
        minute = line["time"][:16] + "Z"
        _add_line(minutes.setdefault(minute, MinuteWork(minute=minute)), line)
    return [minutes[minute] for minute in sorted(minutes)[-MINUTES:]]


def _add_line(work: MinuteWork, line: dict[str, Any]) -> None:
    """Add what one process did."""
    for name in METRICS:
        work.metrics[name] = work.metrics.get(name, 0.0) + line[name]
    for kind, milliseconds in line["percentile_95_ms"].items():
        work.percentile_95_ms[kind] = max(work.percentile_95_ms.get(kind, 0.0), milliseconds)
    for program in ("nginx", "gateway", "iipsrv"):
        seconds = line["added"].get(f'cpu_seconds_total{{program="{program}"}}', 0.0)
        work.cpu_seconds[program] = work.cpu_seconds.get(program, 0.0) + seconds


def _minute_lines(log: Path) -> Iterator[dict[str, Any]]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _LOG_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        if '"_aws"' in line and line.startswith("{"):
            try:
                yield json.loads(line)
            except ValueError:
                continue  # the first line may be half of one


def _get_text(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            text: str = answer.read().decode()
            return text
    except (OSError, http.client.HTTPException, ValueError):
        return ""


def _sum_samples(samples: Samples, start: str, but: str = "\n") -> int:
    return int(
        sum(
            value
            for key, value in samples.items()
            if key.startswith(f"vitrine_{start}") and but not in key
        )
    )


def _cpu_seconds(pid: int | None) -> float | None:
    try:
        return round(tree_seconds(pid), 2) if pid else None
    except OSError:
        return None
