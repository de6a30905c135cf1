"""(c) The view mix: what pages and viewers ask for together."""

from contextlib import ExitStack
from functools import partial
from typing import Any

from loadtest.client.timed_load import ask_mixed
from loadtest.rigs.rig import vitrine_rig
from loadtest.studies.delivery.delivery_requests import view_mix
from loadtest.studies.delivery.delivery_stage import Stage, started, take_turns, warm

MASTERS = ("photo-24.tif", "photo-100.tif", "photo-400.tif")
DECKS = 10
CONNECTIONS = 8
LABEL = "view mix"
WITH_CACHE = "vitrine, derivative cache"


def measure_view(stage: Stage) -> dict[str, Any]:
    """Requests per second, CPU per request, latencies of each class; also with our cache on."""
    asks = view_mix([stage.masters[name] for name in MASTERS], DECKS)
    with ExitStack() as stack:
        cached = vitrine_rig(
            stage.folder, name=WITH_CACHE, VITRINE_DERIVATIVE_CACHE_MEBIBYTES="1024"
        )
        rigs = started(stack, [*stage.three_rigs(), cached])
        checks = [{"label": LABEL} | warm(rig, asks) for rig in rigs]
        rows = take_turns(
            stage, LABEL, rigs, partial(ask_mixed, asks=asks, connections=CONNECTIONS)
        )
    return {"rows": rows, "checks": checks}
