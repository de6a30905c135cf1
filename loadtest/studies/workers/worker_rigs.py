"""The servers of the tuning table, each with a number of iipsrv processes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from loadtest.corpora.access_masters import Master
from loadtest.servers.rivals import TILE_CACHE_MEBIBYTES, iipsrv_rig
from loadtest.studies.museum.museum_servers import NO_LIMIT, image_of
from loadtest.workload.catalogue import Catalogue
from rigs.rig import Rig, vitrine_rig

_DERIVATIVE_CACHE_MEBIBYTES = 1_024
_Start = Callable[[Path, str, int], AbstractContextManager[Rig]]


@dataclass(frozen=True)
class _WorkerKind:
    start: _Start
    about: str


def _start_ours(folder: Path, name: str, processes: int) -> AbstractContextManager[Rig]:
    settings = {
        **NO_LIMIT,
        "VITRINE_DERIVATIVE_CACHE_MEBIBYTES": str(_DERIVATIVE_CACHE_MEBIBYTES),
        "VITRINE_RENDER_CORES": str(processes),
        "VITRINE_IIPSRV_PROCESSES": str(processes),
    }
    return vitrine_rig(folder, name=name, **settings)


def _start_plain(folder: Path, name: str, processes: int) -> AbstractContextManager[Rig]:
    cache = TILE_CACHE_MEBIBYTES
    return iipsrv_rig(folder, name=name, tile_cache_mebibytes=cache, processes=processes)


KINDS: Mapping[str, _WorkerKind] = {
    "ours": _WorkerKind(
        _start_ours,
        f"our image task, {_DERIVATIVE_CACHE_MEBIBYTES:,} MiB of derivatives kept; iipsrv renders "
        "JPEGs, the gateway thumbnails and other formats",
    ),
    "iipsrv": _WorkerKind(
        _start_plain,
        f"nginx and plain iipsrv, each process with a tile cache of {TILE_CACHE_MEBIBYTES} MiB; "
        "whole answers it cannot keep",
    ),
}
"""Servers that can be started, by their names on the command line."""


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """A server with its number of processes, running."""

    server: str
    processes: int
    rig: Rig

    @property
    def url(self) -> str:
        """Scheme and host."""
        return f"http://127.0.0.1:{self.rig.port}"


def start_tuned(
    stack: ExitStack, servers: Sequence[str], processes: Sequence[int], folder: Path
) -> Iterator[Tuned]:
    """Start every server with every number of processes, until the stack is left.

    Raises VitrineError."""
    for count in processes:
        for name in servers:
            rig = stack.enter_context(KINDS[name].start(folder, f"{name} x {count}", count))
            yield Tuned(server=name, processes=count, rig=rig)


def catalogue_of(masters: Sequence[Master]) -> Catalogue:
    """Return the images by the names that all of these servers give them."""
    return Catalogue.of(image_of(master, ".tif") for master in masters)
