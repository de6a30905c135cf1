"""Runs of pytest in a copy of the repository, with limits that a busy machine does not touch."""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.progress_plugin import VARIABLE

TEST_CPU_SECONDS = 60
"""CPU seconds of one test, after which it runs in circles: the longest take a quarter."""
TEST_WAIT_SECONDS = 600
"""Seconds of one test, after which it waits for what never comes, however busy the machine is."""
_MEMORY_BYTES = 12 << 30
_LOOK_SECONDS = 0.5
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Failure:
    """The first test that failed, or that had to be ended."""

    test: str
    """Its node id; of a file that cannot be imported, the file's."""
    error: str


def first_failure(paths: Sequence[str], folder: Path) -> Failure | None:
    """Run these tests in `folder` until one fails. Raise RuntimeError if pytest cannot run."""
    progress = folder / ".mutants-progress"
    progress.write_text("")
    output = folder / ".mutants-output"
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "tests.mutants.progress_plugin"]
    with output.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, f"--basetemp={folder}/.pytest", *paths],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder), VARIABLE: str(progress)},
            stdout=file,
            stderr=subprocess.STDOUT,
            preexec_fn=_become_bounded,
            start_new_session=True,
        )
        ended = _watch(process, progress)
    lines = [json.loads(line) for line in progress.read_text().splitlines()]
    for line in lines:
        if "failed" in line:
            return Failure(test=line["failed"], error=line["error"])
    if ended or process.returncode < 0:
        began = [line["began"] for line in lines]
        return Failure(test=began[-1] if began else paths[0], error=ended or "the process died")
    # 5: nothing is left to run, as all of it was deselected.
    if process.returncode in (0, 5):
        return None
    raise RuntimeError(f"pytest ended with {process.returncode}: {output.read_text()[-500:]}")


def _watch(process: subprocess.Popen[bytes], progress: Path) -> str:
    """Wait until the process ends; end it, and say why, when one test takes too long."""
    bytes_seen, cpu, began = -1, 0.0, 0.0
    while process.poll() is None:
        time.sleep(_LOOK_SECONDS)
        spent, now = _cpu_seconds(process.pid), time.monotonic()
        if (size := progress.stat().st_size) != bytes_seen:
            bytes_seen, cpu, began = size, spent, now
        elif spent - cpu > TEST_CPU_SECONDS or now - began > TEST_WAIT_SECONDS:
            process.kill()
            process.wait()
            return "runs in circles" if spent - cpu > TEST_CPU_SECONDS else "waits for ever"
    return ""


def _cpu_seconds(process: int) -> float:
    """Return what a process has used, its ended children included; 0 once it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    return sum(int(field) for field in fields[11:15]) / _TICKS


def _become_bounded() -> None:
    """End with the campaign, however that ends, and take no more memory than allowed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
