"""CPU of a redirect and of a tombstone at our image task, warm, through HTTP."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from loadtest.client.response_reader import HttpResponse
from loadtest.client.rig_load import send_to_rig
from loadtest.client.wrk_peak import WrkRun, send_with_wrk
from loadtest.corpora.access_masters import picture, write_standard
from loadtest.figures.order_statistics import median
from loadtest.rigs.gateway_process import PREVIOUS, WITHDRAWN
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.studies.interleaved_rounds import turns
from loadtest.workload.target import Target
from vitrine.errors import VitrineError

PROMISED_CPU_MS = 0.2
"""CPU of the gateway per redirect."""
LOAD = WrkRun(connections=8, seconds=3)
NAME = "picture.tif"
REQUESTS = (
    "info.json",
    "0,0,512,512/256,256/0/default.jpg",
    "full/!1024,1024/!90/gray.png",
    "pct:10,10,50,50/max/0/bitonal.webp",
)


def measure_decisions(rounds: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """Measure requests per second and CPU per request by process, a row per round and kind.

    Raises VitrineError when an answer is not what it should be, or a program is missing.
    """
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        write_standard(picture(1_500, 1_000), Path(folder) / NAME)
        with vitrine_rig(Path(folder)) as rig:
            kinds = {"redirect": (PREVIOUS, 301), "tombstone": (WITHDRAWN, 410)}
            for kind, (name, status) in kinds.items():
                _check(rig, _targets(kind, name), status)
            for number, kind in turns(list(kinds), rounds):
                progress(f"{kind}, round {number} of {rounds}")
                paths = [target.path for target in _targets(kind, kinds[kind][0])]
                row = send_with_wrk(rig, paths, LOAD)
                rows.append({"kind": kind, "round": number} | row)
    return _figures(rows, rounds)


def _targets(kind: str, name: str) -> list[Target]:
    return [
        Target(kind, f"/iiif/{version}/{name}/{request}")
        for version in (2, 3)
        for request in REQUESTS
    ]


def _check(rig: Rig, targets: Sequence[Target], status: int) -> None:
    """Check every answer once, which also warms the caches."""

    def look(target: Target, response: HttpResponse) -> str:
        if response.status != status:
            return f"{target.path}: {response.status}"
        version, request = target.path.split("/")[2], target.path.split("/", 4)[4]
        location = f"/iiif/{version}/{NAME}/{request}"
        if status == 301 and response.headers.get("location") != location:
            return f"{target.path}: leads to {response.headers.get('location')}"
        return ""

    figures = send_to_rig(rig, targets, 1, look)
    if figures["failures"]:
        raise VitrineError(f"wrong answers: {figures['failed']}")


def _figures(rows: list[dict[str, Any]], rounds: int) -> dict[str, Any]:
    def median_of(kind: str, value: Callable[[dict[str, Any]], float]) -> float:
        return round(median(value(row) for row in rows if row["kind"] == kind), 4)

    figures: dict[str, Any] = {"rounds": rounds, "promised_gateway_cpu_ms": PROMISED_CPU_MS}
    for kind in ("redirect", "tombstone"):
        figures[f"{kind}_gateway_cpu_ms"] = median_of(
            kind, lambda row: row["cpu_ms_by_process"]["gateway"]
        )
        figures[f"{kind}_cpu_ms"] = median_of(kind, lambda row: row["cpu_ms_per_request"])
        figures[f"{kind}s_per_second"] = median_of(kind, lambda row: row["requests_per_second"])
    figures["failures"] = sum(row["failures"] for row in rows if row["kind"] == "redirect")
    figures["met"] = figures["redirect_gateway_cpu_ms"] <= PROMISED_CPU_MS
    return figures | {"rows": rows}
