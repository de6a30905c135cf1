"""One-machine services of these tests, and pictures to put in."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyvips

from tests.forked_vitrine import run_vitrine
from tests.rigs.corpora.jpeg2000_masters import codestream, enumerated, jp2
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, REPOSITORY, LocalService
from vitrine.local import process

VITRINE = REPOSITORY / ".venv" / "bin" / "vitrine"
SIDE = 700
SECONDS = 90
"""Seconds that killed processes may take to end on a busy machine."""


class Machine:
    """A one-machine service that a test may stop, kill and start again."""

    def __init__(self, directory: Path, ports: list[int]) -> None:
        self.directory = directory
        self.environment = os.environ | {DIRECTORY_VARIABLE: str(directory)}
        names = ("--edge-port", "--origin-port", "--emulator-port")
        self.options = [word for pair in zip(names, map(str, ports), strict=True) for word in pair]

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run_vitrine(arguments, self.environment)

    def up(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return self.run("up", *self.options, *arguments)

    def kill(self) -> None:
        """Kill its processes, and wait until they have let go of their ports."""
        killed = process.read_notes(self.directory)
        for item in killed:
            os.killpg(item.pid, signal.SIGKILL)
        assert not process.wait_for_groups({item.pid for item in killed}, SECONDS)

    @property
    def service(self) -> LocalService:
        found = LocalService.load(self.directory)
        assert found is not None
        return found


def machine_of(service: Any) -> Machine:
    """Return the service of these tests (`service` in tests/conftest.py) as a machine."""
    found = service.addresses
    urls = (found.edge_url, found.origin_url, found.emulator_url)
    directory = Path(service.environment[DIRECTORY_VARIABLE])
    return Machine(directory, [urlsplit(url).port or 0 for url in urls])


def draw(path: Path, seed: int, side: int = SIDE) -> np.ndarray[Any, Any]:
    """Write a smooth RGB picture as TIFF, or JPEG 2000 if the name says so; its pixels."""
    rows, columns = np.mgrid[0:side, 0:side]
    waves = [
        np.sin(rows / (30 + seed)),
        np.cos(columns / (40 + seed)),
        np.sin((rows + columns) / 50),
    ]
    pixels = (128 + 100 * np.stack(waves, axis=-1)).astype(np.uint8)
    if path.suffix == ".jp2":
        path.write_bytes(jp2(codestream(pixels), enumerated(16)))
    else:
        pyvips.Image.new_from_array(pixels, interpretation="srgb").tiffsave(str(path))
    return pixels
