"""Dumps have everything that is published, and what changed costs a read, nothing else."""

import csv
import gzip
import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from tests.unit.catalogue.object_bench import BASE, IMAGES, ObjectBench, book, shelf
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.objects import Objects
from vitrine.errors import TransientError
from vitrine.iiif.presentation import paging
from vitrine.iiif.presentation.model import Canvas, Member
from vitrine.ports import ObjectInfo
from vitrine.site.dumps import files
from vitrine.site.dumps.update import DumpUpdate, update_dumps
from vitrine.store.layout import publication_key

NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


class CountedSite(MemoryObjectStore):
    """A bucket with a clock that a test sets, and the keys that were read."""

    def __init__(self) -> None:
        self.clock = datetime.now(UTC) - timedelta(days=2)
        super().__init__(lambda: self.clock)
        self.reads: list[str] = []
        self.fails = False

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        self.reads.append(key)
        if self.fails and key.startswith("presentation/"):
            raise TransientError("busy")
        return super().get(key)


@pytest.fixture
def bench() -> ObjectBench:
    bench = ObjectBench(*IMAGES)
    bench.site = CountedSite()
    bench.publisher = replace(bench.publisher, site=bench.site)
    bench.objects = Objects(bench.publisher)
    return bench


def update(bench: ObjectBench, **options: Any) -> DumpUpdate:
    bench.site.reads.clear()
    return update_dumps(bench.site, BASE, **options)


def rows(bench: ObjectBench) -> dict[str, dict[str, Any]]:
    text = gzip.decompress(bench.site.get("data/objects.jsonl.gz")[0]).decode()
    return {row["identifier"]: row for row in map(json.loads, text.splitlines())}


def sitemap_addresses(bench: ObjectBench) -> list[str]:
    index = ElementTree.fromstring(bench.site.get("sitemap.xml")[0])
    found = []
    for part in index.iterfind("s:sitemap/s:loc", NAMES):
        assert part.text is not None
        key = part.text.removeprefix(f"{BASE}/")
        urls = ElementTree.fromstring(gzip.decompress(bench.site.get(key)[0]))
        found += [str(url.text) for url in urls.iterfind("s:url/s:loc", NAMES)]
    return found


def test_every_object_is_there_with_its_addresses(bench: ObjectBench) -> None:
    bench.objects.put(book("a/b & c", "=SUM(A1)"))
    bench.objects.put(shelf())
    bench.objects.put(book("old"))
    bench.objects.rename("old", "new")
    bench.objects.put(book("claimed"))
    bench.objects.withdraw("claimed", "A claim.")
    bench.objects.put(book("early", canvases=(Canvas(image="none yet"),)))
    done = update(bench)
    assert (done.objects, done.read, done.written) == (5, 6, True)
    found = rows(bench)
    first = found["a/b & c"]
    assert first["manifest"] == f"{BASE}/presentation/3/a%2Fb%20%26%20c/manifest.json"
    assert (first["state"], first["canvases"], first["label"]) == (
        "published",
        3,
        {"en": ["=SUM(A1)"]},
    )
    assert first["thumbnail"].startswith(f"{BASE}/iiif/3/one/full/")
    assert found["shelf"]["manifest"].endswith("/shelf/collection.json")
    assert (found["old"]["state"], found["old"]["target"]) == ("moved", "new")
    assert (found["claimed"]["state"], found["claimed"]["reason"]) == ("withdrawn", "A claim.")
    published = {name for name, row in found.items() if row["state"] == "published"}
    assert published == {"a/b & c", "shelf", "new"}
    assert sorted(sitemap_addresses(bench)) == sorted(
        [
            f"{BASE}/collections/shelf",
            f"{BASE}/objects/a%2Fb%20%26%20c",
            f"{BASE}/objects/new",
        ]
    )
    text = gzip.decompress(bench.site.get("data/objects.csv.gz")[0]).decode()
    table = {row["identifier"]: row for row in csv.DictReader(io.StringIO(text))}
    assert table.keys() == found.keys()
    assert table["a/b & c"]["label"] == "'=SUM(A1)"  # no spreadsheet calculates it


@pytest.mark.slow
def test_only_what_changed_is_read(bench: ObjectBench) -> None:
    for number in range(30):
        bench.objects.put(book(f"book-{number}"))
    bench.site.clock += timedelta(minutes=1)
    assert update(bench).read == 30
    assert vars(update(bench)) == {"objects": 30, "read": 0, "left_out": 0, "written": False}
    bench.site.clock += timedelta(days=1)
    bench.objects.put(book("book-7", "Another title"))
    bench.objects.withdraw("book-8", "A claim.")
    bench.objects.put(book("book-30"))
    assert vars(update(bench)) == {"objects": 31, "read": 3, "left_out": 0, "written": True}
    found = rows(bench)
    assert found["book-7"]["label"] == {"en": ["Another title"]}
    assert found["book-8"]["state"] == "withdrawn"
    assert len(sitemap_addresses(bench)) == 30


def test_what_waits_for_its_images_is_read_once(bench: ObjectBench) -> None:
    bench.objects.put(book("early", canvases=(Canvas(image="none yet"),)))
    bench.site.clock += timedelta(minutes=1)
    assert vars(update(bench)) == {"objects": 0, "read": 1, "left_out": 0, "written": True}
    assert vars(update(bench)) == {"objects": 0, "read": 0, "left_out": 0, "written": False}
    bench.site.clock += timedelta(days=1)
    bench.objects.put(book("early"))
    assert vars(update(bench)) == {"objects": 1, "read": 1, "left_out": 0, "written": True}


@pytest.mark.parametrize("hours", [-48, 0, 48])
def test_what_changed_while_it_was_read_is_read_again(bench: ObjectBench, hours: int) -> None:
    """S3 lists whole seconds: a second change within one would be lost; our clock may be wrong."""
    bench.site.clock = datetime.now(UTC) + timedelta(hours=hours)
    bench.objects.put(book("book", "First"))
    update(bench)
    bench.objects.put(book("book", "Second"))
    assert update(bench).read == 1
    assert rows(bench)["book"]["label"] == {"en": ["Second"]}


def test_what_was_lost_leaves_the_dump(bench: ObjectBench) -> None:
    bench.objects.put(book("book"))
    bench.objects.put(shelf())
    bench.site.clock += timedelta(minutes=1)
    update(bench)
    bench.site.delete(publication_key("shelf"))
    assert vars(update(bench)) == {"objects": 1, "read": 0, "left_out": 0, "written": True}


def test_the_pages_of_a_long_collection_are_no_rows(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "MEMBERS", 2)
    members = tuple(Member(identifier=f"b{n}", label={"en": ("B",)}) for n in range(5))
    for identifier in ("shelf", "shelf-1", "shelf!"):
        bench.objects.put(msgspec.structs.replace(shelf(identifier), members=members))
    bench.site.clock += timedelta(minutes=1)
    assert vars(update(bench)) == {"objects": 3, "read": 3, "left_out": 0, "written": True}
    assert vars(update(bench)) == {"objects": 3, "read": 0, "left_out": 0, "written": False}
    bench.site.clock += timedelta(days=1)
    bench.objects.put(msgspec.structs.replace(shelf(), members=members[:4]))
    assert vars(update(bench)) == {"objects": 3, "read": 1, "left_out": 0, "written": True}
    assert rows(bench).keys() == {"shelf", "shelf-1", "shelf!"}


def test_another_domain_makes_all_addresses_again(bench: ObjectBench) -> None:
    bench.objects.put(book("book"))
    update(bench)
    done = update_dumps(bench.site, "https://other.example.org")
    assert (done.read, done.written) == (1, True)
    assert rows(bench)["book"]["manifest"].startswith("https://other.example.org/")


def test_a_sitemap_is_never_longer_than_the_protocol_allows(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files.URLS <= 50_000
    monkeypatch.setattr(files, "URLS", 4)
    for number in range(10):
        bench.objects.put(book(f"book-{number}"))
    update(bench)
    index = ElementTree.fromstring(bench.site.get("sitemap.xml")[0])
    assert len(list(index.iterfind("s:sitemap", NAMES))) == 3
    assert len(set(sitemap_addresses(bench))) == 10


def test_a_bucket_without_objects_has_empty_dumps(bench: ObjectBench) -> None:
    assert vars(update(bench)) == {"objects": 0, "read": 0, "left_out": 0, "written": True}
    assert rows(bench) == {}
    assert vars(update(bench)) == {"objects": 0, "read": 0, "left_out": 0, "written": False}


def test_a_dump_that_cannot_be_finished_leaves_the_last_one(bench: ObjectBench) -> None:
    bench.objects.put(book("book"))
    update(bench)
    before = bench.site.get("data/objects.jsonl.gz")[0]
    bench.site.clock += timedelta(days=1)
    bench.objects.put(shelf())
    bench.site.fails = True
    with pytest.raises(TransientError, match="busy"):
        update(bench)
    assert bench.site.get("data/objects.jsonl.gz")[0] == before
    bench.site.fails = False
    assert update(bench).written
