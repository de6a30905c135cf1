"""The files of both logs; of CloudFront's, which have lines of a day.

Most lines arrive within an hour, some up to a day later; the name of a file says when its requests
occurred, whenever it arrived (Developer Guide, "Timing of log file delivery").
"""

import gzip
import io
import re
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path

from vitrine.ports import ObjectStore, VersionedStore
from vitrine.statistics.count import Count
from vitrine.statistics.log_lines import read_cloudfront_line, read_nginx_line, split_lines

MAX_FILE_BYTES = 4 * 1024**3
"""Bytes of a file, unpacked. CloudFront's have some megabytes."""
_BUFFER_BYTES = 4 * 1024 * 1024
_NAMED = re.compile(r"\.(\d{4}-\d\d-\d\d-\d\d)\.[^/]*$")
_FOLDER = re.compile(r"/(\d{4})/(\d\d)/(\d\d)/(\d\d)/[^/]*$")


def count_stored_day(
    logs: VersionedStore,
    prefix: str,
    day: date,
    count: Count,
    before_hour: Callable[[], None] = lambda: None,
) -> None:
    """Count the lines of one day, hour by hour.

    `prefix` is that of a distribution's log, with a slash at its end; `before_hour` is called
    before each hour. Raises TransientError.
    """
    for _, keys in groupby(list_log_files(logs, prefix, day), key=hour_of):
        before_hour()
        for key in keys:
            with gzip.open(io.BufferedReader(_StoredFile(logs, key), _BUFFER_BYTES)) as file:
                count.add_lines(split_lines(file, MAX_FILE_BYTES), read_cloudfront_line)
        count.end_hour()
    count.end()


def count_local_log(path: Path, count: Count) -> None:
    """Count the lines of the log of the edge on one machine, hour by hour. Raises OSError."""
    with path.open("rb") as file:
        for _, lines in groupby(split_lines(file, sys.maxsize), key=_hour_of_line):
            count.add_lines(lines, read_nginx_line)
            count.end_hour()
    count.end()


def list_log_files(logs: VersionedStore, prefix: str, day: date) -> list[str]:
    """Return the keys of the files with lines of a day, in the order of their hours."""
    folders = [f"{prefix}{one:%Y/%m/%d}/" for one in (day, day + timedelta(days=1))]
    keys = [key for folder in folders for key in _list_keys(logs, folder)]
    return sorted(
        (key for key in keys if hour_of(key).startswith(day.isoformat())),
        key=lambda key: (hour_of(key), key),
    )


def hour_of(key: str) -> str:
    """Return YYYY-MM-DD-HH of a file: by its name, else by its folder; "" for any other key."""
    if named := _NAMED.search(key):
        return named[1]
    folder = _FOLDER.search(key)
    return "-".join(folder.groups()) if folder else ""


def _hour_of_line(line: bytes) -> bytes:
    """Return what stands for the hour in a line of the edge's log: `2026-11-29T18`."""
    return line.partition(b"[")[2][:13]


def _list_keys(logs: VersionedStore, prefix: str) -> Iterator[str]:
    after = ""
    while True:
        page = logs.list_keys(after, prefix=prefix)
        yield from (entry.key for entry in page.entries if not entry.deleted)
        if not page.next:
            return
        after = page.next


class _StoredFile(io.RawIOBase):
    """An object of a store as a file, read in order."""

    def __init__(self, store: ObjectStore, key: str) -> None:
        self._store, self._key = store, key
        self._position, self._size = 0, 1

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        if self._position >= self._size:
            return 0
        part = self._store.read(self._key, self._position, len(buffer))
        self._size = part.size
        buffer[: len(part.data)] = part.data
        self._position += len(part.data)
        return len(part.data)
