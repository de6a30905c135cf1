"""What every scenario is given, and the way they all take turns."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.quick_checks import thorough_fault_of
from loadtest.client.timed_load import Look, ask_mixed
from loadtest.corpora.access_masters import Master, Progress
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.rigs.rivals import iipsrv_rig
from loadtest.studies.delivery.delivery_requests import Ask

TILE_CACHE_MEBIBYTES = 512
WARMING_CONNECTIONS = 2

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One run's masters and wishes."""

    masters: dict[str, Master]
    folder: Path
    """Where the masters lie."""
    scratch: Path
    rounds: int
    request_lists: Path | None
    """Folder of the published request lists."""
    progress: Progress

    def three_rigs(self) -> list[AbstractContextManager[Rig]]:
        """Ours, plain iipsrv, and iipsrv with its own tile cache."""
        return [
            vitrine_rig(self.folder),
            iipsrv_rig(self.folder),
            iipsrv_rig(
                self.folder,
                name="iipsrv, tile cache",
                tile_cache_mebibytes=TILE_CACHE_MEBIBYTES,
            ),
        ]


def started(stack: ExitStack, rigs: Iterable[AbstractContextManager[Rig]]) -> list[Rig]:
    """All of them, running until the stack is left."""
    return [stack.enter_context(rig) for rig in rigs]


def take_turns(
    stage: Stage, label: str, rigs: Sequence[Rig], measure: Callable[[Rig], Row]
) -> list[Row]:
    """Every round asks every rig once, each round another first; one row each."""
    rows = []
    for number in range(1, stage.rounds + 1):
        first = number % len(rigs)
        for rig in (*rigs[first:], *rigs[:first]):
            rows.append({"label": label, "bed": rig.name, "round": number} | measure(rig))
        stage.progress(f"{label}: round {number} of {stage.rounds}")
    return rows


def warm(rig: Rig, asks: Sequence[Ask], look: Look = thorough_fault_of) -> dict[str, Any]:
    """Ask everything once, so that all caches are warm, and look at every answer thoroughly."""
    figures = ask_mixed(rig, asks, WARMING_CONNECTIONS, look)
    return {
        "bed": rig.name,
        "requests": figures["requests"],
        "failures": figures["failures"],
        "failed": figures["failed"],
        "bytes_per_request": round(figures["bytes"] / max(1, figures["requests"])),
    }
