"""Baresoil's seven series over time, from the photographs sent and the looks at the client."""

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from loadtest.studies.photo_door.client_use import UseSample

WINDOWS = 30
MIN_SECONDS = 1.0
CAPTIONS = {
    "request_rate": "Request rate: photographs begun, a second",
    "megabytes": "Image data: megabytes published, a second",
    "server_seconds": "Server time: seconds in the ingest's states, by when it was published",
    "round_trip_seconds": "Round trip: seconds from the first byte sent to published, by its begin",
    "client_cpu": "Client CPU: cores used by the sending process",
    "client_memory": "Client memory: per cent of the machine's memory in use",
    "agents": "Concurrent agents",
}
"""Captions of the series, for charts."""


class SentRequest(Protocol):
    """A photograph on its way; times are seconds since the epoch."""

    @property
    def good(self) -> bool: ...
    @property
    def bytes_in(self) -> int: ...
    @property
    def begun(self) -> float: ...
    @property
    def ended(self) -> float: ...
    @property
    def server_seconds(self) -> float | None: ...


def window_series(
    sent: Sequence[SentRequest], looks: Sequence[UseSample], begun: float, ended: float
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
                "server_seconds": _rounded_mean(
                    one.server_seconds for one in done if one.server_seconds is not None
                ),
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
