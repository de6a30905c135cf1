"""The rounds: a static file, a repeated tile and a first tile, in turns, by the same generator.

First tiles are new to nginx only: their blocks are on disk. Each pass over the list has a Host of
its own, and nginx keeps answers by host, since their `Link` names it. So there are as many first
tiles as a round takes, of one image.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.http_client import check_thoroughly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.wrk_peak import WrkRun, send_with_wrk
from loadtest.corpora.access_masters import Master, Progress, make_master
from loadtest.figures.order_statistics import median
from loadtest.figures.round_medians import medians
from loadtest.rigs.pinning import pinned
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.rigs.rivals import static_rig
from loadtest.studies.delivery.delivery_requests import different_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Row, warm_rig
from loadtest.studies.interleaved_rounds import turns
from loadtest.workload.target import Target

MASTER = "photo-100.tif"
STATIC, REPEATED, FIRST = "static file", "repeated tile", "first tile"
GOALS: Mapping[str, float] = {FIRST: 2.5, REPEATED: 1.5}
"""CPU at most, as a multiple of the static file's."""
CONNECTIONS = 8
RECORD_SECONDS = 885
"""The longest lifetime there is: where a record is read again within a round, nginx fetches all
tiles again, and they are not only repeated."""


@dataclass(frozen=True, kw_only=True)
class TileCostStudy:
    """How many tiles, and how long."""

    tiles: int = 500
    rounds: int = 9
    seconds: int = 2
    """Of each measurement in a round."""
    scratch: Path = Path(".build/studies")


def measure_tile_cost(study: TileCostStudy, progress: Progress) -> dict[str, Any]:
    """Return figures, JSON-ready, with every round. Raises VitrineError, RuntimeError, OSError."""
    folder = study.scratch.resolve() / "tile-cost"
    master = make_master(folder, MASTER, progress)
    paths = [tile_path(master, tile) for tile in different_tiles(master, study.tiles)]
    with ExitStack() as stack, pinned() as pinning:
        pinning.start_servers()
        ours = stack.enter_context(
            vitrine_rig(folder, VITRINE_IDENTIFIER_TTL_SECONDS=str(RECORD_SECONDS))
        )
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
        check = warm_rig(ours, [Target("tile", path) for path in paths], keep_under(root))
        static = stack.enter_context(static_rig(root))
        pinning.start_generator()
        measures = _measures(study, paths, ours, static)
        rows = list(_run_rounds(study, measures, progress))
    return {
        "master": _describe(master),
        "tiles": study.tiles,
        "seconds": study.seconds,
        "connections": CONNECTIONS,
        "pinned": pinning.as_json(),
        "check": check,
        "rounds": rows,
        "medians": medians(rows),
        "ratios": {what: ratios(rows, what) for what in GOALS},
    }


def keep_under(root: Path) -> Callable[[Target, HttpResponse], str]:
    """Return a check that writes each answer to a file under `root`, by its address."""

    def keep(target: Target, response: HttpResponse) -> str:
        file = root / target.path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(response.body)
        return check_thoroughly(target, response)

    return keep


def _measures(
    study: TileCostStudy, paths: Sequence[str], ours: Rig, static: Rig
) -> dict[str, Callable[[int], Row]]:
    """Return what is measured in each round, by its name; each gets the number of the round."""
    load = WrkRun(connections=CONNECTIONS, seconds=study.seconds)
    warming = WrkRun(connections=CONNECTIONS, seconds=1)

    def repeat(number: int) -> Row:
        send_with_wrk(ours, paths, warming)
        return send_with_wrk(ours, paths, load)

    def send_first(number: int) -> Row:
        fresh = WrkRun(
            connections=CONNECTIONS, seconds=study.seconds, fresh_host=f"round-{number}.test"
        )
        return send_with_wrk(ours, paths, fresh)

    return {
        STATIC: lambda number: send_with_wrk(static, paths, load),
        REPEATED: repeat,
        FIRST: send_first,
    }


def _run_rounds(
    study: TileCostStudy, measures: Mapping[str, Callable[[int], Row]], progress: Progress
) -> list[Row]:
    rows: list[Row] = []
    for number, what in turns(tuple(measures), study.rounds):
        found = measures[what](number)
        rows.append({"label": what, "bed": what, "round": number, **found})
        if len(rows) % len(measures) == 0:
            progress(f"round {number} of {study.rounds} is done")
    return rows


def ratios(rows: Sequence[Row], what: str) -> dict[str, Any]:
    """Return CPU as a multiple of the static file's, by round, and the median of the rounds."""
    cpu = {(row["label"], row["round"]): row["cpu_ms_per_request"] for row in rows}
    numbers = sorted({row["round"] for row in rows})
    found = [round(cpu[what, number] / cpu[STATIC, number], 3) for number in numbers]
    return {"rounds": found, "median": round(median(found), 3), "most": GOALS[what]}


def _describe(master: Master) -> dict[str, Any]:
    return {"name": master.name, "width": master.width, "height": master.height}
