"""Our photo door as in an image task: its nginx and its processes, with stores in memory."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rigs.photo_door_process import KEYS
from rigs.rig import Rig, image_task_environment, running_rig
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api.photo_forms import Form, Forms
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError
from vitrine.local.process import READY_SECONDS
from vitrine.local.task import search_path
from vitrine.settings.photos import PhotoOptions
from vitrine.store.layout import PHOTO_FORM_KEYS

WORKERS = os.cpu_count() or 1
"""Processes of the door: one per core."""


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


@contextmanager
def photo_door_rig(keys: bytes, **changes: str) -> Iterator[Rig]:
    """Start nginx and the door, which trusts these keys, and wait until both take connections.

    `changes` are settings by their names in the environment. Raises VitrineError.
    """

    def prepare(work: Path, port: int) -> dict[str, str]:
        (work / KEYS).write_bytes(keys)
        module = "rigs.photo_door_process"
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
