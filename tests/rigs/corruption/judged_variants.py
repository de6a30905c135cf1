"""Judge many variants in worker processes, so that a crash or a hang is one variant's verdict."""

import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.rigs.corpora.format_masters import make_all
from tests.rigs.corruption.damaged_variants import variant
from vitrine.bootstrap.local_service import REPOSITORY

HANG_SECONDS = 30.0
_START_SECONDS = 60.0
"""More for the first variant of a process: it imports."""
BAD = ("wrong", "unwitnessed", "crashed", "hung")

Verdict = dict[str, Any]


def measure_corruption(variants: int, workers: int, first: int) -> dict[str, Any]:
    """Judge `variants` damaged masters; counts of verdicts, and every bad one in full."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        masters = Path(folder)
        make_all(masters)
        numbers = range(first, first + variants)
        with ThreadPoolExecutor(workers) as pool:
            shares = [numbers[start::workers] for start in range(workers)]
            verdicts = [
                v for share in pool.map(lambda s: list(_share(masters, s)), shares) for v in share
            ]
    counts = Counter(verdict["verdict"] for verdict in verdicts)
    return {
        "variants": len(verdicts),
        "seconds": round(time.monotonic() - begun, 1),
        "verdicts": dict(counts.most_common()),
        "rejection_codes": dict(Counter(v["code"] for v in verdicts if "code" in v).most_common()),
        "slowest_seconds": max(verdict["seconds"] for verdict in verdicts),
        "bad": [verdict for verdict in verdicts if verdict["verdict"] in BAD],
    }


def _share(masters: Path, numbers: range) -> Iterator[Verdict]:
    worker = _Worker(masters)
    try:
        for number in numbers:
            verdict = worker.judge(number)
            if verdict["verdict"] in ("hung", "crashed") and not worker.alive:
                worker = _Worker(masters)
            yield verdict
    finally:
        worker.stop()


class _Worker:
    """A process, and a thread that reads its answers so that waiting can have an end."""

    def __init__(self, masters: Path) -> None:
        command = [sys.executable, "-m", "tests.rigs.corruption.judge_worker", str(masters)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=REPOSITORY,
        )
        self._answers: queue.Queue[str] = queue.Queue()
        self._limit = _START_SECONDS
        self.alive = True
        threading.Thread(target=self._read, daemon=True).start()

    def judge(self, number: int) -> Verdict:
        """Return the verdict on one variant."""
        assert self._process.stdin
        begun = time.monotonic()
        try:
            self._process.stdin.write(f"{number}\n")
            self._process.stdin.flush()
            answer = self._answers.get(timeout=self._limit)
        except (queue.Empty, OSError):
            return self._lost(number, "hung", begun)
        if not answer:
            return self._lost(number, "crashed", begun)
        self._limit = HANG_SECONDS
        verdict: Verdict = json.loads(answer)
        return verdict

    def stop(self) -> None:
        """End the process."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()

    def _lost(self, number: int, verdict: str, begun: float) -> Verdict:
        self.stop()
        item = variant(number)
        return {
            "number": number,
            "kind": item.kind.name,
            "operation": item.operation,
            "verdict": verdict,
            "value": f"exit status {self._process.returncode}",
            "seconds": round(time.monotonic() - begun, 3),
        }

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")
