"""A rig with an edge: the local edge's nginx before our image task, started for a measurement."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rigs.rig import Rig, running_rig, vitrine_rig
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local.edge.edge import write_configuration

FUNCTIONS = REPOSITORY / "stacks" / "functions"
NOWHERE = 9
"""The port "discard", at which no emulator answers: there are no pages here."""


@dataclass(frozen=True, kw_only=True)
class EdgeRig:
    """An edge and what is behind it."""

    edge: Rig
    origin: Rig
    directory: Path
    """The edge's: its cache and logs."""

    @property
    def port(self) -> int:
        """The port that viewers use."""
        return self.edge.port


@contextmanager
def edge_rig(masters: Path, **changes: str) -> Iterator[EdgeRig]:
    """Serve a folder of access masters; `changes` are settings of the image task.

    Raises ProcessDied, and VitrineError when the start takes too long.
    """
    ready = f"/iiif/3/{min(path.name for path in masters.glob('*.tif'))}/info.json"
    with (
        vitrine_rig(masters, name="origin", **changes) as origin,
        edge_before(origin.port, ready=ready) as (edge, directory),
    ):
        yield EdgeRig(edge=edge, origin=origin, directory=directory)


@contextmanager
def edge_before(origin_port: int, *, ready: str) -> Iterator[tuple[Rig, Path]]:
    """Run an edge in front of a running image task; yield it and its directory.

    `ready` is an address that is answered 200. Raises as `edge_rig` does.
    """
    folders: list[Path] = []

    def prepare(work: Path, port: int) -> dict[str, str]:
        folders.append(work)
        write_configuration(
            work,
            port=port,
            origin_port=origin_port,
            emulator_port=NOWHERE,
            site_bucket="none",
            functions=FUNCTIONS,
        )
        return {}

    command = ["nginx", "-c", "{work}/nginx.conf", "-p", "{work}", "-e", "{work}/error.log"]
    with running_rig("edge", {"nginx": command}, prepare, ready=ready) as edge:
        yield edge, folders[0]
