"""Counts a day of CloudFront's log that lies in a folder; prints CPU seconds and peaks of memory.

Run as a file with the folder as its argument: the peaks are those of its own process.
"""

import json
import re
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from vitrine.ports import KeyPage, ListedObject
from vitrine.ports.objects import ObjectPart
from vitrine.statistics.count import Count
from vitrine.statistics.log_files import count_stored_day

PREFIX = "AWSLogs/"


class Folder:
    """What counting asks of the bucket with the log, by files; a key is a path in the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.reads = 0

    def list_keys(self, after: str = "", limit: int = 1_000, *, prefix: str = "") -> KeyPage:
        paths = sorted((self._folder / prefix).rglob("*.gz"))
        keys = [path.relative_to(self._folder).as_posix() for path in paths]
        return KeyPage([ListedObject(key, "1", "") for key in keys], "")

    def read(self, key: str, position: int, length: int) -> ObjectPart:
        self.reads += 1
        with (self._folder / key).open("rb") as file:
            file.seek(position)
            return ObjectPart(file.read(length), "", (self._folder / key).stat().st_size)


def main() -> None:
    folder, day = Folder(Path(sys.argv[1])), date(2026, 11, 28)
    peaks: list[float] = []
    count = Count([day.isoformat()])
    begun = time.process_time()
    store: Any = folder
    count_stored_day(store, PREFIX, day, count, lambda: peaks.append(_peak_mebibytes()))
    found = count.days[day.isoformat()]
    figures = {
        "requests": found.requests,
        "robots": found.robot_requests,
        "damaged": found.damaged,
        "views": found.together.views,
        "zooms": found.together.zooms,
        "CPU, s": round(time.process_time() - begun, 1),
        "peak after the first hour, MiB": peaks[1],
        "peak after the last hour, MiB": _peak_mebibytes(),
        "reads of S3": folder.reads,
    }
    print(json.dumps(figures))


def _peak_mebibytes() -> float:
    """Return the peak of this program; that of `getrusage` includes what started it."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return round(int(found[1]) / 1024, 1)


if __name__ == "__main__":
    main()
