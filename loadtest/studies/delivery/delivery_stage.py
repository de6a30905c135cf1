"""What every scenario gets, and the way in which rigs take turns."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.http_client import Check, check_thoroughly
from loadtest.client.rig_load import send_to_rig
from loadtest.corpora.access_masters import Master, Progress
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.rigs.rivals import iipsrv_rig
from loadtest.studies.interleaved_rounds import turns
from loadtest.workload.target import Target

TILE_CACHE_MEBIBYTES = 512
WARMING_CONNECTIONS = 2

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The masters and options of one run."""

    masters: dict[str, Master]
    folder: Path
    """The folder of the masters."""
    scratch: Path
    rounds: int
    request_lists: Path | None
    """The folder of the published request lists."""
    progress: Progress

    def three_rigs(self, folder: Path | None = None) -> list[AbstractContextManager[Rig]]:
        """Return our rig, plain iipsrv, and iipsrv with its own tile cache, not yet started.

        They serve the masters of `folder`, if it is not the stage's own.
        """
        folder = folder or self.folder
        return [
            vitrine_rig(folder),
            iipsrv_rig(folder),
            iipsrv_rig(
                folder,
                name="iipsrv, tile cache",
                tile_cache_mebibytes=TILE_CACHE_MEBIBYTES,
            ),
        ]


def start_rigs(stack: ExitStack, rigs: Iterable[AbstractContextManager[Rig]]) -> list[Rig]:
    """Start all of them; they run until the stack is left."""
    return [stack.enter_context(rig) for rig in rigs]


def take_turns(
    stage: Stage, label: str, rigs: Sequence[Rig], measure: Callable[[Rig], Row]
) -> list[Row]:
    """Measure every rig once in each round, in turns, and return a row for each."""
    rows = []
    for number, rig in turns(rigs, stage.rounds):
        rows.append({"label": label, "bed": rig.name, "round": number} | measure(rig))
        if len(rows) % len(rigs) == 0:
            stage.progress(f"{label}: round {number} of {stage.rounds}")
    return rows


def warm_rig(
    rig: Rig, targets: Sequence[Target], check: Check = check_thoroughly
) -> dict[str, Any]:
    """Request everything once, so that all caches are warm, and check every answer thoroughly."""
    figures = send_to_rig(rig, targets, WARMING_CONNECTIONS, check)
    return {
        "bed": rig.name,
        "requests": figures["requests"],
        "failures": figures["failures"],
        "failed": figures["failed"],
        "bytes_per_request": round(figures["bytes"] / max(1, figures["requests"])),
    }
