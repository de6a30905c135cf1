"""CPU of a redirect and of a tombstone at our image task, warm, through HTTP."""

import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from loadtest.client.response_reader import HttpResponse
from loadtest.client.timed_load import ask_mixed
from loadtest.client.wrk_peak import Load, ask_with_wrk
from loadtest.corpora.access_masters import picture, write_standard
from loadtest.rigs.gateway_process import FORMER, WITHDRAWN
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.studies.delivery.delivery_requests import Ask
from vitrine.errors import VitrineError

PROMISED_CPU_MS = 0.2
"""Of the gateway, per redirect."""
LOAD = Load(connections=8, seconds=3)
NAME = "picture.tif"
REQUESTS = (
    "info.json",
    "0,0,512,512/256,256/0/default.jpg",
    "full/!1024,1024/!90/gray.png",
    "pct:10,10,50,50/max/0/bitonal.webp",
)


def measure_decisions(rounds: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """One row per round and kind: requests per second, CPU per request by process.

    Raises VitrineError when an answer is not what it should be, or a program is missing.
    """
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        write_standard(picture(1_500, 1_000), Path(folder) / NAME)
        with vitrine_rig(Path(folder)) as rig:
            kinds = {"redirect": (FORMER, 301), "tombstone": (WITHDRAWN, 410)}
            for kind, (name, status) in kinds.items():
                _check(rig, _asks(kind, name), status)
            for number in range(1, rounds + 1):
                for kind, (name, _) in kinds.items():
                    paths = [ask.path for ask in _asks(kind, name)]
                    row = ask_with_wrk(rig, paths, LOAD)
                    rows.append({"kind": kind, "round": number} | row)
                progress(f"round {number} of {rounds}")
    return _figures(rows, rounds)


def _asks(kind: str, name: str) -> list[Ask]:
    return [
        Ask(kind, f"/iiif/{version}/{name}/{request}") for version in (2, 3) for request in REQUESTS
    ]


def _check(rig: Rig, asks: Sequence[Ask], status: int) -> None:
    """Every answer, once; which also warms what there is to warm."""

    def look(ask: Ask, response: HttpResponse) -> str:
        if response.status != status:
            return f"{ask.path}: {response.status}"
        version, request = ask.path.split("/")[2], ask.path.split("/", 4)[4]
        target = f"/iiif/{version}/{NAME}/{request}"
        if status == 301 and response.headers.get("location") != target:
            return f"{ask.path}: leads to {response.headers.get('location')}"
        return ""

    figures = ask_mixed(rig, asks, 1, look)
    if figures["failures"]:
        raise VitrineError(f"not as it should be: {figures['failed']}")


def _figures(rows: list[dict[str, Any]], rounds: int) -> dict[str, Any]:
    def median(kind: str, value: Callable[[dict[str, Any]], float]) -> float:
        return round(statistics.median(value(row) for row in rows if row["kind"] == kind), 4)

    figures: dict[str, Any] = {"rounds": rounds, "promised_gateway_cpu_ms": PROMISED_CPU_MS}
    for kind in ("redirect", "tombstone"):
        figures[f"{kind}_gateway_cpu_ms"] = median(
            kind, lambda row: row["cpu_ms_by_process"]["gateway"]
        )
        figures[f"{kind}_cpu_ms"] = median(kind, lambda row: row["cpu_ms_per_request"])
        figures[f"{kind}s_per_second"] = median(kind, lambda row: row["requests_per_second"])
    figures["failures"] = sum(row["failures"] for row in rows if row["kind"] == "redirect")
    figures["met"] = figures["redirect_gateway_cpu_ms"] <= PROMISED_CPU_MS
    return figures | {"rows": rows}
