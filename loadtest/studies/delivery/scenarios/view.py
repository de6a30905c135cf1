"""(c) The view mix: what pages and viewers request together."""

from contextlib import ExitStack
from functools import partial
from typing import Any

from loadtest.client.rig_load import send_to_rig
from loadtest.rigs.rig import vitrine_rig
from loadtest.studies.delivery.delivery_requests import view_mix
from loadtest.studies.delivery.delivery_stage import Stage, start_rigs, take_turns, warm_rig

MASTERS = ("photo-24.tif", "photo-100.tif", "photo-400.tif")
DECKS = 10
CONNECTIONS = 8
LABEL = "view mix"
WITH_CACHE = "vitrine, derivative cache"


def measure_view(stage: Stage) -> dict[str, Any]:
    """Measure requests per second, CPU per request, latencies by class; also with our cache on."""
    targets = view_mix([stage.masters[name] for name in MASTERS], DECKS)
    with ExitStack() as stack:
        cached = vitrine_rig(
            stage.folder, name=WITH_CACHE, VITRINE_DERIVATIVE_CACHE_MEBIBYTES="1024"
        )
        rigs = start_rigs(stack, [*stage.three_rigs(), cached])
        checks = [{"label": LABEL} | warm_rig(rig, targets) for rig in rigs]
        rows = take_turns(
            stage, LABEL, rigs, partial(send_to_rig, targets=targets, connections=CONNECTIONS)
        )
    return {"rows": rows, "checks": checks}
