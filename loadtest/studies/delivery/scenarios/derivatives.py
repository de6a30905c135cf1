"""(d) Images that have to be rendered: their cost and their fidelity."""

import statistics
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from loadtest.client.http_client import check_thoroughly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.rig_load import send_to_rig
from loadtest.corpora.access_masters import Master, picture
from loadtest.figures.delivered_quality import Pixels, decode, psnr_db, reference
from loadtest.rigs.rig import Rig
from loadtest.studies.delivery.delivery_requests import image_path, unaligned_regions
from loadtest.studies.delivery.delivery_stage import Stage, start_rigs, take_turns, warm_rig
from loadtest.workload.target import Target

MASTER = "photo-100.tif"
CONNECTIONS = 2
"""As many as cores, so that no queue is measured."""
UNALIGNED = "2000² to 500, unaligned"
COMPARED = 10
"""Number of unaligned regions whose fidelity is measured."""


@dataclass(frozen=True)
class DerivativeClass:
    """Requests that are measured together."""

    label: str
    side: int
    """Side of the box that the whole image is fitted into, pixels; 0: unaligned regions."""
    requests: int
    """Requests per round: about a second of work."""

    def paths(self, master: Master) -> list[str]:
        """Return the distinct addresses."""
        if not self.side:
            return unaligned_regions(master, 100)
        return [image_path(master, "full", f"!{self.side},{self.side}")]


CLASSES = (
    DerivativeClass("!128", 128, 600),
    DerivativeClass("!1024", 1024, 60),
    DerivativeClass("!3000", 3000, 12),
    DerivativeClass("!4096", 4096, 6),
    DerivativeClass(UNALIGNED, 0, 200),
)


def measure_derivatives(stage: Stage) -> dict[str, Any]:
    """Measure the CPU per request of each class, and PSNR in dB against the reference."""
    master = stage.masters[MASTER]
    rows, checks = [], []
    with ExitStack() as stack:
        rigs = start_rigs(stack, stage.three_rigs())
        fidelity = _Fidelity(master)
        for item in CLASSES:
            targets = [Target(item.label, path) for path in item.paths(master)]
            for rig in rigs:
                found = warm_rig(rig, targets[:COMPARED], fidelity.look)
                checks.append({"label": item.label} | found | fidelity.result())
            repeated = [targets[number % len(targets)] for number in range(item.requests)]
            rows += take_turns(stage, item.label, rigs, partial(_flat, targets=repeated))
    return {"rows": rows, "checks": checks}


def _flat(rig: Rig, targets: Sequence[Target]) -> dict[str, Any]:
    """Send the requests; return the figures with the latencies of the only class at the top."""
    figures = send_to_rig(rig, targets, CONNECTIONS)
    (latencies,) = figures["classes"].values()
    return figures | {"p50_ms": latencies["p50_ms"], "p99_ms": latencies["p99_ms"]}


class _Fidelity:
    """Compares answers with a careful reduction of the same part of the picture."""

    def __init__(self, master: Master) -> None:
        self._picture = picture(master.width, master.height)
        self._references: dict[tuple[Any, ...], Pixels] = {}
        self._values: list[float] = []
        self._sizes: set[str] = set()

    def look(self, target: Target, response: HttpResponse) -> str:
        """Check an answer thoroughly, and note its PSNR."""
        fault = check_thoroughly(target, response)
        if not fault:
            pixels = decode(response.body)
            height, width = pixels.shape[:2]
            self._sizes.add(f"{width}x{height}")
            self._values.append(psnr_db(self._reference(target.path, (width, height)), pixels))
        return fault

    def _reference(self, path: str, size: tuple[int, int]) -> Pixels:
        region = path.split("/")[4]
        key = (region, size)
        if key not in self._references:
            box = (0, 0, self._picture.width, self._picture.height)
            if region != "full":
                x, y, width, height = map(int, region.split(","))
                box = (x, y, width, height)
            self._references[key] = reference(self._picture, box, size)
        return self._references[key]

    def result(self) -> dict[str, Any]:
        """Return the figures of the images since the last call."""
        values, self._values = self._values, []
        sizes, self._sizes = sorted(self._sizes), set()
        return {
            "psnr_db": round(statistics.mean(values), 2) if values else None,
            "sizes": sizes,
        }
