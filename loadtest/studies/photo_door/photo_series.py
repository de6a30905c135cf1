"""Baresoil's series over time, from the photographs sent and the looks at the client."""

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from loadtest.studies.photo_door.client_use import UseSample
from loadtest.studies.photo_door.door_agents import SentPhotograph

WINDOWS = 30
MIN_SECONDS = 1.0


def window_series(
    sent: Sequence[SentPhotograph], looks: Sequence[UseSample], begun: float, ended: float
) -> list[dict[str, Any]]:
    """Return a row for each window of time; None where there is nothing to average."""
    width = max(MIN_SECONDS, (ended - begun) / WINDOWS)
    windows = max(1, math.ceil(round((ended - begun) / width, 6)))
    rows = []
    for number in range(windows):
        start = begun + number * width
        end = ended if number == windows - 1 else start + width
        length = max(end - start, 1e-6)
        started = [one for one in sent if start <= one.begun < end]
        done = [one for one in sent if one.good and start < one.ended <= end]
        seen = [look for look in looks if start <= look.time < end]
        rows.append(
            {
                "second": round(start - begun, 2),
                "request_rate": round(len(started) / length, 3),
                "megabytes": round(sum(one.bytes_in for one in done) / 1e6 / length, 3),
                "round_trip_seconds": _rounded_mean(
                    one.ended - one.begun for one in started if one.good
                ),
                "client_cpu": _rounded_mean(look.cpu_cores for look in seen),
                "client_memory": _rounded_mean(100 * look.machine_memory for look in seen),
                "agents": _rounded_mean(look.agents for look in seen),
            }
        )
    return rows


def _rounded_mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return round(statistics.fmean(values), 3) if values else None
