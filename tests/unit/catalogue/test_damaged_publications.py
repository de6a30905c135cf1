"""One damaged publication is named and left out; all others are listed, dumped and found."""

import gzip
import json
import logging
from dataclasses import dataclass, replace
from typing import Any

import brotli
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.catalogue.object_bench import BASE, IMAGES, ObjectBench, book
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.search.full_text.titles import PublishedTitles
from vitrine.search.titles.update import update_search
from vitrine.site.discovery.published_now import published_now
from vitrine.site.dumps.files import OBJECTS_JSONL
from vitrine.site.dumps.update import update_dumps
from vitrine.site.gallery import update_gallery
from vitrine.store.layout import GALLERY_KEY, publication_key
from vitrine.store.publications import Published, decode_publication, encode_publication
from vitrine.store.published_document import UnusablePublication, read_document

TIMES = ("updated", "published_at")
OTHERS = ("left", "right")
DAMAGED = "middle"
KEY = publication_key(DAMAGED)


class Bench(ObjectBench):
    """Three objects that are published."""

    def __init__(self) -> None:
        super().__init__(*IMAGES)
        for identifier in (*OTHERS, DAMAGED):
            self.objects.put(book(identifier, f"A {identifier} book"))
        self.sound = self.site.get(KEY)[0]

    def store(self, body: bytes) -> None:
        self.site.put(KEY, body, content_type="x/y")

    def update_all(self) -> "Answers":
        """Bring all up to date that reads what is published, from nothing."""
        search = update_search(self.site, BASE, everything=True)
        dump = update_dumps(self.site, BASE, everything=True)
        gallery = self.gallery(3)
        update_gallery(gallery, [*OTHERS, DAMAGED])
        list(published_now(self.site, [*OTHERS, DAMAGED]))
        lines = gzip.decompress(self.site.get(OBJECTS_JSONL)[0]).splitlines()
        rows = {row["identifier"]: row for row in map(json.loads, lines)}
        shown = json.loads(self.site.get(GALLERY_KEY)[0])["objects"]
        assert search.left_out == dump.left_out
        return Answers(
            damaged=search.left_out,
            found=search.objects,
            rows={one: without_times(row) for one, row in rows.items()},
            shown={one["identifier"]: without_times(one) for one in shown},
        )


@dataclass(frozen=True)
class Answers:
    """What is said of each object."""

    damaged: int
    found: int
    rows: dict[str, Any]
    shown: dict[str, Any]

    def without_damaged(self) -> tuple[Any, Any]:
        return (
            {one: row for one, row in self.rows.items() if one != DAMAGED},
            {one: row for one, row in self.shown.items() if one != DAMAGED},
        )


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in TIMES}


def flip(body: bytes, place: int, bit: int) -> bytes:
    place %= len(body)
    return body[:place] + bytes([body[place] ^ 1 << bit]) + body[place + 1 :]


def is_sound(body: bytes) -> bool:
    try:
        publication = decode_publication(body)
        if isinstance(publication, Published):
            read_document(publication)
    except (msgspec.DecodeError, UnusablePublication):
        return False
    return True


def damage(body: bytes, kind: str, place: int, bit: int, garbage: bytes) -> bytes:
    """Return a publication with other bytes in it, or in a document of it."""
    publication = decode_publication(body)
    assert isinstance(publication, Published)
    document = publication.documents[3]
    inner = brotli.decompress(document)
    match kind:
        case "bit":
            return flip(body, place, bit)
        case "end":
            return body[: place % len(body)]
        case "garbage":
            return garbage
        case "bit of a document":
            changed = flip(document, place, bit)
        case "end of a document":
            changed = document[: place % len(document)]
        case "other document":
            changed = brotli.compress(garbage)
        case "end of JSON":
            changed = brotli.compress(inner[: place % len(inner)])
        case "lost property":
            said = json.loads(inner)
            said.pop(list(said)[place % len(said)])
            changed = brotli.compress(json.dumps(said).encode())
        case _:
            said = json.loads(inner)
            said[list(said)[place % len(said)]] = json.loads(b'[1, {"none": 2}]')[bit % 2]
            changed = brotli.compress(json.dumps(said).encode())
    documents = {**publication.documents, 3: changed}
    return encode_publication(msgspec.structs.replace(publication, documents=documents))


KINDS = (
    *("bit", "end", "garbage", "bit of a document", "end of a document", "other document"),
    *("end of JSON", "lost property", "other value"),
)


@pytest.mark.slow
@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    kind=st.sampled_from(KINDS),
    place=st.integers(0, 10_000),
    bit=st.integers(0, 7),
    garbage=st.one_of(st.binary(max_size=50), st.sampled_from([b"{}", b"[" * 5_000, b"null"])),
)
def test_whatever_is_damaged_of_one_publication_all_others_are_as_they_were(
    caplog: pytest.LogCaptureFixture, kind: str, place: int, bit: int, garbage: bytes
) -> None:
    caplog.clear()
    bench = Bench()
    before = bench.update_all()
    assert (before.damaged, before.found, len(before.rows), len(before.shown)) == (0, 3, 3, 3)
    body = damage(bench.sound, kind, place, bit, garbage)
    bench.store(body)
    with caplog.at_level(logging.ERROR):
        after = bench.update_all()
    assert after.without_damaged() == before.without_damaged()
    messages = [record.getMessage() for record in caplog.records]
    named = [one for one in messages if f'"{DAMAGED}"' in one or KEY in one]
    if is_sound(body):
        assert (after.damaged, named) == (0, [])
    else:
        assert (after.damaged, after.found, len(named) >= 3) == (1, 2, True)
        assert DAMAGED not in after.rows
        assert DAMAGED not in after.shown
    # As the run book says.
    rebuild_publications(bench.publisher)
    assert replace(bench.update_all(), damaged=0) == before


@pytest.mark.parametrize("version", [2, 3])
def test_an_object_whose_document_is_damaged_is_called_by_its_identifier(version: int) -> None:
    bench = Bench()
    publication = decode_publication(bench.sound)
    assert isinstance(publication, Published)
    for documents in ({}, {version: b"x"}, {version: brotli.compress(b"{}")}):
        bench.store(encode_publication(msgspec.structs.replace(publication, documents=documents)))
        titles = PublishedTitles(bench.site)
        assert titles.admit(DAMAGED, "")
        label = titles.read(DAMAGED, version).label
        assert label == (DAMAGED if version == 2 else {"none": [DAMAGED]})
