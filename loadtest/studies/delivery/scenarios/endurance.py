"""(f) Two hundred thousand tiles: does the gateway's memory grow?"""

from contextlib import ExitStack
from typing import Any

from loadtest.client.wrk_peak import WrkRun, send_with_wrk
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.studies.delivery.delivery_requests import interior_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Row, Stage, start_rigs

MASTERS = ("photo-24.tif", "photo-100.tif", "photo-400.tif")
DISTINCT = 8_000
"""Addresses per master."""
MARKS = (20_000, 200_000)
LOAD = WrkRun(connections=8, seconds=2)
LABEL = "memory over many tiles"


def measure_endurance(stage: Stage) -> dict[str, Any]:
    """Measure the gateway's resident memory after 20,000 and after 200,000 tiles, in one round."""
    paths = [
        tile_path(stage.masters[name], tile)
        for name in MASTERS
        for tile in interior_tiles(stage.masters[name], DISTINCT)
    ]
    with ExitStack() as stack:
        (rig,) = start_rigs(stack, [vitrine_rig(stage.folder)])
        rows: list[Row] = []
        requests = failures = 0
        for mark in MARKS:
            while requests < mark:
                figures = send_with_wrk(rig, paths, LOAD)
                requests += figures["requests"]
                failures += figures["failures"]
                stage.progress(f"{LABEL}: {requests:,} of {MARKS[-1]:,}")
            rows.append(_row(rig, mark, requests, failures))
    return {"rows": rows, "checks": []}


def _row(rig: Rig, mark: int, requests: int, failures: int) -> Row:
    return {
        "label": LABEL,
        "bed": rig.name,
        "round": 1,
        "mark": mark,
        "requests": requests,
        "failures": failures,
        "gateway_resident_bytes": rig.usage("gateway").resident_bytes,
    }
