"""A rig: servers started for a measurement, on a port and in a folder of their own."""

import http.client
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rigs.free_port import free_port
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.deliver.metrics.program_cpu import process_tree, tree_seconds
from vitrine.errors import VitrineError
from vitrine.local.process import READY_SECONDS, Process, Running, require_alive, start, stop
from vitrine.local.task import memory_folder, search_path

IMAGE_TASK = ("iipsrv", "gateway", "nginx")
"""Its containers, in the order in which they start."""
STOP_SECONDS = 15.0
_PYTHON = """#!/bin/sh
# Replaces the python3 with which the start script of a container runs the gateway.
exec {python} {arguments}
"""


@dataclass(kw_only=True)
class Rig:
    """Running servers behind one port of this machine."""

    name: str
    port: int
    work: Path
    """The folder of the servers, with what they keep."""
    running: list[Running] = field(default_factory=list)
    forget: Callable[[], object] | None = None
    """Empties a cache of finished answers, if the servers have one that can be emptied."""

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.port}"

    def process_ids(self) -> list[int]:
        """Return the numbers of its processes and of all their living descendants."""
        return [pid for item in self.running for pid in process_tree(item.pid)]

    def cpu_seconds(self) -> dict[str, float]:
        """Return the CPU seconds of its processes since their start, by their names."""
        return {item.name: tree_seconds(item.pid) for item in self.running}

    def check(self) -> None:
        """Raise ProcessDied if one of its processes has ended."""
        for item in self.running:
            require_alive(item)


@contextmanager
def running_rig(
    name: str,
    commands: Mapping[str, Sequence[str]],
    prepare: Callable[[Path, int], Mapping[str, str]],
    *,
    ready: str,
    tree: Path = REPOSITORY,
) -> Iterator[Rig]:
    """Start `commands` in order, in a fresh folder; stop them at the end, last started first.

    They run in `tree`, a checkout.

    `prepare` gets the folder and the port and returns the environment. `{work}` and `{port}` in
    a command are these. The rig is ready once GET of `ready` is answered 200. Raises ProcessDied,
    and VitrineError when that takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder, ExitStack() as stack:
        work = Path(folder)  # a short path, since a socket's may have 107 bytes only
        stack.callback(shutil.rmtree, memory_folder(work), ignore_errors=True)
        rig = Rig(name=name, port=free_port(), work=work)
        environment = {"PATH": search_path(), "LANG": "C.UTF-8", **prepare(work, rig.port)}
        for process, words in commands.items():
            running = start(
                Process(
                    name=process,
                    command=tuple(word.format(work=work, port=rig.port) for word in words),
                    environment=environment,
                    folder=tree,
                    stop_seconds=STOP_SECONDS,
                ),
                work,
            )
            stack.callback(stop, running, work)
            rig.running.append(running)
        _wait_until_ready(rig, ready)
        yield rig


def vitrine_rig(
    masters: Path, tree: Path = REPOSITORY, /, *, name: str = "vitrine", **changes: str
) -> AbstractContextManager[Rig]:
    """Start our image task on a folder of access masters, with its three containers' start scripts.

    `tree` is the checkout whose task it is.

    `changes` are settings by their names in the environment. The cache of derivatives is off
    unless they say otherwise.
    """

    def prepare(work: Path, port: int) -> dict[str, str]:
        return image_task_environment(masters, work, port, tree=tree) | changes

    commands = {part: [f"containers/{part}/start"] for part in IMAGE_TASK}
    return running_rig(name, commands, prepare, ready="/readyz", tree=tree)


def image_task_environment(
    masters: Path,
    work: Path,
    port: int,
    module: str | None = "rigs.gateway_process",
    tree: Path = REPOSITORY,
    python: str = sys.executable,
) -> dict[str, str]:
    """Return the settings of an image task on a folder of access masters, by their variables.

    Writes into `work` what starts the gateway of `tree`, by `module`, with that folder for a
    bucket; without a module, as the start script of its container does.
    """
    arguments = f"-m {module} {masters}" if module else '"$@"'
    shim = work / "bin" / "python3"
    shim.parent.mkdir(parents=True)
    shim.write_text(_PYTHON.format(python=python, arguments=arguments))
    shim.chmod(0o755)
    return {
        "PATH": f"{shim.parent}:{search_path()}",
        "PYTHONPATH": str(tree),
        "VITRINE_ACCESS_MASTERS_BUCKET": "unused",
        "VITRINE_SITE_BUCKET": "unused",
        "VITRINE_IDENTIFIERS_TABLE": "unused",
        "VITRINE_WORK_DIRECTORY": str(work),
        "VITRINE_MEMORY_DIRECTORY": str(memory_folder(work)),
        "VITRINE_ORIGIN_PORT": str(port),
        "VITRINE_ORIGIN_ADDRESS": "127.0.0.1",
        "VITRINE_LOG_LEVEL": "WARNING",
        "VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0",
        "VITRINE_DRAIN_SECONDS": "0",
    }


def _wait_until_ready(rig: Rig, path: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    answer = ""
    while time.monotonic() < deadline:
        rig.check()
        try:
            answer = _get_path(rig.port, path)
        except OSError as error:
            answer = repr(error)
        if answer.startswith("200"):
            return
        time.sleep(0.05)
    raise VitrineError(f"{rig.name} is not ready after {READY_SECONDS:g} s: {answer}")


def _get_path(port: int, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return f"{response.status} {response.read()[:500]!r}"
    finally:
        connection.close()
