"""The samples of all gateway processes of a task: each writes its own to a file that all read.

A request for /metrics reaches one process, and its answer is the sum over all, those that have
ended included: what was counted is not lost when a process dies.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vitrine.deliver.metrics.counters import Samples, sum_samples

FOLDER = "run/counters"
_ENDED = "ended.json"


class ProcessFiles:
    """The files of the processes in `directory`, which one task's processes share."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._own = _name_file(os.getpid())
        with suppress(OSError):  # an unwritable disk must not keep a gateway from starting
            directory.mkdir(parents=True, exist_ok=True)
            self._fold_ended()

    def write(self, samples: Samples) -> None:
        """Write this process's samples; on an unwritable disk the older ones stay."""
        with suppress(OSError):
            _replace_file(self._directory / self._own, samples)

    def sum_with(self, samples: Samples) -> Samples:
        """Return this process's `samples` added to those that the others last wrote."""
        running, ended = self._read_others()
        return sum_samples([samples, *running], ended)

    def is_first(self) -> bool:
        """Return True for one of the processes that run: it reports what they share."""
        live = [path.name for path in self._other_paths() if _is_running(path.name)]
        return not live or self._own == min(live)

    def _read_others(self) -> tuple[list[Samples], list[Samples]]:
        running: list[Samples] = []
        ended: list[Samples] = []
        for path in self._other_paths():
            with suppress(OSError, ValueError):
                samples = json.loads(path.read_text())
                (running if _is_running(path.name) else ended).append(samples)
        return running, ended

    def _other_paths(self) -> list[Path]:
        return [path for path in self._directory.glob("*.json") if path.name != self._own]

    def _fold_ended(self) -> None:
        """Add the files of processes that have ended into one, so that files do not pile up."""
        with self._lock_directory():
            ended = [path for path in self._other_paths() if not _is_running(path.name)]
            if len(ended) > 1:
                total = sum_samples([], [json.loads(path.read_text()) for path in ended])
                _replace_file(self._directory / _ENDED, total)
                for path in ended:
                    if path.name != _ENDED:
                        path.unlink()

    @contextmanager
    def _lock_directory(self) -> Iterator[None]:
        with (self._directory / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _replace_file(path: Path, samples: Samples) -> None:
    """Write a file so that no reader ever sees half of it."""
    beginning = path.with_suffix(f".{os.getpid()}")
    beginning.write_text(json.dumps(samples))
    beginning.replace(path)


def _name_file(pid: int) -> str:
    return f"{pid}-{_process_start(pid)}.json"


def _process_start(pid: int) -> str:
    """Return when a process started, which tells it from a later one with the same number."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _is_running(name: str) -> bool:
    pid, _, birth = name.removesuffix(".json").partition("-")
    return pid.isdigit() and birth != "" and _process_start(int(pid)) == birth
