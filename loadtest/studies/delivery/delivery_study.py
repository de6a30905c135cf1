"""The runner of the scenarios, which keeps every figure of every round."""

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from loadtest.corpora.access_masters import DESCRIPTIONS, Progress, make_masters
from loadtest.corpora.photographs import ELEPHANTS
from loadtest.figures.round_medians import medians
from loadtest.rigs.rivals import PROCESSES, SETTINGS
from loadtest.studies.delivery.delivery_goals import goals
from loadtest.studies.delivery.delivery_stage import Stage
from loadtest.studies.delivery.scenarios.collection import measure_collection
from loadtest.studies.delivery.scenarios.edges import measure_edges
from loadtest.studies.delivery.scenarios.endurance import measure_endurance
from loadtest.studies.delivery.scenarios.giants import measure_giants
from loadtest.studies.delivery.scenarios.replay import measure_replay
from loadtest.studies.delivery.scenarios.tiles import measure_tiles
from loadtest.studies.delivery.scenarios.view import measure_view
from vitrine.errors import VitrineError

SCENARIOS: Mapping[str, Callable[[Stage], dict[str, Any]]] = {
    "tiles": measure_tiles,
    "edges": measure_edges,
    "view": measure_view,
    "collection": measure_collection,
    "giants": measure_giants,
    "endurance": measure_endurance,
    "replay": measure_replay,
}
"""The scenarios by their names on the command line, in the order they run."""

_PROGRAMS = ("wrk", "nginx", "spawn-fcgi", "multiwatch", "envsubst")
_PACKAGES = ("nginx-light", "nginx-core", "iipimage-server", "wrk", "libjpeg62-turbo")


def measure_deliver(
    names: Sequence[str],
    rounds: int,
    scratch: Path,
    request_lists: Path | None,
    progress: Progress,
) -> dict[str, Any]:
    """Run the scenarios `names` (all if empty) in `rounds` rounds.

    Access masters are made in `scratch` and kept there. A scenario that fails has an `error`.
    Raises VitrineError for a program that is missing and a name that is not known.
    """
    unknown = sorted(set(names) - set(SCENARIOS))
    if unknown:
        raise VitrineError(
            f"there is no scenario {unknown[0]}; name some of {', '.join(SCENARIOS)}"
        )
    _check_programs()
    folder = (scratch / "masters").resolve()
    stage = Stage(
        masters=make_masters(folder, progress),
        folder=folder,
        scratch=scratch,
        rounds=rounds,
        request_lists=request_lists,
        progress=progress,
    )
    measured = {name: _measure(name, stage) for name in SCENARIOS if name in names or not names}
    return {
        "masters": dict(DESCRIPTIONS),
        "photograph": f"{ELEPHANTS.name} of Debian's {ELEPHANTS.package}, mirrored, not enlarged",
        "iipsrv_settings": SETTINGS | {"processes": str(PROCESSES)},
        "packages": _versions(),
        "rounds": rounds,
        "goals": [asdict(goal) | {"met": goal.met} for goal in goals(measured)],
        "scenarios": measured,
    }


def _measure(name: str, stage: Stage) -> dict[str, Any]:
    """Run one scenario; if it fails, report that and keep the figures of the others."""
    try:
        measured = SCENARIOS[name](stage)
    except (VitrineError, RuntimeError, OSError) as error:
        stage.progress(f"{name}: failed: {error}")
        return {"error": str(error), "rows": [], "checks": [], "medians": []}
    return measured | {"medians": medians(measured["rows"])}


def _check_programs() -> None:
    path = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin"
    missing = [program for program in _PROGRAMS if not shutil.which(program, path=path)]
    if missing:
        raise VitrineError(f"{', '.join(missing)}: not installed (see scripts/debian-packages)")


def _versions() -> dict[str, str]:
    """Return the versions of the installed Debian packages that are measured or measure."""
    command = ["dpkg-query", "-W", "-f=${Package} ${Version}\n", *_PACKAGES]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    pairs = (line.split() for line in lines)
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
