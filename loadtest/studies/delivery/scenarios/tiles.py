"""(a) Whole aligned tiles of every scale factor: the requests that viewers make most."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from loadtest.client.http_client import check_thoroughly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.wrk_peak import WrkRun, send_with_wrk
from loadtest.rigs.rig import Rig
from loadtest.rigs.rivals import static_rig
from loadtest.studies.delivery.delivery_requests import interior_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Stage, start_rigs, take_turns, warm_rig
from loadtest.workload.target import Target

MASTERS = ("photo-100.tif", "libvips-rgb.tif", "libvips-420.tif")
TILES = 2_000
LOAD = WrkRun(connections=8, seconds=2)


def label_of(name: str) -> str:
    """Return the label of this master's rows."""
    return f"interior tiles, {name}"


def measure_tiles(stage: Stage) -> dict[str, Any]:
    """Measure requests per second and CPU per tile: ours, iipsrv, with its cache, plain files."""
    rows, checks = [], []
    for name in MASTERS:
        tiles = interior_tiles(stage.masters[name], TILES)
        paths = [tile_path(stage.masters[name], tile) for tile in tiles]
        label = label_of(name)
        with ExitStack() as stack:
            rigs = start_rigs(stack, stage.three_rigs())
            root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
            checks += _warm_and_keep(label, rigs, paths, root)
            rigs += start_rigs(stack, [static_rig(root)])
            rows += take_turns(stage, label, rigs, partial(send_with_wrk, paths=paths, load=LOAD))
    return {"rows": rows, "checks": checks}


def _warm_and_keep(
    label: str, rigs: Sequence[Rig], paths: Sequence[str], root: Path
) -> list[dict[str, Any]]:
    """Check every tile of every rig; ours are kept under `root` for the plain file server."""
    targets = [Target("tile", path) for path in paths]

    def keep(target: Target, response: HttpResponse) -> str:
        file = root / target.path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(response.body)
        return check_thoroughly(target, response)

    first, *others = rigs
    found = [warm_rig(first, targets, keep), *(warm_rig(rig, targets) for rig in others)]
    return [{"label": label} | check for check in found]
