"""What publishing a long collection takes: CPU, memory, what is written; and the same again.

    python -m tests.benchmarks.collection_pages [--members 100000]

A collection of that many members and one of a tenth, each in a process of its own: published, with
one member in the middle renamed, and unchanged. S3 is a dictionary of digests here, which keeps the
record and no page, so that the memory is that of the publisher; AWS's client comes on top.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from tests.unit.present.objects.object_bench import ObjectBench
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.ports import ObjectInfo
from vitrine.present.objects.objects import Objects

ROOT = Path(__file__).parents[2]


class Forgetful(MemoryObjectStore):
    """Keeps what is said of pages, not the pages; counts what it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.puts = self.bytes = 0

    def put(self, key: str, body: bytes, **options: Any) -> ObjectInfo:
        self.puts += 1
        self.bytes += len(body)
        return super().put(key, b"" if key.count("/") > 2 else body, **options)


def measure(members: int) -> dict[str, Any]:
    """Publish it three times; in the process that was begun for it."""
    bench = ObjectBench()
    site = Forgetful()
    objects = Objects(replace(bench.publisher, site=site))
    listed = [
        Member(identifier=f"RP-P-{number}", label={"en": (f"A print, no. {number}, of a series",)})
        for number in range(members)
    ]
    found: dict[str, Any] = {"members": members}
    for step in ("published", "one member renamed", "unchanged"):
        if step == "one member renamed":
            changed = msgspec.structs.replace(listed[members // 2], label={"en": ("Another",)})
            listed[members // 2] = changed
        item = ObjectCollection(
            identifier="prints", label={"en": ("Prints",)}, members=tuple(listed)
        )
        site.puts = site.bytes = 0
        began = time.process_time()
        objects.put(item)
        found[step] = {
            "cpu_seconds": round(time.process_time() - began, 2),
            "puts": site.puts,
            "bytes": site.bytes,
        }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {**found, "peak_mebibytes": round(peak)}


def main() -> None:
    """Measure both, and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--members", type=int, default=100_000)
    options = parser.parse_args()
    for members in (options.members // 10, options.members):
        call = f"print(json.dumps(measure({members})))"
        code = f"from tests.benchmarks.collection_pages import *; {call}"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        print(json.dumps(json.loads(done.stdout), indent=2))


if __name__ == "__main__":
    main()
