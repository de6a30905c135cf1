"""A table is published with its collection, whose title its members' pages have."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from tests.unit.site.pages.page_watch import Watch, text
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Described, rule_of
from vitrine.cli.collection.display import published_lines
from vitrine.iiif.presentation.model import Canvas, Statement
from vitrine.site.gallery import update_gallery
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.publish_objects import TableReport, publish_objects
from vitrine.store.layout import text_key
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, Word
from vitrine.text.transcription.stored_text import encode_text, text_name

TABLE = [
    MappedObject(row, book(f"b{row}", part_of=("shelf",)), file=f"{row}.csv") for row in (1, 2)
]


def publish(
    bench: ObjectBench, folder: Path, title: str = "A shelf", again: tuple[str, ...] = ()
) -> TableReport:
    """As another process would, each time."""
    bench.speak("en")
    mapping = MappingFile(
        folder=folder, identifier="shelf", label={"en": title}, table=folder, masters=folder
    )
    return publish_objects(bench.objects, mapping, TABLE, replace_withdrawn=again)


def test_members_have_the_title_before_the_collection_is_published(
    bench: ObjectBench, tmp_path: Path
) -> None:
    publish(bench, tmp_path)
    assert '<a href="/collections/shelf">A shelf</a>' in text(bench, "objects/b1")


def test_what_the_environment_published_at_the_same_moment_counts_as_published(
    bench: ObjectBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = Publisher.publish

    def twice(publisher: Publisher, identifier: str, **options: bool) -> object:
        once(publisher, identifier)  # the environment, which noticed an image of it
        return once(publisher, identifier, **options)

    monkeypatch.setattr(Publisher, "publish", twice)
    report = publish(bench, tmp_path)
    assert (report.made, report.unchanged) == (2, 0)
    report = publish(bench, tmp_path)
    assert (report.made, report.unchanged) == (0, 2)


def test_a_collection_with_a_new_title_changes_the_pages_of_its_members(
    bench: ObjectBench, tmp_path: Path
) -> None:
    publish(bench, tmp_path)
    publish(bench, tmp_path, "A rack")
    assert '<a href="/collections/shelf">A rack</a>' in text(bench, "objects/b1")
    with Watch(bench) as written:
        publish(bench, tmp_path, "A rack")
    assert [key for key in written if key.startswith("objects/")] == []


def test_a_collection_has_the_text_and_the_picture_of_its_rules(
    bench: ObjectBench, tmp_path: Path
) -> None:
    rules = tmp_path / "collection.toml"
    rules.write_text(
        '[collection]\nidentifier = "shelf"\nlabel = "A shelf"\nsummary = "What it holds."\n'
        'thumbnail = "two"\n[source]\ntable = "table.csv"\n[object]\nidentifier = "{Id}"\n'
    )
    publish_objects(bench.objects, read_mapping(rules), TABLE)
    page = text(bench, "collections/shelf")
    assert "<p>What it holds.</p>" in page
    assert re.search(r'class="large" src="/iiif/3/two/', page)


def test_a_list_has_how_the_metadata_begins_under_a_title(
    bench: ObjectBench, tmp_path: Path
) -> None:
    said = [("Maker", "<span>A. One</span>"), ("Note", " "), ("Date", "1901"), ("Place", "Delft")]
    metadata = tuple(
        Statement(label={"en": (label,)}, value={"en": (value, "Others")}) for label, value in said
    )
    described = book("b1", part_of=("shelf",), metadata=metadata)
    empty = book("b2", part_of=("shelf",), summary={"en": ("A summary.",)})
    table = [MappedObject(row, item) for row, item in enumerate((described, empty), start=1)]
    bench.speak("en")
    mapping = MappingFile(
        folder=tmp_path,
        identifier="shelf",
        label={"en": "A shelf"},
        table=tmp_path,
        masters=tmp_path,
    )
    publish_objects(bench.objects, mapping, table)
    notes = re.findall(r'<p class="note">(.*?)</p>', text(bench, "collections/shelf"))
    assert notes[-2:] == ["A. One · Others · 1901", "A summary."]
    update_gallery(bench.gallery(), ["b1", "b2"])
    assert "A. One · Others · 1901" in text(bench, "index.html")


def test_what_was_withdrawn_stays_so_until_it_is_named(bench: ObjectBench, tmp_path: Path) -> None:
    publish(bench, tmp_path)
    bench.objects.withdraw("b1", "A claim.")
    report = publish(bench, tmp_path)
    [(row, reason)] = report.refused
    assert row == 1
    assert "--replace-withdrawn b1 to `vitrine collection publish`" in reason
    assert publish(bench, tmp_path, again=("b1",)).refused == []
    assert "<h1>A book</h1>" in text(bench, "objects/b1")


def test_a_withdrawn_collection_is_refused_and_its_members_are_published(
    bench: ObjectBench, tmp_path: Path
) -> None:
    publish(bench, tmp_path)
    bench.objects.withdraw("shelf", "A claim.")
    report = publish(bench, tmp_path)
    assert (report.collection, report.unchanged) == (None, 2)
    assert [row for row, _ in report.refused] == [0]


def test_objects_without_a_search_are_named_with_the_reason(
    bench: ObjectBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = CanvasSize(800, 600)
    name = text_name("digest", 0, size)
    stored = encode_text(PageText((Line((Word("two"), Word("words"))),)), size)
    bench.records.put(text_key(name), stored, content_type="application/gzip")
    canvas = Canvas(image=IMAGES[0], text=name)
    monkeypatch.setattr("vitrine.search.content.build.MAX_WORDS", 1)
    mapping = MappingFile(
        folder=tmp_path, identifier="shelf", label={"en": "A"}, table=tmp_path, masters=tmp_path
    )
    table = [MappedObject(1, book("b1", canvases=(canvas,))), MappedObject(2, book("b2"))]
    report = publish_objects(bench.objects, mapping, table)
    [(identifier, sentence)] = report.unsearched
    assert (identifier, report.made) == ("b1", 2)
    assert sentence == "its pages have more than 1 words: divide the object"
    assert f"  b1: published without a search: {sentence}" in published_lines(
        "", report, [], {}, None
    )


@pytest.mark.parametrize(("said", "is_kept"), [("open", True), ("staff", True), ("", False)])
def test_who_closes_the_collection_while_its_table_is_published_has_closed_it(
    bench: ObjectBench, tmp_path: Path, said: str, is_kept: bool
) -> None:
    mapping = MappingFile(
        folder=tmp_path,
        identifier="shelf",
        label={"en": "A shelf"},
        table=tmp_path,
        masters=tmp_path,
        access=said,
    )
    report = publish_objects(bench.objects, mapping, TABLE)
    assert not report.is_kept_closed(said)

    def close() -> Iterator[MappedObject]:
        yield TABLE[0]
        record = bench.publisher.journal.latest("shelf")
        assert isinstance(record, Described)
        bench.objects.put(msgspec.structs.replace(record.item, access="closed"))
        yield MappedObject(2, book("b2", canvases=(Canvas(image="new"),)), file="2.csv")

    report = publish_objects(bench.objects, mapping, close())
    assert report.is_kept_closed(said) is is_kept
    assert rule_of(bench.publisher.journal.latest("shelf")) == "closed"
    records = [bench.publisher.shown.get(image) for image in (*IMAGES, "new")]
    assert [record.access for record in records if record] == ["closed"] * 4
