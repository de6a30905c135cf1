"""Our photo door as in an image task: its nginx and its processes, with stores in memory."""

import http.client
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loadtest.rigs.photo_doors.door_process import KEYS
from loadtest.rigs.photo_doors.engine import SIDE, WORKERS, Engine, Send, send_request
from loadtest.rigs.rig import Rig, image_task_environment, running_rig
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api.photo_forms import Form, Forms
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError
from vitrine.local.process import READY_SECONDS
from vitrine.local.task import search_path
from vitrine.settings.photos import PhotoOptions
from vitrine.store.layout import PHOTO_FORM_KEYS

AGENTS_AT_MOST = 256
_BOUNDARY = "photo-of-an-agent"


class SignedForm:
    """A form that lets send what one likes for a day, and the keys that it was signed with."""

    def __init__(self) -> None:
        records = MemoryObjectStore()
        self._forms = Forms(records)
        self.token = self.sign()
        self.keys, _ = records.get(PHOTO_FORM_KEYS)

    def sign(self, *, most_bytes: int = 64 << 20) -> str:
        """Return the token of a form."""
        return self._forms.sign(
            Form(
                subject="agents",
                expires=int(time.time()) + 86_000,
                photos_per_hour=100_000_000,
                most_bytes=most_bytes,
            )
        )


def our_engine(name: str, thumbnails: str, *, form: bool = False) -> Engine:
    """Return our door, asked for these thumbnails.

    A photograph is the body, as other doors get it, or a field of a form, as a page sends it.
    """
    signed = SignedForm()
    send = _sent_in_form if form else _sent_as_body
    return Engine(
        name=name,
        start=lambda: our_door(signed.keys, VITRINE_PHOTO_QUEUE=str(AGENTS_AT_MOST)),
        send=send(signed.token, thumbnails),
        sides=(150, SIDE),
    )


@contextmanager
def our_door(keys: bytes, **changes: str) -> Iterator[Rig]:
    """Start nginx and the door, which trusts these keys, and wait until both take connections.

    `changes` are settings by their names in the environment. Raises VitrineError.
    """

    def prepare(work: Path, port: int) -> dict[str, str]:
        (work / KEYS).write_bytes(keys)
        module = "loadtest.rigs.photo_doors.door_process"
        return image_task_environment(work, work, port, module) | {
            "VITRINE_MASTERS_BUCKET": "unused",
            "VITRINE_RECORDS_BUCKET": "unused",
            "VITRINE_USES_TABLE": "unused",
            "VITRINE_PHOTO_WORKERS": str(WORKERS),
            "VITRINE_PHOTO_QUEUE": str(PhotoOptions().photo_queue),
            **changes,
        }

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


def _sent_as_body(token: str, thumbnails: str) -> Send:
    address = f"/photos?store=no&thumbnails={thumbnails}"
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/jpeg"}
    return lambda connection, photo: send_request(connection, "POST", address, photo, headers)


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
        return send_request(connection, "POST", "/photos", body, headers)

    return send
