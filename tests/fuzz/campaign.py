"""Fuzz every target for some minutes, all at once: `make fuzz MINUTES=10`.

New inputs are kept in `.build/fuzz/<target>`, so that the next run goes on from there. An input
that breaks a promise is kept in `tests/fuzz/found/<target>`, where a test repeats it for ever. The
summary goes to `results/<date>-fuzz/run.json`. Ends with 1 when something was found.
"""

import argparse
import fcntl
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.fuzz.seeds import NATIVE, TARGETS, write_seeds

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
FOUND = HERE / "found"
CORPUS = REPOSITORY / ".build/fuzz"
PROGRAMS = CORPUS / "programs"
"""Folder of iipsrv's programs, in C++."""
PATCHES = REPOSITORY / "containers/iipsrv/patches"
MAXIMUM_MEBIBYTES = 768
INPUT_SECONDS = 10
MAX_INPUT_LENGTH = 20 << 10
MAX_INPUTS_LENGTH = {"regions": 4_500, "requests": 200, "encoder": 100, "resampler": 200}
"""Lengths for targets that short inputs reach completely: they run the more often."""
DICTIONARIES = {"regions": "iipsrv", "requests": "iipsrv", "strips": "tile"}
"""Dictionaries of targets that share another one's."""
ASAN_OPTIONS = ":".join(
    (
        # libtiff is asked for what a file claims; a refusal is an answer.
        "allocator_may_return_null=1",
        "max_allocation_size_mb=64",
        "malloc_context_size=4",
        "quarantine_size_mb=16",
    )
)
_PROGRESS = re.compile(r"#(\d+)\t\w+ +cov: (\d+) ft: (\d+) corp: (\d+)")
_ARTIFACT = re.compile(r"Test unit written to (\S+)")
_BROKEN = re.compile(
    r"=== Uncaught Python exception: ===\n(.*)|(\S+: runtime error: .*)|==\d+== ?(ERROR: .*)"
)


def run_targets(
    limit: str, corpus: Path, found: Path, targets: Sequence[str] = (*TARGETS, *NATIVE)
) -> dict[str, Any]:
    """Fuzz every target up to `limit`, libFuzzer's option; return a summary of each, JSON-ready.

    Inputs kept in `corpus` and `found` are starting points; those that break go to `found`.
    """
    started = {target: _start(target, limit, corpus, found) for target in targets}
    return {target: _finish(*process) for target, process in started.items()}


def command_of(target: str) -> list[str]:
    """Return the command of a target, which is built first if it is one of iipsrv's."""
    if target not in NATIVE:
        return [sys.executable, "-m", f"tests.fuzz.fuzz_{target}"]
    inputs = [*PATCHES.glob("*"), PATCHES.with_name("build"), *(HERE / "iipsrv").iterdir()]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(inputs))).hexdigest()
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    with (PROGRAMS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = PROGRAMS / "stamp"
        if not stamp.exists() or stamp.read_text() != digest:
            subprocess.run([HERE / "iipsrv/build", PROGRAMS], check=True)
            stamp.write_text(digest)
    return [str(PROGRAMS / f"fuzz_{target}")]


def _start(
    target: str, limit: str, corpus: Path, found: Path
) -> tuple[subprocess.Popen[bytes], Path, int]:
    folders = corpus / target, found / target, corpus / f"{target}-seeds"
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    seeds = write_seeds(target, folders[2])
    log = corpus / f"{target}.log"
    words = HERE / f"{DICTIONARIES.get(target, target)}.dict"
    command = [
        *command_of(target),
        *map(str, (folders[0], folders[2], *([folders[1]] if any(folders[1].iterdir()) else []))),
        limit,
        f"-max_len={MAX_INPUTS_LENGTH.get(target, MAX_INPUT_LENGTH)}",
        f"-timeout={INPUT_SECONDS}",
        f"-rss_limit_mb={MAXIMUM_MEBIBYTES}",
        *([f"-dict={words}"] if words.exists() else []),
        f"-artifact_prefix={folders[1]}/",
        "-print_final_stats=1",
    ]
    # As a child of a shell: the peak of memory that libFuzzer watches would else begin with ours.
    command = ["sh", "-c", '"$@"; exit $?', "sh", *command]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            cwd=REPOSITORY,
            env=os.environ | {"ASAN_OPTIONS": ASAN_OPTIONS},
        )
    return process, log, seeds


def _finish(process: subprocess.Popen[bytes], log: Path, seeds: int) -> dict[str, Any]:
    begun = time.monotonic()
    status = process.wait()
    output = log.read_text(errors="replace")
    progress = _PROGRESS.findall(output)
    executions = re.findall(r"stat::number_of_executed_units: +(\d+)", output)
    seconds = re.findall(r"Done \d+ runs in (\d+) second", output)
    memory = re.findall(r"stat::peak_rss_mb: +(\d+)", output)
    slowest = re.findall(r"stat::slowest_unit_time_sec: +(\d+)", output)
    last = progress[-1] if progress else ("0", "0", "0", "0")
    return {
        "executions": int(executions[-1] if executions else last[0]),
        "seconds": int(seconds[-1]) if seconds else round(time.monotonic() - begun),
        "seeds": seeds,
        "inputs_kept": int(last[3]),
        "branches_covered": int(last[1]),
        "features": int(last[2]),
        "peak_mebibytes": int(memory[-1]) if memory else 0,
        "slowest_input_seconds": int(slowest[-1]) if slowest else 0,
        "findings": _findings(output, status),
        "exit_status": status,
    }


def _findings(output: str, status: int) -> list[str]:
    """Return what broke, and the input that broke it; empty when nothing did."""
    if status == 0:
        return []
    broken = _BROKEN.search(output)
    sentence = broken[broken.lastindex or 0] if broken else f"exit status {status}"
    inputs = [Path(path).name for path in _ARTIFACT.findall(output)]
    return [f"{sentence}: {', '.join(inputs) or 'no input kept'}"]


def _machine() -> dict[str, Any]:
    """Return time, system and cores of the run."""
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--executions", type=int, help="instead of minutes")
    parser.add_argument("--target", choices=(*TARGETS, *NATIVE), action="append")
    parser.add_argument("--results", type=Path, default=REPOSITORY / "results")
    options = parser.parse_args()
    os.nice(10)
    limit = f"-max_total_time={round(options.minutes * 60)}"
    if options.executions:
        limit = f"-runs={options.executions}"
    figures = run_targets(limit, CORPUS, FOUND, options.target or (*TARGETS, *NATIVE))
    run = {"bench": "fuzz", "figures": figures, "machine": _machine()}
    folder = options.results / f"{datetime.now(UTC):%Y-%m-%d}-fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(run, indent=2) + "\n")
    print(json.dumps(figures, indent=2))
    return int(any(summary["exit_status"] for summary in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
