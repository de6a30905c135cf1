"""The results that a Distributed Map wrote to the bucket of records: failed batches, with reasons.

Step Functions writes `<prefix>/<map run>/manifest.json`, which names files of one JSON object per
child and line, by how the children ended (Step Functions Developer Guide, "ResultWriter").
"""

import json
from collections.abc import Iterator
from typing import Any

from vitrine.errors import Rejection
from vitrine.ports import VersionedStore
from vitrine.store.revisions import list_folder

PART_BYTES = 8 * 1024 * 1024
MANIFEST = "/manifest.json"
CAUSE_CHARACTERS = 200
SENTENCE = (
    "The step that migrates a master failed for a reason that is not the master's: see its log. "
    "The same migration tries it again."
)


def read_failed_items(records: VersionedStore, prefix: str) -> Iterator[tuple[str, Rejection]]:
    """Yield the key of each master whose batch failed, and the reason. Raises TransientError."""
    for key in list_folder(records, f"{prefix}/"):
        if not key.endswith(MANIFEST):
            continue
        body, _ = records.get(key)
        for file in json.loads(body)["ResultFiles"].get("FAILED", ()):
            for line in _read_lines(records, file["Key"]):
                child = json.loads(line)
                for item in json.loads(child["Input"])["Items"]:
                    yield str(item["key"]), _parse_reason(child)


def _parse_reason(child: dict[str, Any]) -> Rejection:
    code = child.get("Error") or f"Execution.{child['Status']}"
    return Rejection(code, SENTENCE, child.get("Cause", "")[:CAUSE_CHARACTERS])


def _read_lines(records: VersionedStore, key: str) -> Iterator[bytes]:
    """Yield lines, with one part in memory at a time: 36 million items may have failed."""
    rest, start = b"", 0
    while part := records.read(key, start, PART_BYTES).data:
        *lines, rest = (rest + part).split(b"\n")
        yield from filter(None, lines)
        start += len(part)
    if rest:
        yield rest
