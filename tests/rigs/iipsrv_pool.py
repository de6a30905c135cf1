"""A pool of our iipsrv processes for a gateway that runs in this process."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local.process import READY_SECONDS, Process, require_alive, start, stop

_STOP_SECONDS = 5.0


@contextmanager
def iipsrv_pool(work: Path, processes: int = 1, tree: Path = REPOSITORY) -> Iterator[int]:
    """Run it behind `work`/run/iipsrv.sock, on the files in `work`/cache; yield its supervisor.

    `tree` is the checkout whose iipsrv it is. Raises ProcessDied.
    """
    process = Process(
        name="iipsrv",
        command=(str(tree / "containers/iipsrv/start"),),
        environment={
            **os.environ,
            "VITRINE_WORK_DIRECTORY": str(work),
            "VITRINE_IIPSRV_PROCESSES": str(processes),
        },
        folder=tree,
        stop_seconds=_STOP_SECONDS,
    )
    running = start(process, work)
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not (work / "run/iipsrv.sock").exists() and time.monotonic() < deadline:
            require_alive(running)
            time.sleep(0.01)
        yield running.pid
    finally:
        stop(running, work)
