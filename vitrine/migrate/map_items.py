"""The items of a Distributed Map: one JSON object per line, in the bucket of records."""

import json
from collections.abc import Iterable, Iterator

from vitrine.migrate.planned_row import PlannedRow
from vitrine.migrate.times import MigrationTimes
from vitrine.ports import ObjectStore

PART_BYTES = 8 * 1024 * 1024


def write_items(
    records: ObjectStore, key: str, rows: Iterable[PlannedRow], times: MigrationTimes
) -> int:
    """Write the rows' items under `key`, one part in memory at a time; return their number.

    Raises TransientError.
    """
    count = 0

    def encode_lines() -> Iterator[bytes]:
        nonlocal count
        for row in rows:
            count += 1
            yield json.dumps(times.request(row).item(), ensure_ascii=False).encode() + b"\n"

    with records.multipart(key, content_type="application/jsonl", metadata={}) as upload:
        for number, part in enumerate(_join_parts(encode_lines()), start=1):
            upload.part(number, part)
    return count


def _join_parts(lines: Iterable[bytes]) -> Iterator[bytes]:
    buffer = bytearray()
    for line in lines:
        buffer += line
        if len(buffer) >= PART_BYTES:
            yield bytes(buffer)
            buffer.clear()
    yield bytes(buffer)
