"""The doors that are compared: how each is started, and how a photograph is sent to it."""

import http.client
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from loadtest.rigs.iiif_processor.iiif_processor import install_node_modules
from loadtest.rigs.photo_doors.door_process import KEYS
from loadtest.rigs.rig import READY_SECONDS, Rig, image_task_environment, running_rig
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api.photo_forms import Form, Forms
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError
from vitrine.local.task import search_path
from vitrine.store.layout import PHOTO_FORM_KEYS

WORKERS = os.cpu_count() or 1
"""Processes of each door: one per core."""
SIDE = 500
AGENTS_AT_MOST = 256
_PEERS = REPOSITORY / ".build" / "peers"
_HERE = Path(__file__).parent
_BOUNDARY = "photo-of-an-agent"
Send = Callable[[http.client.HTTPSConnection, bytes], tuple[int, bytes]]
"""Sends a photograph, and returns the status and the body of the answer."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A door by its name."""

    name: str
    start: Callable[[], AbstractContextManager[Rig]]
    send: Send
    sides: tuple[int, ...] = (SIDE,)
    """What the longer side of the first thumbnail may have, in pixels."""


def ours(name: str, thumbnails: str, *, form: bool = False) -> Engine:
    """Return our door, asked for these thumbnails: nginx and the door as in an image task.

    A photograph is the body, as other doors get it, or a field of a form, as a page sends it.
    """
    records = MemoryObjectStore()
    token = Forms(records).sign(
        Form(
            subject="agents",
            expires=int(time.time()) + 86_000,
            photos_per_hour=100_000_000,
            most_bytes=64 << 20,
        )
    )
    keys, _ = records.get(PHOTO_FORM_KEYS)

    def prepare(work: Path, port: int) -> dict[str, str]:
        (work / KEYS).write_bytes(keys)
        module = "loadtest.rigs.photo_doors.door_process"
        return image_task_environment(work, work, port, module) | {
            "VITRINE_MASTERS_BUCKET": "unused",
            "VITRINE_RECORDS_BUCKET": "unused",
            "VITRINE_PHOTO_USES_TABLE": "unused",
            "VITRINE_PHOTO_WORKERS": str(WORKERS),
            "VITRINE_PHOTO_QUEUE": str(AGENTS_AT_MOST),
        }

    return Engine(
        name=name,
        start=lambda: _running_door(prepare),
        send=_sent_in_form(token, thumbnails) if form else _sent_as_body(token, thumbnails),
        sides=(150, SIDE),
    )


def _sent_as_body(token: str, thumbnails: str) -> Send:
    address = f"/photos?store=no&thumbnails={thumbnails}"
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/jpeg"}
    return lambda connection, photo: _request(connection, "POST", address, photo, headers)


def _sent_in_form(token: str, thumbnails: str) -> Send:
    fields = {"token": token, "thumbnails": thumbnails, "store": "no"}
    head = "".join(
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    head += f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n'
    head += "Content-Type: image/jpeg\r\n\r\n"
    headers = {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}

    def send(connection: http.client.HTTPSConnection, photo: bytes) -> tuple[int, bytes]:
        body = b"".join((head.encode(), photo, f"\r\n--{_BOUNDARY}--\r\n".encode()))
        return _request(connection, "POST", "/photos", body, headers)

    return send


@contextmanager
def _running_door(prepare: Callable[[Path, int], dict[str, str]]) -> Iterator[Rig]:
    """Start nginx and the door, and wait until both take connections. Raises VitrineError."""
    commands = {part: [f"containers/{part}/start"] for part in ("photos", "nginx")}
    with running_rig("door", commands, prepare, ready="/nginx-status") as rig:
        deadline = time.monotonic() + READY_SECONDS
        while not _is_healthy(rig):
            rig.check()
            if time.monotonic() > deadline:
                raise VitrineError(f"the photo door is not ready after {READY_SECONDS:g} s")
            time.sleep(0.1)
        yield rig


def _is_healthy(rig: Rig) -> bool:
    environment = {"PATH": search_path(), "VITRINE_WORK_DIRECTORY": str(rig.work)}
    command = [str(REPOSITORY / "containers/photos/healthy")]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    return not done.returncode


def on_node(name: str) -> Engine:
    """Return one of the engines in node/server.js."""
    installed = _PEERS / "photo-doors"
    command = ["node", str(installed / "server.js"), name, "{port}", str(WORKERS), str(SIDE)]

    def start() -> AbstractContextManager[Rig]:
        install_node_modules(_HERE / "node", installed)
        environment = {"NODE_ENV": "production"}
        return running_rig(name, {name: command}, lambda *_: environment, ready="/ready")

    return Engine(name=name, start=start, send=_post)


def pillow(name: str, how: str) -> Engine:
    """Return Baresoil's program on gunicorn."""
    module = "loadtest.rigs.photo_doors.pillow_server"
    command = [sys.executable, "-m", module, "{port}", str(WORKERS), how]
    environment = {"PYTHONPATH": str(REPOSITORY)}
    return Engine(
        name=name,
        start=lambda: running_rig(name, {name: command}, lambda *_: environment, ready="/"),
        send=_post,
    )


def thumbor() -> Engine:
    """Return thumbor, which takes a photograph by one request and shows it by another."""
    program = _PEERS / "thumbor" / "bin" / "thumbor"
    command = [str(program), "-i", "127.0.0.1", "-p", "{port}", "-c", "{work}/thumbor.conf"]
    command += ["--processes", str(WORKERS)]

    def prepare(work: Path, port: int) -> dict[str, str]:
        _install_thumbor(program)
        settings = {
            "UPLOAD_ENABLED": True,
            "UPLOAD_PHOTO_STORAGE": "thumbor.storages.file_storage",
            "STORAGE": "thumbor.storages.file_storage",
            "FILE_STORAGE_ROOT_PATH": str(work / "uploads"),
            "QUALITY": 85,
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
        return _request(connection, "GET", address, None, {})

    return Engine(
        name="thumbor",
        start=lambda: running_rig("thumbor", {"thumbor": command}, prepare, ready="/healthcheck"),
        send=send,
    )


ENGINES: dict[str, Callable[[], Engine]] = {
    "ours": lambda: ours("ours", "medium"),
    "ours-form": lambda: ours("ours-form", "medium", form=True),
    "ours-three": lambda: ours("ours-three", "small,medium,large"),
    "sharp": lambda: on_node("sharp"),
    "sharp-careful": lambda: on_node("sharp-careful"),
    "ipx": lambda: on_node("ipx"),
    "iiif-processor": lambda: on_node("iiif-processor"),
    "pillow": lambda: pillow("pillow", "whole"),
    "pillow-reduced": lambda: pillow("pillow-reduced", "reduced"),
    "thumbor": thumbor,
}
"""By the names that the command takes."""


def _post(connection: http.client.HTTPSConnection, photo: bytes) -> tuple[int, bytes]:
    return _request(connection, "POST", "/", photo, {"Content-Type": "image/jpeg"})


def _request(
    connection: http.client.HTTPSConnection,
    method: str,
    address: str,
    body: bytes | None,
    headers: dict[str, str],
) -> tuple[int, bytes]:
    connection.request(method, address, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


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
