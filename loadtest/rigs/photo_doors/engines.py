"""The doors that are compared, by their names."""

import http.client
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from loadtest.rigs.iiif_processor.iiif_processor import install_node_modules
from loadtest.rigs.photo_doors.engine import (
    PEERS,
    QUALITY,
    SIDE,
    WORKERS,
    Engine,
    post_photograph,
    send_request,
)
from loadtest.rigs.photo_doors.file_doors import ipx_by_get, oximg_engine
from loadtest.rigs.photo_doors.imaginary import imaginary_engine
from loadtest.rigs.photo_doors.our_door import our_engine
from loadtest.rigs.rig import Rig, running_rig
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError
from vitrine.local.task import search_path

_HERE = Path(__file__).parent


def on_node(name: str) -> Engine:
    """Return one of the engines in node/server.js."""
    installed = PEERS / "photo-doors"
    command = ["node", str(installed / "server.js"), name, "{port}", str(WORKERS), str(SIDE)]

    def start() -> AbstractContextManager[Rig]:
        install_node_modules(_HERE / "node", installed)
        environment = {"NODE_ENV": "production"}
        return running_rig(name, {name: command}, lambda *_: environment, ready="/ready")

    return Engine(name=name, start=start, send=post_photograph)


def pillow_engine(name: str, how: str) -> Engine:
    """Return Baresoil's program on gunicorn."""
    module = "loadtest.rigs.photo_doors.pillow_server"
    command = [sys.executable, "-m", module, "{port}", str(WORKERS), how]
    environment = {"PYTHONPATH": str(REPOSITORY)}
    return Engine(
        name=name,
        start=lambda: running_rig(name, {name: command}, lambda *_: environment, ready="/"),
        send=post_photograph,
    )


def thumbor_engine() -> Engine:
    """Return thumbor, which takes a photograph by one request and shows it by another."""
    program = PEERS / "thumbor" / "bin" / "thumbor"
    command = [str(program), "-i", "127.0.0.1", "-p", "{port}", "-c", "{work}/thumbor.conf"]
    command += ["--processes", str(WORKERS)]

    def prepare(work: Path, port: int) -> dict[str, str]:
        _install_thumbor(program)
        settings = {
            "UPLOAD_ENABLED": True,
            "UPLOAD_PHOTO_STORAGE": "thumbor.storages.file_storage",
            "STORAGE": "thumbor.storages.file_storage",
            "FILE_STORAGE_ROOT_PATH": str(work / "uploads"),
            "QUALITY": QUALITY,
            "ALLOW_UNSAFE_URL": True,
        }
        lines = [f"{key} = {value!r}\n" for key, value in settings.items()]
        (work / "thumbor.conf").write_text("".join(lines))
        return {}

    def send(connection: http.client.HTTPSConnection, photo: bytes) -> tuple[int, bytes]:
        headers = {"Content-Type": "image/jpeg"}
        connection.request("POST", "/image", photo, headers)
        answer = connection.getresponse()
        answer.read()
        place = (answer.getheader("Location") or "").split("/")
        if answer.status != http.client.CREATED or len(place) < 3:
            return answer.status, b""
        address = f"/unsafe/fit-in/{SIDE}x{SIDE}/filters:format(jpeg)/{place[2]}"
        return send_request(connection, "GET", address, None, {})

    return Engine(
        name="thumbor",
        start=lambda: running_rig("thumbor", {"thumbor": command}, prepare, ready="/healthcheck"),
        send=send,
    )


ENGINES: dict[str, Callable[[], Engine]] = {
    "ours": lambda: our_engine("ours", "medium"),
    "ours-form": lambda: our_engine("ours-form", "medium", form=True),
    "ours-three": lambda: our_engine("ours-three", "small,medium,large"),
    "sharp": lambda: on_node("sharp"),
    "sharp-careful": lambda: on_node("sharp-careful"),
    "ipx": lambda: on_node("ipx"),
    "ipx-get": ipx_by_get,
    "iiif-processor": lambda: on_node("iiif-processor"),
    "pillow": lambda: pillow_engine("pillow", "whole"),
    "pillow-reduced": lambda: pillow_engine("pillow-reduced", "reduced"),
    "thumbor": thumbor_engine,
    "imaginary": imaginary_engine,
    "oximg": oximg_engine,
}
"""Doors by the names that the command takes."""


def _install_thumbor(program: Path) -> None:
    """Install it into an environment of its own, as its lock says. Raises VitrineError."""
    if program.exists():
        return
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{search_path()}")
    if not uv:
        raise VitrineError("thumbor needs uv, which `make setup-tests` installs")
    folder, lock = program.parent.parent, ("-r", str(_HERE / "thumbor.txt"))
    for command in (
        [uv, "venv", "--quiet", "--python", sys.executable, str(folder)],
        [uv, "pip", "install", "--quiet", "--python", str(folder), "--require-hashes", *lock],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise VitrineError(f"thumbor was not installed: {done.stderr.strip()}")
