"""One damaged record or publication leaves an export whole but for itself, and is named."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import ExportBench, read_lines
from vitrine.export.bag import check_bag
from vitrine.iiif.presentation.model import Canvas
from vitrine.store.layout import JOURNAL, OBJECTS, journal_key, metadata_key, publication_key
from vitrine.store.publications import Published, decode_publication, encode_publication

pytestmark = pytest.mark.slow

IMAGES = {"one": (200, 150), "two": (100, 80)}


def make_bench() -> ExportBench:
    bench = ExportBench(IMAGES)
    bench.objects.put(book("bad", canvases=(Canvas(image="one"),)))
    bench.objects.put(book("good", canvases=(Canvas(image="two"),)))
    return bench


def damage_record(bench: ExportBench) -> str:
    bench.ingest.records.put(journal_key("bad", 1, OBJECTS), b'{"state":', content_type="x/y")
    return "bad"


def damage_publication(bench: ExportBench) -> str:
    bench.site.put(publication_key("bad"), b"\x81", content_type="x/y")
    return "bad"


def damage_document(bench: ExportBench) -> str:
    publication = decode_publication(bench.site.get(publication_key("bad"))[0])
    assert isinstance(publication, Published)
    torn = msgspec.structs.replace(publication, documents={3: b"torn"})
    bench.site.put(publication_key("bad"), encode_publication(torn), content_type="x/y")
    return "bad"


def damage_metadata(bench: ExportBench) -> str:
    bench.ingest.records.put(metadata_key("one"), b"{}", content_type="x/y")
    return "one"


def damage_both_records(bench: ExportBench) -> str:
    key = journal_key("one", bench.live("one").revision, JOURNAL)
    bench.ingest.records.put(key, b"[]", content_type="x/y")
    bench.ingest.identifiers.damage("one")
    return "one"


@pytest.mark.parametrize(
    "damage",
    [damage_record, damage_publication, damage_document, damage_metadata, damage_both_records],
)
def test_what_is_damaged_is_named_and_all_else_is_exported(
    tmp_path: Path, damage: Callable[[ExportBench], str]
) -> None:
    bench = make_bench()
    assert bench.export(tmp_path).left_out == []
    earlier = (tmp_path / "data" / "manifests" / "3" / "bad.json").read_bytes()
    bad = damage(bench)
    bench.objects.put(book("good", canvases=(Canvas(image="two", label={"en": ("New",)}),)))
    done = bench.export(tmp_path)
    assert [bad in sentence for sentence in done.left_out] == [True]
    assert done.faults == []
    assert list(check_bag(tmp_path)) == [], "the bag is sealed, so it can be read back"
    data = tmp_path / "data"
    assert b"New" in (data / "manifests" / "3" / "good.json").read_bytes()
    assert (data / "pictures" / "two.tif").is_file()
    assert (data / "manifests" / "3" / "bad.json").read_bytes() == earlier
    assert (data / "pictures" / "one.tif").is_file()
    assert "good" in {line["identifier"] for line in read_lines(data / "objects.jsonl")}


def test_a_damaged_item_of_the_table_is_exported_from_the_journal(tmp_path: Path) -> None:
    bench = make_bench()
    bench.ingest.identifiers.damage("one")
    assert bench.export(tmp_path, static=False).left_out == []
    rows = read_lines(tmp_path / "data" / "identifiers.jsonl")
    assert {row["identifier"] for row in rows} >= {"one", "two"}
    assert (tmp_path / "data" / "pictures" / "one.tif").is_file()
