"""(d) The view mix over a collection: 500 different requests for 200 images, then the same again.

Most of the first requests open an image that nobody asked for before, as behind an edge that
answers what is repeated.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from loadtest.client.http_client import check_thoroughly
from loadtest.client.rig_load import send_to_rig
from loadtest.corpora.collection_masters import IMAGES, make_masters
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.studies.delivery.delivery_requests import distinct_view_mix
from loadtest.studies.delivery.delivery_stage import Row, Stage, start_rigs
from loadtest.studies.delivery.scenarios.view import CONNECTIONS, WITH_CACHE
from loadtest.studies.interleaved_rounds import rotate
from loadtest.workload.target import Target

DECKS = 5
FIRST, AGAIN = (
    f"view mix, {IMAGES} images, {DECKS * 100} requests, {when}" for when in ("first", "again")
)


def measure_collection(stage: Stage) -> dict[str, Any]:
    """Measure CPU per request and latencies by class, of servers that have just been started."""
    folder = (stage.scratch / "collection").resolve()
    targets = distinct_view_mix(make_masters(folder, stage.progress), DECKS)
    checks: list[Row] = []
    rows: list[Row] = []
    for number in range(1, stage.rounds + 1):
        for place in rotate(range(len(_rigs(stage))), number):
            with ExitStack() as stack:
                (rig,) = start_rigs(stack, [_rigs(stage)[place]])
                rows += _measure_round(rig, targets, number)
                if number == 1:
                    checks.append({"label": AGAIN} | _check(rig, targets))
        stage.progress(f"{AGAIN}: round {number} of {stage.rounds}")
    return {"rows": rows, "checks": checks}


def _rigs(stage: Stage) -> Sequence[AbstractContextManager[Rig]]:
    """Return all rigs, not yet started."""
    folder = (stage.scratch / "collection").resolve()
    cached = vitrine_rig(folder, name=WITH_CACHE, VITRINE_DERIVATIVE_CACHE_MEBIBYTES="1024")
    return [*stage.three_rigs(folder), cached]


def _measure_round(rig: Rig, targets: Sequence[Target], number: int) -> list[Row]:
    return [
        {"label": label, "bed": rig.name, "round": number} | send_to_rig(rig, targets, CONNECTIONS)
        for label in (FIRST, AGAIN)
    ]


def _check(rig: Rig, targets: Sequence[Target]) -> Row:
    figures = send_to_rig(rig, targets, CONNECTIONS, check_thoroughly)
    return {
        "bed": rig.name,
        "requests": figures["requests"],
        "failures": figures["failures"],
        "failed": figures["failed"],
        "bytes_per_request": round(figures["bytes"] / figures["requests"]),
    }
