"""An image task that is started and stopped as ECS does it, container by container."""

import os
import random
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from loadtest.figures.process_memory import proportional_bytes
from rigs.free_port import free_port
from rigs.rig import IMAGE_TASK, image_task_environment
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.deliver.metrics.program_cpu import process_tree, tree_seconds
from vitrine.local.process import Process, Running, start, stop, wait_until_healthy
from vitrine.local.task import memory_folder

STOP_SECONDS = 120.0
"""Seconds that the task definition allows a container after SIGTERM."""
ADDRESS = "https://images.example.org"
"""Address of all tasks, so that the same request has the same answer everywhere."""


Changes = dict[str, str]
"""Settings of a revision, by their variables."""
Containers = Callable[[Path, int, Changes], list[Process]]
"""Returns the containers of a task in a folder, whose nginx listens on a port, as they start."""


def on_folder(masters: Path) -> Containers:
    """Return the containers of a task whose access masters are the files of a folder."""

    def containers(work: Path, port: int, changes: Changes) -> list[Process]:
        environment = image_task_environment(masters, work, port) | {"LANG": "C.UTF-8"} | changes
        return [
            Process(
                name=name,
                command=(f"containers/{name}/start",),
                environment=environment,
                folder=REPOSITORY,
                stop_seconds=STOP_SECONDS,
                health_check=(f"containers/{name}/healthy",),
            )
            for name in IMAGE_TASK
        ]

    return containers


class HeldResources(NamedTuple):
    """What the processes of one container hold."""

    memory_bytes: int
    descriptors: int


class DrilledTask:
    """nginx, gateway and iipsrv around a folder of their own; a revision has other `changes`."""

    def __init__(self, containers: Containers, changes: Changes) -> None:
        self.port = free_port()
        # A short path, since a socket's may have 107 bytes only.
        self._folder = tempfile.TemporaryDirectory(prefix="vitrine-", ignore_cleanup_errors=True)
        self._work = Path(self._folder.name)
        named = {"VITRINE_PUBLIC_BASE_URL": ADDRESS} | changes
        self._containers = containers(self._work, self.port, named)
        self._running: dict[str, Running] = {}

    @property
    def work(self) -> Path:
        """The volume that its containers share."""
        return self._work

    def kept_answers(self) -> int:
        """Return how many finished answers its nginx keeps."""
        return sum(path.is_file() for path in memory_folder(self._work).rglob("*"))

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start each container once the one before it is healthy. Raises ProcessDied."""
        for process in self._containers:
            self._running[process.name] = start(process, self._work)
            wait_until_healthy(process, self._running[process.name])

    def stop(self) -> list[str]:
        """Stop the containers in the reverse order; return those that had to be killed."""
        late = [
            name
            for name in reversed(list(self._running))
            if not stop(self._running.pop(name), self._work)
        ]
        self._folder.cleanup()
        shutil.rmtree(memory_folder(self._work), ignore_errors=True)
        return late

    def kill_process(self, name: str, chance: random.Random) -> None:
        """SIGKILL a process that the container's first one started, and is to replace."""
        _, *children = process_tree(self._running[name].pid)
        if children:
            os.kill(chance.choice(children), signal.SIGKILL)

    def held(self) -> dict[str, HeldResources]:
        """Return what each container holds."""
        return {
            name: HeldResources(
                proportional_bytes(process_tree(item.pid)), _count_descriptors(item.pid)
            )
            for name, item in self._running.items()
        }

    def cpu_seconds(self) -> float:
        """Return the CPU of its processes since they were started."""
        return sum(tree_seconds(item.pid) for item in self._running.values())


def _count_descriptors(root: int) -> int:
    count = 0
    for pid in process_tree(root):
        try:
            count += sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        except OSError:  # it has ended
            continue
    return count
