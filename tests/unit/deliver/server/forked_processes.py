"""Processes without a gateway: `python forked_processes.py FOLDER [never | deaf]`.

Each writes its number's file with its own process number, and waits for SIGTERM. `never`: it ends
before it serves. `deaf`: the first to be process 1 serves, and then says no more.
"""

import logging
import signal
import sys
import time
from pathlib import Path

from vitrine.deliver.server import processes
from vitrine.deliver.server.processes import Beat, Processes

BEAT_SECONDS = 0.05


def work(folder: Path, manner: str, number: int, beat: Beat) -> None:
    if manner == "never":
        raise RuntimeError("nothing can be served")
    first = not list(folder.glob("1-*"))
    running = [True]
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    beat()
    (folder / f"{number}-{_own_pid()}").touch()
    while running:
        time.sleep(BEAT_SECONDS)
        if not (manner == "deaf" and number == 1 and first):
            beat()


def _own_pid() -> int:
    return int(Path("/proc/self").readlink().name)


if __name__ == "__main__":
    logging.basicConfig()
    processes.BEAT_SECONDS = BEAT_SECONDS
    target, chosen = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    # Where none is deaf none is stuck, however long it gets no core.
    processes.MAX_SILENT_BEATS = 40 if chosen == "deaf" else 1_000_000
    Processes(2, lambda number, beat: work(target, chosen, number, beat)).run()
