"""How long the pages of a large collection take, what they weigh, and what one change writes.

`python -m tests.benchmarks.page_rate --objects 100000 [--rounds 5]`: objects of one image each with
ten statements, and one collection of them all, are published over ports in memory; files are
counted and not kept, so that the memory is that of the publisher and the journal is not part of it.
"""

import argparse
import json
import resource
import time
from collections.abc import Mapping
from typing import Any

from loadtest.figures.order_statistics import median
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.iiif.presentation.model import (
    Canvas,
    Member,
    ObjectCollection,
    PublishedObject,
    Statement,
)
from vitrine.iiif.size import Limits
from vitrine.present.objects.records import Described, objects_journal
from vitrine.present.objects.site_pages import SitePages
from vitrine.present.pages.page_writer import PageWriter
from vitrine.store.publications import Published

IMAGES = 50
AT = "2026-11-25T10:00:00Z"
RIGHTS = "http://creativecommons.org/publicdomain/zero/1.0/"


class CountingStore(MemoryObjectStore):
    """Keeps nothing of pages but their number and weight."""

    def __init__(self) -> None:
        super().__init__()
        self.files = self.bytes = 0

    def put(self, key: str, body: bytes, **how: Any) -> Any:
        self.files += 1
        self.bytes += len(body)


def work(number: int) -> PublishedObject:
    """Return an object as a museum's table gives it."""
    return PublishedObject(
        identifier=f"object-{number:06}",
        label={"en": (f"Landscape with {number} trees",)},
        summary={"en": ("A view of the river and the hills behind it, painted on the spot.",)},
        metadata=tuple(
            Statement(label={"en": (f"Field {field}",)}, value={"en": (f"Value {number + field}",)})
            for field in range(10)
        ),
        rights=RIGHTS,
        part_of=("all",),
        canvases=(Canvas(image=f"image-{number % IMAGES}"),),
    )


def build(objects: int) -> dict[str, Any]:
    """Write all pages of so many objects and of their collection once."""
    names = [f"image-{number}" for number in range(IMAGES)]
    images: Mapping[str, Any] = {name: live(name, 8000, 6000) for name in names}
    store, records = CountingStore(), MemoryObjectStore()
    pages = SitePages(
        writer=PageWriter(
            store=store, base="https://m.example", limits=Limits(area=25_000_000), downloads=True
        ),
        journal=objects_journal(records),
        identifiers=MemoryIdentifierTable(*images.values()),
        rights="",
    )
    shown = Published(revision=1, kind="manifest", documents={})
    begun, memory, cpu = time.monotonic(), _memory(), time.process_time()
    for number in range(objects):
        item = work(number)
        record = Described(identifier=item.identifier, changed_at=AT, item=item)
        pages.update(record, shown, {item.canvases[0].image: images[item.canvases[0].image]}, None)
        if number == objects // 10:
            memory = _memory()
    seconds, cpu = time.monotonic() - begun, time.process_time() - cpu
    of_objects, grown = (store.files, store.bytes), _memory() - memory
    members = tuple(
        Member(
            identifier=f"object-{number:06}",
            label={"en": (f"Landscape with {number} trees",)},
            image=f"image-{number % IMAGES}",
        )
        for number in range(objects)
    )
    collection = ObjectCollection(identifier="all", label={"en": ("All",)}, members=members)
    begun = time.monotonic()
    record = Described(identifier="all", changed_at=AT, item=collection)
    pages.update(record, Published(revision=1, kind="collection", documents={}), {}, None)
    return {
        "objects": objects,
        "seconds_objects": round(seconds, 1),
        "cpu_seconds_objects": round(cpu, 1),
        "seconds_collection": round(time.monotonic() - begun, 1),
        "files": store.files,
        "mebibytes": round(store.bytes / 2**20, 1),
        "bytes_per_object": of_objects[1] // objects,
        "files_per_object": of_objects[0] / objects,
        "mebibytes_grown_from_a_tenth_to_all": round(grown / 1024, 1),
        "mebibytes_at_most": round(_memory() / 1024, 1),
    }


def _memory() -> int:
    """Return the most memory that this process had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Print a line for each round, and the median."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    rounds = [build(options.objects) for _ in range(options.rounds)]
    for one in rounds:
        print(json.dumps(one))
    print(f"median: {median([one['cpu_seconds_objects'] for one in rounds]):.1f} s of CPU")


if __name__ == "__main__":
    main()
