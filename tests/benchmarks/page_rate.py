"""How long a large collection takes to be published, and what its pages weigh.

`python -m tests.benchmarks.page_rate --objects 100000 [--rounds 5] [--save FILE]`: objects of one
image each with ten statements, and one collection of them all, are published over ports in memory:
manifests, pages for people, and the page of each image. Files are counted and not kept, and only
the record that is being published exists, so that the memory is that of the publisher. What S3 adds
is waiting, which eight objects do at the same time.
"""

import argparse
import json
import resource
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from loadtest.figures.order_statistics import median
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.model import (
    Canvas,
    Member,
    ObjectCollection,
    PublishedObject,
    Statement,
)
from vitrine.iiif.size import Limits
from vitrine.ports import Listed, ObjectInfo, Page
from vitrine.present.objects.compose import Presentation
from vitrine.present.objects.publisher import Publisher
from vitrine.present.objects.records import Described, Item, objects_journal
from vitrine.records import Record
from vitrine.store.layout import OBJECTS, journal_folder, journal_key, use_key, uses_folder

AT = "2026-11-25T10:00:00Z"
RIGHTS = "http://creativecommons.org/publicdomain/zero/1.0/"


class CountingStore(MemoryObjectStore):
    """Keeps nothing of what is published but its number and weight."""

    def __init__(self) -> None:
        super().__init__()
        self.files = self.bytes = 0

    def put(self, key: str, body: Any, **how: Any) -> Any:
        self.files += 1
        self.bytes += len(body)


class OneRecord(MemoryObjectStore):
    """Has the record that is being published, and the note that its object shows its image."""

    def __init__(self) -> None:
        super().__init__()
        self._bodies: dict[str, bytes] = {}
        self._folders: dict[str, str] = {}

    def show(self, item: Item) -> None:
        name = item.identifier
        record = Described(identifier=name, revision=1, changed_at=AT, item=item)
        key = journal_key(name, 1, OBJECTS)
        self._bodies = {key: msgspec.json.encode(record)}
        self._folders = {journal_folder(name, OBJECTS): key}
        if isinstance(item, PublishedObject):
            image = item.canvases[0].image
            self._folders[uses_folder(image)] = use_key(image, name)

    def list_keys(self, after: str = "", limit: int = 1_000, *, prefix: str = "") -> Page:
        key = self._folders.get(prefix)
        return Page([Listed(key, "v1", AT)] if key else [], "")

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        if key not in self._bodies:
            raise ObjectMissing(key)
        body = self._bodies[key]
        return body, ObjectInfo(key=key, size=len(body), etag="e", version="v1", modified=AT)


class EveryImage(MemoryIdentifierTable):
    """Has every image that is asked for."""

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record]:
        return {name: live(name, 8000, 6000) for name in identifiers if "image" in name}


class NoEvents(MemoryEventBus):
    """Keeps none."""

    def publish(self, detail_type: str, detail: Any) -> None:
        pass


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
        canvases=(Canvas(image=f"image-{number:06}"),),
    )


def build(objects: int) -> dict[str, Any]:
    """Publish so many objects and their collection once."""
    store, records = CountingStore(), OneRecord()
    publisher = Publisher(
        site=store,
        records=records,
        journal=objects_journal(records),
        identifiers=EveryImage(),
        events=NoEvents(),
        presentation=Presentation(
            base="https://m.example", limits=Limits(area=25_000_000), downloads=True
        ),
    )
    begun, memory, cpu = time.monotonic(), _memory(), time.process_time()
    for number in range(objects):
        item = work(number)
        records.show(item)
        publisher.publish(item.identifier)
        if number == objects // 10:
            memory = _memory()
    seconds, cpu = time.monotonic() - begun, time.process_time() - cpu
    of_objects, grown = (store.files, store.bytes), _memory() - memory
    members = tuple(
        Member(
            identifier=f"object-{number:06}",
            label={"en": (f"Landscape with {number} trees",)},
            image=f"image-{number:06}",
        )
        for number in range(objects)
    )
    records.show(ObjectCollection(identifier="all", label={"en": ("All",)}, members=members))
    begun = time.monotonic()
    publisher.publish("all")
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
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--save", type=Path, help="where every round is kept, as JSON")
    options = parser.parse_args()
    rounds = [build(options.objects) for _ in range(options.rounds)]
    for one in rounds:
        print(json.dumps(one))
    if options.save:
        options.save.parent.mkdir(parents=True, exist_ok=True)
        options.save.write_text(json.dumps(rounds, indent=1) + "\n")
    print(f"median: {median([one['cpu_seconds_objects'] for one in rounds]):.1f} s of CPU")


if __name__ == "__main__":
    main()
