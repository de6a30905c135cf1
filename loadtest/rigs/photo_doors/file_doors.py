"""Doors to which no photograph can be sent: they read it from a folder, by the name in an address.

So no photograph travels to them, over TLS or otherwise, which the doors that receive it pay for.
"""

import http.client
import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from loadtest.rigs.iiif_processor.iiif_processor import install_node_modules
from loadtest.rigs.photo_doors.engine import PEERS, QUALITY, SIDE, WORKERS, Engine, send_request
from loadtest.rigs.rig import running_rig
from vitrine.errors import VitrineError

OXIMG = "0.18.1"
_NODE = Path(__file__).parent / "node"
_BUILT_WITH = ("cargo", "cmake", "nasm")


class Shelf:
    """A folder of photographs, each request's under a name of its own.

    Requests for one name at once would be answered by one decoding.
    """

    def __init__(self) -> None:
        self._folder = Path()
        self._originals: dict[bytes, Path] = {}
        self._numbers = itertools.count()

    def open(self, folder: Path) -> None:
        """Begin with an empty folder."""
        folder.mkdir()
        self._folder, self._originals = folder, {}

    @contextmanager
    def place(self, photo: bytes) -> Iterator[str]:
        """Put a photograph there while the block runs, and return its name."""
        name = f"{next(self._numbers)}.jpg"
        if photo not in self._originals:
            original = self._folder / f"original-{name}"
            original.write_bytes(photo)
            self._originals[photo] = original
        path = self._folder / name
        os.link(self._originals[photo], path)
        try:
            yield name
        finally:
            path.unlink()


def ipx_by_get() -> Engine:
    """Return ipx with its own server."""
    installed = PEERS / "photo-doors"
    command = ["node", str(installed / "server.js"), "ipx-get"]
    command += ["{port}", str(WORKERS), str(SIDE), "{work}/photographs"]
    return _file_door(
        "ipx-get",
        command,
        {"NODE_ENV": "production"},
        install=lambda: install_node_modules(_NODE, installed),
        ready="/ready",
        address=f"/resize_{SIDE}x{SIDE},fit_inside,f_jpeg,q_{QUALITY}/{{name}}",
    )


def oximg_engine() -> Engine:
    """Return oximg as it comes, but for the quality: whole decoding, linear light, progressive."""
    installed = PEERS / "oximg"
    environment = {
        "OXIMG_BIND": "127.0.0.1",
        "PORT": "{port}",
        "IMAGES_DIR": "{work}/photographs",
        "OXIMG_WORKERS": str(WORKERS),
        "QUALITY": str(QUALITY),
    }
    return _file_door(
        "oximg",
        [str(installed / "bin" / "oximg")],
        environment,
        install=lambda: _install_oximg(installed),
        ready="/health",
        address=f"/resize/{SIDE}/{SIDE}/{{name}}",
    )


def _file_door(
    name: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    install: Callable[[], None],
    ready: str,
    address: str,
) -> Engine:
    shelf = Shelf()

    def prepare(work: Path, port: int) -> dict[str, str]:
        install()
        shelf.open(work / "photographs")
        return {key: value.format(work=work, port=port) for key, value in environment.items()}

    def send(connection: http.client.HTTPSConnection, photo: bytes) -> tuple[int, bytes]:
        with shelf.place(photo) as photograph:
            return send_request(connection, "GET", address.format(name=photograph), None, {})

    return Engine(
        name=name,
        start=lambda: running_rig(name, {name: command}, prepare, ready=ready),
        send=send,
    )


def _install_oximg(folder: Path) -> None:
    """Build it, as the lock of its crate says, unless it is there. Raises VitrineError."""
    if (folder / "bin" / "oximg").exists():
        return
    missing = [program for program in _BUILT_WITH if not shutil.which(program)]
    if missing:
        raise VitrineError(f"oximg needs {', '.join(missing)}: install them, or leave it out")
    command = ["cargo", "install", "oximg", "--version", OXIMG, "--locked", "--quiet"]
    command += ["--root", str(folder), "--target-dir", str(folder / "target")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise VitrineError(f"oximg was not built: {done.stderr.strip()}")
    shutil.rmtree(folder / "target")
