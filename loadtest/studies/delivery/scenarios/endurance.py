"""(f) Two hundred thousand tiles: does the gateway's memory grow?"""

from contextlib import ExitStack
from typing import Any

from loadtest.client.wrk_peak import Load, ask_with_wrk
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.studies.delivery.delivery_requests import interior_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Row, Stage, started

MASTERS = ("photo-24.tif", "photo-100.tif", "photo-400.tif")
DISTINCT = 8_000
"""Addresses per master."""
MARKS = (20_000, 200_000)
LOAD = Load(connections=8, seconds=2)
LABEL = "memory over many tiles"


def measure_endurance(stage: Stage) -> dict[str, Any]:
    """Resident memory of the gateway after 20,000 and after 200,000 tiles. Not in rounds."""
    paths = [
        tile_path(stage.masters[name], tile)
        for name in MASTERS
        for tile in interior_tiles(stage.masters[name], DISTINCT)
    ]
    with ExitStack() as stack:
        (rig,) = started(stack, [vitrine_rig(stage.folder)])
        rows: list[Row] = []
        asked = failures = 0
        for mark in MARKS:
            while asked < mark:
                figures = ask_with_wrk(rig, paths, LOAD)
                asked += figures["requests"]
                failures += figures["failures"]
                stage.progress(f"{LABEL}: {asked:,} of {MARKS[-1]:,}")
            rows.append(_row(rig, mark, asked, failures))
    return {"rows": rows, "checks": []}


def _row(rig: Rig, mark: int, asked: int, failures: int) -> Row:
    return {
        "label": LABEL,
        "bed": rig.name,
        "round": 1,
        "mark": mark,
        "requests": asked,
        "failures": failures,
        "gateway_resident_bytes": rig.usage("gateway").resident_bytes,
    }
