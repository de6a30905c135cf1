"""(b) Tiles at the right and bottom edge: their cost, and whether they are the stored pixels."""

from contextlib import ExitStack
from functools import partial
from typing import Any

from loadtest.client.quick_checks import thorough_fault_of
from loadtest.client.response_reader import HttpResponse
from loadtest.client.wrk_peak import Load, ask_with_wrk
from loadtest.corpora.access_masters import Master, libvips_levels
from loadtest.figures.delivered_quality import decode, largest_difference
from loadtest.studies.delivery.delivery_requests import TILE, Ask, TilePlace, edge_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Stage, started, take_turns, warm

MASTERS = ("photo-100.tif", "libvips-rgb.tif")
LOAD = Load(connections=8, seconds=2)


def label_of(name: str) -> str:
    """How rows of this master are labelled."""
    return f"edge tiles, {name}"


def measure_edges(stage: Stage) -> dict[str, Any]:
    """CPU per edge tile; how many are, decoded, equal to the stored pixels in every bit."""
    rows, checks = [], []
    with ExitStack() as stack:
        rigs = started(stack, stage.three_rigs())
        for name in MASTERS:
            label = label_of(name)
            comparison = _Comparison(stage.masters[name])
            for rig in rigs:
                found = warm(rig, comparison.asks, comparison.look)
                checks.append({"label": label} | found | comparison.result())
            paths = [ask.path for ask in comparison.asks]
            asking = partial(ask_with_wrk, paths=paths, load=LOAD)
            rows += take_turns(stage, label, rigs, asking)
    return {"rows": rows, "checks": checks}


class _Comparison:
    """Compares tiles with what the pyramid stores, decoded by libvips."""

    def __init__(self, master: Master) -> None:
        self._levels = libvips_levels(master.path)
        self._places: dict[str, TilePlace] = {
            tile_path(master, tile): tile for tile in edge_tiles(master)
        }
        self.asks = [Ask("edge", path) for path in self._places]
        self._differences: list[int] = []

    def look(self, ask: Ask, response: HttpResponse) -> str:
        """As the thorough look; notes the difference."""
        fault = thorough_fault_of(ask, response)
        if not fault:
            tile = self._places[ask.path]
            box = (tile.column * TILE, tile.row * TILE, tile.width, tile.height)
            stored = self._levels[tile.level].crop(*box).numpy()
            self._differences.append(largest_difference(stored, decode(response.body)))
        return fault

    def result(self) -> dict[str, Any]:
        """Of the tiles since the last call."""
        differences, self._differences = self._differences, []
        return {
            "bit_exact": differences.count(0),
            "largest_difference": max(differences, default=0),
        }
