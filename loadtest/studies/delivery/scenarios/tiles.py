"""(a) Whole tiles of every scale factor, aligned: the requests that viewers make most."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from loadtest.client.quick_checks import thorough_fault_of
from loadtest.client.response_reader import HttpResponse
from loadtest.client.wrk_peak import Load, ask_with_wrk
from loadtest.rigs.rig import Rig
from loadtest.rigs.rivals import static_rig
from loadtest.studies.delivery.delivery_requests import Ask, interior_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Stage, started, take_turns, warm

MASTERS = ("photo-100.tif", "libvips-rgb.tif", "libvips-420.tif")
TILES = 2_000
LOAD = Load(connections=8, seconds=2)


def label_of(name: str) -> str:
    """How rows of this master are labelled."""
    return f"interior tiles, {name}"


def measure_tiles(stage: Stage) -> dict[str, Any]:
    """Requests per second and CPU per tile: ours, iipsrv, iipsrv with its cache, plain files."""
    rows, checks = [], []
    for name in MASTERS:
        tiles = interior_tiles(stage.masters[name], TILES)
        paths = [tile_path(stage.masters[name], tile) for tile in tiles]
        label = label_of(name)
        with ExitStack() as stack:
            rigs = started(stack, stage.three_rigs())
            root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
            checks += _warm_and_keep(label, rigs, paths, root)
            rigs += started(stack, [static_rig(root)])
            rows += take_turns(stage, label, rigs, partial(ask_with_wrk, paths=paths, load=LOAD))
    return {"rows": rows, "checks": checks}


def _warm_and_keep(
    label: str, rigs: Sequence[Rig], paths: Sequence[str], root: Path
) -> list[dict[str, Any]]:
    """Look at every tile of every rig; ours are kept under `root` for the plain file server."""
    asks = [Ask("tile", path) for path in paths]

    def keep(ask: Ask, response: HttpResponse) -> str:
        target = root / ask.path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(response.body)
        return thorough_fault_of(ask, response)

    first, *others = rigs
    found = [warm(first, asks, keep), *(warm(rig, asks) for rig in others)]
    return [{"label": label} | check for check in found]
