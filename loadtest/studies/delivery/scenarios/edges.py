"""(b) Tiles at the right and bottom edge: their cost, and whether they are the stored pixels."""

from contextlib import ExitStack
from functools import partial
from typing import Any

from loadtest.client.http_client import check_thoroughly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.wrk_peak import WrkRun, send_with_wrk
from loadtest.corpora.access_masters import Master, libvips_levels
from loadtest.figures.delivered_quality import decode, largest_difference
from loadtest.studies.delivery.delivery_requests import TILE, TilePlace, edge_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Stage, start_rigs, take_turns, warm_rig
from loadtest.workload.target import Target

MASTERS = ("photo-100.tif", "libvips-rgb.tif")
LOAD = WrkRun(connections=8, seconds=2)


def label_of(name: str) -> str:
    """Return the label of this master's rows."""
    return f"edge tiles, {name}"


def measure_edges(stage: Stage) -> dict[str, Any]:
    """Measure the CPU per edge tile, and how many decode to exactly the stored pixels."""
    rows, checks = [], []
    with ExitStack() as stack:
        rigs = start_rigs(stack, stage.three_rigs())
        for name in MASTERS:
            label = label_of(name)
            comparison = _Comparison(stage.masters[name])
            for rig in rigs:
                found = warm_rig(rig, comparison.targets, comparison.look)
                checks.append({"label": label} | found | comparison.result())
            paths = [target.path for target in comparison.targets]
            asking = partial(send_with_wrk, paths=paths, load=LOAD)
            rows += take_turns(stage, label, rigs, asking)
    return {"rows": rows, "checks": checks}


class _Comparison:
    """Compares tiles with what the pyramid stores, decoded by libvips."""

    def __init__(self, master: Master) -> None:
        self._levels = libvips_levels(master.path)
        self._places: dict[str, TilePlace] = {
            tile_path(master, tile): tile for tile in edge_tiles(master)
        }
        self.targets = [Target("edge", path) for path in self._places]
        self._differences: list[int] = []

    def look(self, target: Target, response: HttpResponse) -> str:
        """Check an answer thoroughly, and note its difference from the stored pixels."""
        fault = check_thoroughly(target, response)
        if not fault:
            tile = self._places[target.path]
            box = (tile.column * TILE, tile.row * TILE, tile.width, tile.height)
            stored = self._levels[tile.level].crop(*box).numpy()
            self._differences.append(largest_difference(stored, decode(response.body)))
        return fault

    def result(self) -> dict[str, Any]:
        """Return the figures of the tiles since the last call."""
        differences, self._differences = self._differences, []
        return {
            "bit_exact": differences.count(0),
            "largest_difference": max(differences, default=0),
        }
