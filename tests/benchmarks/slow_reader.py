"""A client that reads a large download at 10 kB/s: what the gateway holds, and what tiles wait.

    python -m tests.benchmarks.slow_reader [--megapixels 400] [--seconds 60] [--rate 10000] [--json]

The whole image task (nginx, gateway, iipsrv) over a store of our own. Visitors ask for 20 tiles a
second of another image, first alone, then while the client reads for as long again. Prints the
gateway's resident memory, the tiles' percentiles, how many downloads were under way, and what a
second client was answered. Ends with 1 if the client was cut off, a tile failed, or a second
download was admitted to the one slot.
"""

import argparse
import asyncio
import json
import socket
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import isqrt
from pathlib import Path

import requests

from loadtest.corpora.access_masters import write_standard
from loadtest.corpora.mirrored_masters import mirrored_photograph
from loadtest.figures.order_statistics import percentile
from loadtest.figures.process_cpu import tree as processes_below
from loadtest.studies.cold_reads.cold_addresses import address, random_tiles
from tests.integration.deliver.stored_rig import StoredRig, ask_at_once, stored_rig
from vitrine.deliver.metrics.prometheus import parse_samples
from vitrine.records import Live

TILES_PER_SECOND = 20
TILE_IMAGE_MEGAPIXELS = 25.0
_WINDOW_BYTES = 16 << 10
"""Of the client's socket: what it does not read waits at the server."""
_TICK_SECONDS = 0.1
OVERLOADED = 503


@dataclass
class Figures:
    """One part: visitors alone, or while the slow client reads."""

    memory_mebibytes: float = 0.0
    """Of the gateway's processes: the most that was seen."""
    tiles: int = 0
    failed: int = 0
    median_ms: float = 0.0
    percentile_99_ms: float = 0.0


@dataclass
class SlowClient:
    """Reads one download at a rate, in a thread of its own."""

    port: int
    path: str
    rate: int
    """Bytes a second."""
    read_bytes: int = 0
    is_cut_off: bool = False
    first_line: str = ""
    _ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "SlowClient":
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _read(self) -> None:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _WINDOW_BYTES)
            client.settimeout(60)
            client.connect(("127.0.0.1", self.port))
            client.sendall(f"GET {self.path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            begun = time.monotonic()
            while not self._ended.wait(_TICK_SECONDS):
                due = int((time.monotonic() - begun) * self.rate) - self.read_bytes
                data = client.recv(max(due, 1))
                self.first_line = self.first_line or data.partition(b"\r\n")[0].decode()
                self.read_bytes += len(data)
                if not data:
                    self.is_cut_off = True
                    return


def make_access_master(folder: Path, megapixels: float) -> Path:
    """Write an access master of 4 by 3 from a photograph, mirrored to that size."""
    height = isqrt(round(megapixels * 1e6 * 3 / 4))
    path = folder / f"{megapixels:g}.tif"
    write_standard(mirrored_photograph(height * 4 // 3, height), path)
    return path


def resident_mebibytes(pids: Sequence[int]) -> float:
    """Return the resident memory of processes, pages that they share counted once each."""
    lines = [
        line for pid in pids for line in Path(f"/proc/{pid}/smaps_rollup").read_text().split("\n")
    ]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def ask_for_tiles(rig: StoredRig, image: Live, seconds: float) -> Figures:
    """Ask for tiles in an open loop, and look at the gateway's memory once a second."""
    pids = processes_below([rig.rig.processes["gateway"].pid])
    figures, taken = Figures(), []
    tiles = random_tiles(image, TILES_PER_SECOND * max(1, round(seconds)), seed=1)
    begun = time.monotonic()
    for number in range(0, len(tiles), TILES_PER_SECOND):
        for parameters in tiles[number : number + TILES_PER_SECOND]:
            at = time.perf_counter()
            answer = requests.get(rig.rig.url + address(image, parameters), timeout=60)
            taken.append((time.perf_counter() - at) * 1e3)
            figures.failed += answer.status_code != requests.codes.ok
            time.sleep(max(0.0, begun + len(taken) / TILES_PER_SECOND - time.monotonic()))
        figures.memory_mebibytes = max(figures.memory_mebibytes, resident_mebibytes(pids))
    figures.tiles = len(taken)
    figures.median_ms, figures.percentile_99_ms = (percentile(taken, p) for p in (50, 99))
    return figures


def downloads_running(rig: StoredRig) -> float:
    """Return how many slots are taken, as the metrics say."""
    return parse_samples(requests.get(f"{rig.rig.url}/metrics", timeout=10).text)[
        "vitrine_downloads_running"
    ]


def measure(megapixels: float, seconds: float, rate: int) -> dict[str, object]:
    """Run both parts and return what was seen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        stored_rig(VITRINE_DOWNLOADS_AT_ONCE="1", VITRINE_GATEWAY_PROCESSES="1") as rig,
    ):
        large = rig.publish(make_access_master(Path(folder), megapixels))
        other = rig.publish(make_access_master(Path(folder), TILE_IMAGE_MEGAPIXELS))
        asyncio.run(ask_at_once(rig.rig.url, other, random_tiles(other, 20, seed=2)))
        alone = ask_for_tiles(rig, other, seconds)
        path = f"/iiif/3/{large.identifier}/download.jpg"
        with SlowClient(rig.rig.port, path, rate) as client:
            meanwhile = ask_for_tiles(rig, other, seconds)
            running = downloads_running(rig)
            second = requests.get(rig.rig.url + path, timeout=60, stream=True).status_code
        return {
            "megapixels": large.width * large.height / 1e6,
            "seconds": seconds,
            "rate": rate,
            "alone": asdict(alone),
            "meanwhile": asdict(meanwhile),
            "read_bytes": client.read_bytes,
            "first_line": client.first_line,
            "is_cut_off": client.is_cut_off,
            "downloads_running": running,
            "second_client": second,
        }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.slow_reader")
    parser.add_argument("--megapixels", type=float, default=400)
    parser.add_argument("--seconds", type=float, default=60, help="of each of the two parts")
    parser.add_argument("--rate", type=int, default=10_000, help="bytes a second")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    seen = measure(chosen.megapixels, chosen.seconds, chosen.rate)
    if chosen.json:
        print(json.dumps(seen))
    else:
        print(f"{'':10}{'MiB':>8}{'tiles':>8}{'failed':>8}{'p50 ms':>8}{'p99 ms':>8}")
        for name in ("alone", "meanwhile"):
            part: dict[str, float] = seen[name]  # type: ignore[assignment]
            times = f"{part['median_ms']:8.1f}{part['percentile_99_ms']:8.1f}"
            counts = f"{part['memory_mebibytes']:8.1f}{part['tiles']:8.0f}{part['failed']:8.0f}"
            print(f"{name:10}{counts}{times}")
        print(
            f"The client read {seen['read_bytes']:,} bytes of {seen['megapixels']:.0f} megapixels; "
            f"downloads under way: {seen['downloads_running']:.0f}; a second one: "
            f"{seen['second_client']}."
        )
    failed = seen["alone"]["failed"] + seen["meanwhile"]["failed"]  # type: ignore[index]
    refused = (seen["downloads_running"], seen["second_client"]) == (1, OVERLOADED)
    return int(bool(seen["is_cut_off"] or failed or not refused))


if __name__ == "__main__":
    raise SystemExit(main())
