"""The pages of a long collection follow its record and images; only what changed is written."""

import json
from dataclasses import replace
from typing import Any

import brotli
import pytest

from tests.unit.catalogue.object_bench import ObjectBench
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.errors import TransientError
from vitrine.iiif.presentation import paging
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.ports import ObjectInfo
from vitrine.store.layout import page_key, publication_key
from vitrine.store.publications import Published, decode_page

PAGE = 3


class WatchedStore(MemoryObjectStore):
    """Remembers which keys were written, and calls something before the next look or write."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []
        self.before_head: Any = None
        self.before_put: Any = None

    def head(self, key: str) -> ObjectInfo:
        action, self.before_head = self.before_head, None
        if action:
            action()
        return super().head(key)

    def put(self, key: str, body: bytes, **options: Any) -> ObjectInfo:
        action, self.before_put = self.before_put, None
        if action:
            action()
        info = super().put(key, body, **options)
        self.written.append(key)
        return info


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ObjectBench:
    monkeypatch.setattr(paging, "MEMBERS", PAGE)
    bench = ObjectBench(*(f"i{number}" for number in range(12)))
    bench.site = WatchedStore()
    bench.publisher = replace(bench.publisher, site=bench.site)
    bench.objects = Objects(bench.publisher)
    return bench


def plates(*numbers: int, title: str = "Plates") -> ObjectCollection:
    return ObjectCollection(
        identifier="plates",
        label={"en": (title,)},
        members=tuple(
            Member(identifier=f"p{number}", label={"none": (str(number),)}, image=f"i{number}")
            for number in numbers
        ),
    )


def written(bench: ObjectBench) -> list[str]:
    """What was written of documents since the last call, by the ends of the keys."""
    keys, bench.site.written = bench.site.written, []
    start = publication_key("plates")
    return sorted(key.removeprefix(start) for key in keys if key.startswith(start))


def pages(bench: ObjectBench, version: int = 3) -> list[list[str]]:
    """The members' names on each page, as they can be read."""
    publication = bench.published("plates")
    assert isinstance(publication, Published)
    found = []
    for number in range(1, publication.pages + 1):
        page = decode_page(bench.site.get(page_key("plates", number))[0])
        document = json.loads(brotli.decompress(page[version]))
        listed = document["items" if version == 3 else "members"]
        found.append([one["id" if version == 3 else "@id"].split("/")[-2] for one in listed])
    return found


@pytest.mark.parametrize("version", [2, 3])
def test_a_long_collection_is_published_in_pages(bench: ObjectBench, version: int) -> None:
    bench.objects.put(plates(*range(8)))
    assert pages(bench, version) == [["p0", "p1", "p2"], ["p3", "p4", "p5"], ["p6", "p7"]]
    assert written(bench) == ["", "/00001", "/00002", "/00003"]
    document = bench.document("plates", version)
    assert len(document["items"]) == 3 if version == 3 else document["total"] == 8


def test_the_same_again_writes_nothing(bench: ObjectBench) -> None:
    bench.objects.put(plates(*range(8)))
    written(bench)
    events = len(bench.events.events)
    result = bench.objects.put(plates(*range(8)))
    assert (result.changed, result.publishing.made, written(bench)) == (False, False, [])
    assert len(bench.events.events) == events


def test_only_the_pages_that_changed_are_written(bench: ObjectBench) -> None:
    bench.objects.put(plates(*range(8)))
    written(bench)
    bench.objects.put(plates(0, 1, 2, 9, 4, 5, 6, 7))
    assert written(bench) == ["", "/00002"]
    assert pages(bench)[1] == ["p9", "p4", "p5"]


def test_an_image_changes_the_page_that_shows_it_and_readers_of_changes_hear_of_it(
    bench: ObjectBench,
) -> None:
    bench.objects.put(plates(*range(8)))
    written(bench)
    events = len(bench.events.events)
    bench.withdraw_image("i7")
    assert publish_changed_images(bench.publisher, ["i7"]) == 1
    assert written(bench) == ["", "/00003"]
    (event,) = bench.events.events[events:]
    assert event[1]["change"] == "updated"
    result = bench.publisher.published("plates")
    assert result
    assert result.missing == ("i7",)


def test_a_collection_that_grows_gets_pages_and_one_that_shrinks_loses_them(
    bench: ObjectBench,
) -> None:
    bench.objects.put(plates(0, 1, 2))
    assert written(bench) == [""]
    assert pages(bench) == []
    bench.objects.put(plates(*range(10)))
    assert [len(page) for page in pages(bench)] == [3, 3, 3, 1]
    written(bench)
    bench.objects.put(plates(*range(6)))
    assert [len(page) for page in pages(bench)] == [3, 3]
    # The second has no next one any more; what the others said is there no more.
    assert written(bench) == ["", "/00002", "/00003", "/00004"]
    for number in (3, 4):
        assert bench.site.get(page_key("plates", number))[0] == b""
    bench.objects.put(plates(*range(7)))
    assert [len(page) for page in pages(bench)] == [3, 3, 1]
    bench.objects.put(plates(0))
    assert pages(bench) == []
    assert bench.document("plates")["items"][0]["type"] == "Manifest"


def test_nothing_is_left_of_the_pages_of_a_collection_that_is_withdrawn_or_renamed(
    bench: ObjectBench,
) -> None:
    for end in ("withdraw", "rename"):
        bench.objects.put(plates(*range(8)), replace_withdrawn=True)
        if end == "withdraw":
            bench.objects.withdraw("plates", "A claim.")
        else:
            bench.objects.rename("plates", "prints")
        bodies = [bench.site.get(page_key("plates", number))[0] for number in (1, 2, 3)]
        assert bodies == [b"", b"", b""]
    assert bench.document("prints")["items"][2]["id"].endswith("/prints/collection-3.json")


@pytest.mark.parametrize("fails_at", range(1, 7))
def test_whichever_write_fails_the_same_command_finishes_it(
    bench: ObjectBench, fails_at: int
) -> None:
    bench.objects.put(plates(*range(8)))
    broken: Any = Breaking(bench.site, every=fails_at, methods=frozenset({"put"}))
    failing = Objects(replace(bench.publisher, site=broken))
    item = plates(*range(11, 2, -1))
    try:
        failing.put(item)
    except TransientError:
        assert fails_at < 6
        bench.objects.put(item)
    assert pages(bench) == [["p11", "p10", "p9"], ["p8", "p7", "p6"], ["p5", "p4", "p3"]]
    publication = bench.published("plates")
    assert publication.revision == 2
    assert written(bench)
    assert not bench.objects.put(item).publishing.made


def test_of_two_publishers_at_the_same_time_the_newer_record_stands(bench: ObjectBench) -> None:
    bench.objects.put(plates(*range(8)))
    other = plates(*reversed(range(8)))

    def overtake() -> None:
        bench.objects.put(other)

    bench.site.before_put = overtake
    bench.objects.put(plates(*range(1, 9)))
    newest = bench.publisher.journal.latest("plates")
    assert newest
    assert newest.revision == 3
    assert pages(bench) == [["p7", "p6", "p5"], ["p4", "p3", "p2"], ["p1", "p0"]]


def test_a_publisher_that_is_overtaken_writes_no_page_of_its_older_record(
    bench: ObjectBench,
) -> None:
    bench.objects.put(plates(*range(8)))
    written(bench)
    bench.site.before_head = lambda: bench.objects.put(plates(*reversed(range(8))))
    bench.objects.put(plates(*range(1, 9)))
    assert written(bench) == ["", "/00001", "/00002", "/00003"], "each once, by the other one"


def test_a_page_that_was_lost_is_written_again(bench: ObjectBench) -> None:
    bench.objects.put(plates(*range(8)))
    written(bench)
    bench.site.delete(page_key("plates", 2))
    assert bench.objects.put(plates(*range(8))).publishing.made
    assert written(bench) == ["", "/00002"]


def test_a_page_shows_an_image_in_the_size_that_it_has_now(bench: ObjectBench) -> None:
    bench.objects.put(plates(*range(8)))
    bench.write(live("i1", 4000, 3000, revision=1))
    assert publish_changed_images(bench.publisher, ["i1"]) == 1
    page = decode_page(bench.site.get(page_key("plates", 1))[0])
    document = json.loads(brotli.decompress(page[3]))
    first, second, _ = (one["thumbnail"][0] for one in document["items"])
    assert (first["width"], second["width"]) == (400, 500), "levels of 800 and of 4,000 pixels"
