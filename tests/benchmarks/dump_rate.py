"""What a dump of everything takes: the first, one after changes, and one when nothing changed.

    python -m tests.benchmarks.dump_rate [--objects 100000] [--raw runs/dump-rate.json]

Nine in ten objects have one page, the tenth has twenty. A process for each dump; times are its CPU,
memory is its largest resident size, of so many objects and of a tenth. The bucket is made up as it
is read, so its own waits are missing: S3 answers some 16 reads at a time.
"""

import argparse
import hashlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tests.unit.present.objects.object_bench import ObjectBench, book
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.model import Canvas
from vitrine.ports import Listed, ObjectInfo, Page
from vitrine.present.dumps.files import OBJECTS_JSONL
from vitrine.present.dumps.update import update_dumps
from vitrine.store.layout import publication_key

ROOT = Path(__file__).parents[2]
BASE = "https://images.example.org"
LONG_AGO, NOW = "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
TITLES = 50
"""Different documents of each length."""
CHANGED = 1_000


class MadeUpBucket(MemoryObjectStore):
    """A bucket with so many objects, of which some are young; what is written is in a folder."""

    def __init__(self, objects: int, young: int, folder: Path) -> None:
        super().__init__()
        self.lists = 0
        self._objects = objects
        self._young = young
        self._folder = folder
        self._keys = folder / "keys"
        self._bodies = _bodies()
        if not self._keys.exists():
            self._keys.write_text("\n".join(sorted(map(_key, range(objects)))) + "\n")

    def list_keys(self, after: str = "", limit: int = 1_000, *, prefix: str = "") -> Page:
        self.lists += 1
        width = len(_key(0)) + 1
        with self._keys.open() as file:
            start = 0 if not after[-7:].isdigit() else self._place(after, width) + 1
            file.seek(start * width)
            keys = file.read(limit * width).split()
        entries = [Listed(key, "v", NOW if self._is_young(key) else LONG_AGO) for key in keys]
        return Page(entries, keys[-1] if start + len(keys) < self._objects else "")

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        number = int(key[-7:])
        body = self._bodies[number % 10 == 0][number % TITLES]
        return body, _info(key, {})

    def download(self, key: str, path: Path, **options: Any) -> ObjectInfo:
        kept = self._folder / path.name
        if not kept.exists():
            raise ObjectMissing(key)
        shutil.copy(kept, path)
        metadata = json.loads((self._folder / "metadata.json").read_text())
        return _info(key, metadata)

    def upload(
        self, path: Path, key: str, *, metadata: Mapping[str, str] = {}, **options: Any
    ) -> ObjectInfo:
        is_last = key == OBJECTS_JSONL
        shutil.copy(path, self._folder / ("last.jsonl.gz" if is_last else path.name))
        if is_last:
            (self._folder / "metadata.json").write_text(json.dumps(dict(metadata)))
        return _info(key, metadata)

    def _is_young(self, key: str) -> bool:
        return int(key[-7:]) >= self._objects - self._young

    def _place(self, key: str, width: int) -> int:
        """Return where a key is in the sorted file."""
        with self._keys.open() as file:
            low, high = 0, self._objects
            while low < high:
                middle = (low + high) // 2
                file.seek(middle * width)
                low, high = (middle + 1, high) if file.read(width - 1) < key else (low, middle)
        return low


def _info(key: str, metadata: Mapping[str, str]) -> ObjectInfo:
    return ObjectInfo(
        key=key, size=0, etag="etag", version="v", modified=LONG_AGO, metadata=metadata
    )


def _key(number: int) -> str:
    return publication_key(f"object {number:07}")


def _bodies() -> dict[bool, list[bytes]]:
    found: dict[bool, list[bytes]] = {}
    for is_long in (False, True):
        names = [f"page {number}" for number in range(20 if is_long else 1)]
        canvases = tuple(Canvas(image=one, alt_text={"en": ("A page.",)}) for one in names)
        bench = ObjectBench(*names)
        titles = [hashlib.sha256(bytes([one])).hexdigest() for one in range(TITLES)]
        for title in titles:
            bench.objects.put(book(title, title, canvases=canvases))
        found[is_long] = [bench.site.get(publication_key(title))[0] for title in titles]
    return found


def measure(objects: int, young: int, folder: str) -> dict[str, Any]:
    """Write the dumps; in the process that was begun for it."""
    bucket = MadeUpBucket(objects, young, Path(folder))
    began = time.process_time()
    done = update_dumps(bucket, BASE)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sizes = [one.stat().st_size for one in Path(folder).iterdir() if one.name != "keys"]
    return vars(done) | {
        "seconds": round(seconds, 1),
        "peak_mebibytes": round(peak, 1),
        "lists": bucket.lists,
        "bytes": sum(sizes),
    }


def _in_process(*arguments: Any) -> dict[str, Any]:
    code = f"from tests.benchmarks.dump_rate import *; print(json.dumps(measure{arguments}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print and keep what each dump took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--raw", type=Path, default=Path("runs/dump-rate.json"))
    options = parser.parse_args()
    measured = {}
    for objects in (options.objects // 10, options.objects):
        with tempfile.TemporaryDirectory() as folder:
            for what, young in (("first", 0), ("unchanged", 0), ("changed", CHANGED)):
                found = measured[f"{objects}, {what}"] = _in_process(objects, young, folder)
                print(
                    f"{objects:,} objects, {what}: {found['seconds']} s of CPU, "
                    f"{found['peak_mebibytes']} MiB at most, {found['lists']} lists, "
                    f"{found['read']:,} reads, {found['bytes']:,} bytes",
                    flush=True,
                )
    options.raw.parent.mkdir(parents=True, exist_ok=True)
    options.raw.write_bytes(msgspec.json.format(msgspec.json.encode(measured)))


if __name__ == "__main__":
    main()
