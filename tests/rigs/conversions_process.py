"""The process whose memory is measured: it imports what the converting Lambda imports."""

import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.rigs.process_memory import resident_mebibytes
from vitrine.ingest.convert.access_master import to_file
from vitrine.ingest.convert.conversion import convert
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.recipe import STANDARD

_LIMITS = MasterLimits(pixels=10_000_000, bytes=256 * 1024 * 1024)


def main() -> None:
    """Arguments: the list of masters, threads, and after how many the memory is first read."""
    order = [Path(name) for name in json.loads(Path(sys.argv[1]).read_text())]
    threads, early = int(sys.argv[2]), int(sys.argv[3])
    begun, warm, lock = time.monotonic(), 0.0, threading.Lock()
    done: Iterator[int] = iter(range(1, len(order) + 1))

    def one(master: Path) -> None:
        nonlocal warm
        _convert(master)
        with lock:
            if next(done) == early:
                warm = resident_mebibytes()

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(one, order):
            pass
    last = resident_mebibytes()
    figures = {
        "conversions": len(order),
        "threads": threads,
        "seconds": round(time.monotonic() - begun, 1),
        "mebibytes_after_25": round(warm, 1),
        "mebibytes_after_last": round(last, 1),
        "growth": round(last / warm, 3),
    }
    print(json.dumps(figures))


def _convert(master: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        with LocalFile(master) as file:
            header = read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), _LIMITS)
        convert(master, header, STANDARD, Path(scratch), to_file(Path(scratch) / "access.tif"))


if __name__ == "__main__":
    main()
