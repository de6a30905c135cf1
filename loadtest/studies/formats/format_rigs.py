"""The servers of the files, all started on one folder."""

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from loadtest.servers.rivals import iipsrv_rig
from loadtest.studies.formats.format_encoders import FORMATS
from loadtest.studies.formats.format_server import READY
from rigs.rig import Rig, running_rig, vitrine_rig
from vitrine.bootstrap.local_service import REPOSITORY


@dataclass(frozen=True, kw_only=True)
class ServerKind:
    """A server, and the formats that it reads."""

    start: Callable[[Path], AbstractContextManager[Rig]]
    about: str
    formats: tuple[str, ...]


def decoders_rig(folder: Path) -> AbstractContextManager[Rig]:
    """Start `loadtest.studies.formats.format_server` on the folder."""
    command = (
        *(sys.executable, "-m", "loadtest.studies.formats.format_server"),
        *("{port}", str(folder)),
    )

    def prepare(work: Path, port: int) -> dict[str, str]:
        return {"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}

    return running_rig("decoders", {"python": command}, prepare, ready=READY)


KINDS: Mapping[str, ServerKind] = {
    "iipsrv": ServerKind(
        start=lambda folder: iipsrv_rig(folder),
        about="nginx and Debian's iipsrv, tile cache off: libtiff for PTIFF, OpenJPEG for both "
        "JPEG 2000s",
        formats=tuple(FORMATS),
    ),
    "decoders": ServerKind(
        start=decoders_rig,
        about="one Python server for all formats, so that their decoders are what differs: "
        "libjpeg-turbo and zlib (imagecodecs) for PTIFF, OpenJPEG (Pillow) for JPEG 2000, OpenJPH "
        "(imagecodecs) for HTJ2K",
        formats=tuple(FORMATS),
    ),
    "ours": ServerKind(
        start=lambda folder: vitrine_rig(folder, VITRINE_LARGE_RENDERS_PER_VIEWER="0"),
        about="our image task, cache of derivatives off; it reads our access masters only",
        formats=("ptiff-lossy",),
    ),
}
"""Servers that can be started, by their names on the command line."""
