"""What whole images at full resolution cost: cut from coefficients, or decoded and encoded.

    python -m tests.benchmarks.whole_images [--megapixels 25 100 400] [--rounds 5] \
        [--raw runs/whole-images.json]

A photograph, mirrored to each size, as our access master. In each round, one after the other and
each in fresh processes: the download (gateway and iipsrv, strip by strip), the same image as one
answer of iipsrv, and from pixels by iipsrv (the region begins a pixel off the grid, so nothing can
be cut), both up to 134 megapixels, and libvips from pixels (Q=90, 4:4:4, without Python's start).
Prints
medians: CPU seconds, megapixels by CPU second, MiB of memory more than at rest at most,
milliseconds to the first byte, MB of the result. Every round is in the raw file.
"""

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import isqrt
from pathlib import Path

from loadtest.corpora.access_masters import write_standard
from loadtest.corpora.mirrored_masters import mirrored_photograph
from loadtest.figures.order_statistics import median
from loadtest.figures.process_cpu import tree as processes_below
from loadtest.rigs.iipsrv_pool import iipsrv_pool
from tests.benchmarks.gateway_cost import HERE, gateway
from tests.integration.deliver.deliver_pictures import live_record
from tests.integration.ingest.fastcgi import request
from vitrine.deliver.server.processes import gateway_socket
from vitrine.store.tiff.pyramid import read_levels
from vitrine.store.tiff.reading import TiffReader

LARGEST_PIECE = 0x7FFFFFFF // 16
"""Pixels that iipsrv makes one answer of."""
LIMITS = {"VITRINE_IIPSRV_MEMORY_MEBIBYTES": "8000", "VITRINE_MAXIMUM_OUTPUT_PIXELS": "900000000"}
"""Far beyond what is deployed, so that what is compared with ends at all."""
MOST_MEMORY = "print(*(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
"""Not what wait4(2) says, which begins at the memory of the process that started this one."""
IDLE = "import pyvips, sys; pyvips.Image.black(8, 8).avg();" + MOST_MEMORY
BY_LIBVIPS = (
    "import pyvips, sys; pyvips.Image.tiffload(sys.argv[1], access='sequential')"
    ".jpegsave(sys.argv[2], Q=90, subsample_mode='off');" + MOST_MEMORY
)


@dataclass(frozen=True)
class Figures:
    """One way, once."""

    cpu_seconds: float
    memory_mebibytes: float
    first_byte_milliseconds: float
    megabytes: float


@dataclass(frozen=True)
class Picture:
    """An access master in a folder of its own, which is a gateway's store."""

    path: Path
    width: int
    height: int

    @property
    def megapixels(self) -> float:
        """Of full resolution."""
        return self.width * self.height / 1e6


def make_picture(folder: Path, megapixels: float) -> Picture:
    """Write an access master of 4 by 3, with its record."""
    height = isqrt(round(megapixels * 1e6 * 3 / 4))
    width = height * 4 // 3
    folder.mkdir()
    path = folder / "whole.tif"
    write_standard(mirrored_photograph(width, height), path)
    with path.open("rb") as file:
        size = path.stat().st_size

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        levels = [(level.width, level.height) for level in read_levels(TiffReader(read, size))]
    record = live_record("whole", path.name, path, levels)
    (folder / "records.json").write_text(json.dumps([record]))
    return Picture(path, width, height)


class Watched:
    """The CPU and the memory of processes, from now on."""

    def __init__(self, *roots: int) -> None:
        self._pids = processes_below(list(roots))
        for pid in self._pids:
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # the high-water mark of memory
        self._before, self._at_rest = self._cpu(), self._most_memory()

    def _cpu(self) -> float:
        tasks = [task for pid in self._pids for task in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def figures(self, began: float, first: float, size: int) -> Figures:
        """Return what they took."""
        cpu, memory = self._cpu() - self._before, self._most_memory() - self._at_rest
        return Figures(cpu, memory, (first - began) * 1e3, size / 1e6)

    def _most_memory(self) -> float:
        lines = [Path(f"/proc/{pid}/status").read_text().splitlines() for pid in self._pids]
        marks = [line.split()[1] for part in lines for line in part if line.startswith("VmHWM")]
        return sum(map(int, marks)) / 1024


def download(picture: Picture) -> Figures:
    """Through gateway and iipsrv; the store is a folder, and no block is on the local disk yet."""
    with tempfile.TemporaryDirectory(prefix="vitrine-") as work:
        variables = {"VITRINE_WORK_DIRECTORY": work, "VITRINE_DOWNLOADS_AT_ONCE": "1"}
        with (
            iipsrv_pool(Path(work)) as supervisor,
            gateway(HERE, picture.path.parent, variables) as running,
            socket.socket(socket.AF_UNIX) as client,
        ):
            running.ask("/iiif/3/whole/0,0,256,256/256,256/0/default.jpg")
            watched = Watched(supervisor, *running.pids)
            client.connect(str(gateway_socket(Path(work), 1)))
            path = "/iiif/3/whole/download.jpg"
            lines = f"GET {path} HTTP/1.1\r\nHost: a\r\nX-Request-Uri: {path}\r\n\r\n"
            return _read(watched, client, lines.encode(), b"0\r\n\r\n")


@contextmanager
def lone_iipsrv(picture: Picture) -> Iterator[tuple[int, socket.socket]]:
    """Yield the supervisor of one process that has the picture, and a connection to it."""
    with tempfile.TemporaryDirectory(prefix="vitrine-") as work:
        (Path(work) / "cache").mkdir()
        (Path(work) / "cache" / "whole.tif").symlink_to(picture.path)
        os.environ.update(LIMITS)
        with iipsrv_pool(Path(work)) as supervisor, socket.socket(socket.AF_UNIX) as client:
            client.connect(str(Path(work) / "run/iipsrv.sock"))
            yield supervisor, client


def ask_iipsrv(left: int) -> Callable[[Picture], Figures]:
    """Return a way that asks iipsrv for the whole but its first columns."""

    def ask(picture: Picture) -> Figures:
        width = picture.width - left
        query = (
            f"IIIF=whole.tif/{left},0,{width},{picture.height}"
            f"/{width},{picture.height}/0/default.jpg"
        )
        with lone_iipsrv(picture) as (supervisor, client):
            return _read(Watched(supervisor), client, request(query), b"")

    return ask


def by_libvips(picture: Picture) -> Figures:
    """From pixels, to a file."""
    with tempfile.TemporaryDirectory() as work:
        result = Path(work) / "whole.jpg"
        idle = _run(sys.executable, "-c", IDLE)
        took = _run(sys.executable, "-c", BY_LIBVIPS, str(picture.path), str(result))
        size = result.stat().st_size
    return Figures(took[0] - idle[0], took[1] - idle[1], 0.0, size / 1e6)


def _run(*command: str) -> tuple[float, float]:
    """Return the CPU seconds of a program, and the MiB of memory that it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "VIPS_CONCURRENCY": "1"}
    printed = subprocess.check_output(command, env=environment, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(after[:2]) - sum(before[:2]), int(printed.split()[1]) / 1024


def _read(watched: Watched, client: socket.socket, sent: bytes, end: bytes) -> Figures:
    """Send a request, read until `end` or the end of the connection, and measure."""
    began = time.perf_counter()
    client.sendall(sent)
    size, first, last = 0, 0.0, b""
    while data := client.recv(1 << 20):
        first = first or time.perf_counter()
        size += len(data)
        last = (last + data)[-len(end) - 1 :]
        if end and last.endswith(end):
            break
    assert size > 1 << 16, "the answer is no image"
    return watched.figures(began, first, size)


WAYS: dict[str, Callable[[Picture], Figures]] = {
    "download": download,
    "one piece, coefficients": ask_iipsrv(0),
    "one piece, pixels": ask_iipsrv(1),
    "libvips, pixels": by_libvips,
}


def measure(picture: Picture, rounds: int) -> dict[str, list[Figures]]:
    """Return the figures of each way, round by round, in turns."""
    fits = picture.megapixels * 1e6 <= LARGEST_PIECE
    names = [name for name in WAYS if fits or not name.startswith("one piece")]
    taken: dict[str, list[Figures]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names[:: -1 if number % 2 else 1]:
            taken[name].append(WAYS[name](picture))
    return taken


def print_table(picture: Picture, taken: dict[str, list[Figures]]) -> None:
    """Print the medians."""
    print(f"{picture.width} x {picture.height}, {picture.megapixels:.0f} megapixels")
    print(f"{'':26}{'CPU s':>9}{'MP/s':>7}{'MiB':>8}{'first ms':>10}{'MB':>8}")
    for name, figures in taken.items():
        cpu, memory, first, size = (
            median(values) for values in zip(*(asdict(f).values() for f in figures), strict=True)
        )
        line = f"{cpu:9.2f}{picture.megapixels / cpu:7.0f}{memory:8.0f}{first:10.0f}{size:8.1f}"
        print(f"{name:26}{line}", flush=True)


def main() -> None:
    """Measure, print, and keep every round."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.whole_images")
    parser.add_argument("--megapixels", type=float, nargs="+", default=[25, 100, 400])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--raw", type=Path, default=Path("runs/whole-images.json"))
    chosen = parser.parse_args()
    raw: dict[str, dict[str, list[Figures]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for megapixels in chosen.megapixels:
            picture = make_picture(Path(folder) / f"{megapixels:g}", megapixels)
            raw[f"{megapixels:g}"] = measure(picture, chosen.rounds)
            print_table(picture, raw[f"{megapixels:g}"])
    chosen.raw.parent.mkdir(parents=True, exist_ok=True)
    chosen.raw.write_text(json.dumps(raw, default=asdict, indent=1))
    print(f"Every round: {chosen.raw}")


if __name__ == "__main__":
    main()
