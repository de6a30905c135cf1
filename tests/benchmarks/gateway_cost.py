r"""CPU that the gateway takes for a request, of two trees of this repository, round by round.

    python -m tests.benchmarks.gateway_cost OTHER_TREE [--rounds 9] [--requests 1500] \
        [--only "aligned tile"] [--raw runs/gateway-cost.json]

Each tree's own gateway process serves the same pictures on a Unix socket; nothing is rendered.
Prints CPU microseconds and the ratio this / other, as minimum and median of the rounds, and the
median of the ratios of the slowest percent: of the microseconds that 99 % of a round's answers take
at most. `--raw FILE` writes all of them.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from loadtest.figures.order_statistics import median, percentile
from loadtest.figures.process_cpu import tree as processes_below
from tests.integration.deliver.deliver_pictures import (
    coordinates_picture,
    live_record,
    write_pyramid,
)

HERE = Path(__file__).resolve().parents[2]
PROCESS = "tests/integration/deliver/deliver_gateway_process.py"
SECONDS = 30.0
REQUESTS = {
    "aligned tile": ("/iiif/3/plain/0,0,256,256/256,256/0/default.jpg", 200),
    "info.json": ("/iiif/3/plain/info.json", 200),
    "derivative, sent to its cache": ("/iiif/3/plain/full/200,/0/default.jpg", 200),
    "unknown identifier": ("/iiif/3/nobody/info.json", 404),
    "redirect of an identifier": ("/iiif/3/old/full/200,/0/default.jpg", 301),
    "redirect to the version": ("/iiif/plain/info.json", 301),
}


class Gateway:
    """A running gateway and one connection to it."""

    def __init__(self, process: subprocess.Popen[bytes], address: Path) -> None:
        self.pids = processes_below([process.pid])
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(str(address))
        self._file = self._connection.makefile("rb")

    def ask(self, path: str) -> int:
        """Return the status of the answer."""
        return self.read(path)[0]

    def read(self, path: str) -> tuple[int, bytes]:
        """Return status and body of the answer."""
        lines = (  # as our nginx sends them
            f"GET {path} HTTP/1.1\r\nHost: images.example\r\nX-Request-Uri: {path}\r\n"
            "X-Forwarded-Proto: https\r\nAccept: image/avif, image/webp, */*\r\n\r\n"
        )
        self._connection.sendall(lines.encode())
        status = int(self._file.readline().split()[1])
        length = 0
        while (line := self._file.readline().lower()) != b"\r\n":
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return status, self._file.read(length)

    def cpu_seconds(self) -> float:
        """Return the time that all threads have had on a processor."""
        tasks = [task for pid in self.pids for task in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def cost(self, path: str, status: int, count: int) -> tuple[float, float]:
        """Return CPU microseconds for one request, the mean of `count`, and p99 of those passed."""
        before, times = self.cpu_seconds(), []
        for _ in range(count):
            begun = time.perf_counter()
            found = self.ask(path)
            times.append(time.perf_counter() - begun)
            assert found == status, f"{path}: {found}"
        mean = (self.cpu_seconds() - before) / count
        return mean * 1e6, percentile(times, 99) * 1e6


@contextmanager
def gateway(
    tree: Path, store: Path, variables: Mapping[str, str] | None = None
) -> Iterator[Gateway]:
    """Start the gateway of `tree`; raise TimeoutError if it does not listen."""
    with tempfile.TemporaryDirectory(prefix="vitrine-") as work:
        environment = os.environ | {
            "PYTHONPATH": str(tree),
            "VITRINE_ACCESS_MASTERS_BUCKET": "unused",
            "VITRINE_SITE_BUCKET": "unused",
            "VITRINE_IDENTIFIERS_TABLE": "unused",
            "VITRINE_WORK_DIRECTORY": work,
            "VITRINE_GATEWAY_PROCESSES": "1",
            "TEST_STORE": str(store),
            **(variables or {}),
        }
        print_place = "import vitrine; print(vitrine.__file__)"
        command = [sys.executable, "-c", print_place]
        place = subprocess.check_output(command, env=environment, cwd=tree, text=True).strip()
        assert place == str(tree / "vitrine/__init__.py"), place
        sockets = Path(environment["VITRINE_WORK_DIRECTORY"]) / "run"
        with (Path(work) / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, str(tree / PROCESS)],
                env=environment,
                cwd=tree,
                stdout=log,
                stderr=log,
            )
        try:
            yield Gateway(process, _wait_for(sockets, process))
        finally:
            process.terminate()
            process.wait()


def _wait_for(folder: Path, process: subprocess.Popen[bytes]) -> Path:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for address in folder.glob("gateway*.sock"):
            return address
        time.sleep(0.05)
    raise TimeoutError(f"no gateway in {folder}")


def write_store(folder: Path) -> None:
    """Write one picture and the records of it, of a redirect to it, and of nothing else."""
    path = folder / "plain.tif"
    levels = write_pyramid(coordinates_picture(1300, 1000), path)
    moved = {"identifier": "old", "target": "plain", "changed_at": "2026-02-03T04:05:06Z"}
    # An older tree does not know of fields that are empty here.
    live = {
        name: value
        for name, value in live_record("plain", path.name, path, levels).items()
        if value not in ("", None)
    }
    records = [live, {"state": "redirect"} | moved]
    (folder / "records.json").write_text(json.dumps(records))


def print_ratios(name: str, pairs: list[tuple[tuple[float, float], tuple[float, float]]]) -> None:
    """Print a line of the pairs of ours and the other's CPU and p99, round by round."""
    (mine, theirs), tails = (
        [[one[kind] for one in several] for several in zip(*pairs, strict=True)] for kind in (0, 1)
    )
    ratios = [
        median(one / other for one, other in zip(*values, strict=True))
        for values in ((mine, theirs), tails)
    ]
    print(
        f"{name:32}{min(mine):10.1f}{min(theirs):12.1f}"
        f"{min(mine) / min(theirs):12.3f}{ratios[0]:9.3f}{ratios[1]:9.3f}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.gateway_cost")
    parser.add_argument("other", type=Path, help="Another tree of this repository.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--requests", type=int, default=1500, help="Of each kind in a round.")
    parser.add_argument("--only", choices=REQUESTS, action="append", help="This kind alone.")
    parser.add_argument("--raw", type=Path, help="File for the figures of every round.")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_store(Path(folder))
        with gateway(HERE, Path(folder)) as ours, gateway(chosen.other, Path(folder)) as others:
            print(f"{'':32}{'this: min':>10}{'other: min':>12}{'ratio: min':>12}", end="")
            print(f"{'median':>9}{'p99':>9}")
            raw = {}
            for name in chosen.only or REQUESTS:
                path, status = REQUESTS[name]
                pairs = []
                for number in range(-1, chosen.rounds):  # the first round warms up
                    order = (ours, others) if number % 2 else (others, ours)
                    costs = {one: one.cost(path, status, chosen.requests) for one in order}
                    pairs.append((costs[ours], costs[others]))
                raw[name] = pairs[1:]
                print_ratios(name, pairs[1:])
        if chosen.raw:
            chosen.raw.write_text(json.dumps(raw))


if __name__ == "__main__":
    main()
