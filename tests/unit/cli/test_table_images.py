"""The first reading of a table knows the rule of its collection, whatever became of that."""

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.unit.catalogue.object_bench import ObjectBench
from tests.unit.cli.shelf_table import RULES
from tests.unit.deliver.deliver_records import live
from vitrine.access.rules import CLOSED, read_rule
from vitrine.catalogue import objects
from vitrine.cli.collection.table_images import NOT_DIGITISED, ReadTable, write_images
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.records import Removed
from vitrine.site.gallery import update_gallery
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import RowNote
from vitrine.sources.updates.open_mapper import open_mapper
from vitrine.sources.updates.owned_names import OwnedNames
from vitrine.store.layout import GALLERY_KEY


@pytest.fixture
def mapping(tmp_path: Path) -> MappingFile:
    (tmp_path / "collection.toml").write_text(RULES)
    (tmp_path / "shelf.csv").write_text("name\nfresh\n")
    return read_mapping(tmp_path / "collection.toml")


@pytest.fixture
def bench() -> ObjectBench:
    bench = ObjectBench()
    put_shelf(bench, "closed")
    return bench


def read_table(
    bench: ObjectBench,
    mapping: MappingFile,
    notes: list[RowNote] | None = None,
    *,
    has_masters: bool = True,
) -> ReadTable:
    """Read the table; what is the matter with its rows is added to `notes`."""
    mapper, rules = open_mapper(mapping), mapping.folder / "collection.toml"
    names = OwnedNames(identifiers=bench.identifiers, collection="shelf", has_masters=has_masters)
    notes = [] if notes is None else notes
    return write_images(rules, mapping, mapper, notes, names, bench.publisher)


def put_shelf(bench: ObjectBench, rule: str, name: str = "shelf") -> None:
    bench.objects.put(
        ObjectCollection(identifier=name, label={"en": ("A shelf",)}, access=rule),
        replace_withdrawn=True,
    )


def test_images_of_a_withdrawn_collection_have_the_rule_that_it_had(
    bench: ObjectBench, mapping: MappingFile
) -> None:
    bench.objects.withdraw("shelf", "A claim.")
    assert read_table(bench, mapping).access.default == "closed"
    assert shown(bench, "fresh") == "closed"


def shown(bench: ObjectBench, image: str) -> str:
    record = bench.publisher.shown.get(image)
    return record.access if record else ""


def test_images_of_a_renamed_collection_have_the_rule_that_it_has(
    bench: ObjectBench, mapping: MappingFile
) -> None:
    bench.objects.rename("shelf", "rack")
    assert read_table(bench, mapping).access.default == "closed"
    assert shown(bench, "fresh") == "closed"


@pytest.mark.parametrize(
    ("said", "is_kept"), [("", False), ("closed", False), ("open", True), ("small:1000", True)]
)
def test_a_table_opens_no_collection_that_is_closed(
    bench: ObjectBench, mapping: MappingFile, said: str, is_kept: bool
) -> None:
    for _ in range(2):
        table = read_table(bench, replace(mapping, access=said))
        assert table.is_kept_closed is is_kept
        assert table.access.default == "closed"
        assert shown(bench, "fresh") == "closed"
        bench.objects.withdraw("shelf", "A claim.")


def test_a_table_opens_no_collection_whose_rule_a_later_version_wrote(
    bench: ObjectBench, mapping: MappingFile
) -> None:
    with patch.object(objects, "find_faults", return_value=[]):  # that version knows the rule
        put_shelf(bench, "on-mondays:staff")
    table = read_table(bench, replace(mapping, access="open"))
    assert table.is_kept_closed
    assert table.access.default == "on-mondays:staff"
    assert read_rule(shown(bench, "fresh")) == CLOSED


@pytest.mark.parametrize("said", ["", "open", "closed"])
@pytest.mark.parametrize("cells", ["first,\nsecond,open\n", "first,open\nsecond,\n"])
def test_an_image_of_two_rows_is_closed_if_one_says_nothing_and_the_collection_is_closed(
    bench: ObjectBench, tmp_path: Path, said: str, cells: str
) -> None:
    rules = RULES.replace("{name}.tif", "shared.tif") + 'access = "{access}"\n'
    (tmp_path / "collection.toml").write_text(rules)
    (tmp_path / "shelf.csv").write_text(f"name,access\n{cells}")
    mapping = replace(read_mapping(tmp_path / "collection.toml"), access=said)
    table = read_table(bench, mapping)
    assert table.access.own == {"shared": "closed"}
    assert table.access.decides is (said == "closed")


def test_a_table_knows_that_a_rule_was_changed_since_it_was_read(
    bench: ObjectBench, mapping: MappingFile
) -> None:
    put_shelf(bench, "open")
    table = read_table(bench, replace(mapping, access="small:1000"))
    assert table.has_rule_of_now()
    put_shelf(bench, "closed", "rack")
    assert table.has_rule_of_now(), "it has nothing to do with the table"
    put_shelf(bench, "closed")
    assert not table.has_rule_of_now()


def test_a_table_knows_that_its_collection_was_closed_for_the_first_time_or_renamed(
    mapping: MappingFile,
) -> None:
    bench = ObjectBench()
    table = read_table(bench, mapping)
    assert table.has_rule_of_now()
    put_shelf(bench, "closed")
    assert not table.has_rule_of_now()
    table = read_table(bench, mapping)
    bench.objects.rename("shelf", "rack")
    assert not table.has_rule_of_now()


def test_an_image_of_the_table_is_on_no_home_page_while_its_object_is_not_published(
    bench: ObjectBench, mapping: MappingFile
) -> None:
    rules = mapping.folder / "collection.toml"
    rules.write_text(RULES.replace('identifier = "{name}"', 'identifier = "{name}-object"'))
    (mapping.folder / "shelf.csv").write_text("name\nfresh\nknown\n")
    mapping = read_mapping(rules)
    bench.write(live("known", 800, 600))
    put_shelf(bench, "open")
    read_table(bench, mapping)
    home = bench.gallery()
    for image in ("fresh", "alone"):
        bench.write(live(image, 800, 600))
    update_gallery(home, ["fresh", "alone", "known"])
    listed = json.loads(bench.site.get(GALLERY_KEY)[0])["images"]
    # One that was public before stays where it is until its object is there.
    assert {image["identifier"] for image in listed} == {"alone", "known"}
    assert bench.publisher.update_image("fresh") > 0
    assert list(bench.publisher.objects_with("fresh")) == ["fresh-object"]
    assert bench.publisher.publish("fresh-object") is None


@pytest.mark.parametrize(
    ("files", "images", "has_masters", "objects"),
    [
        ((), (), True, 0),
        (("fresh.tif",), (), True, 1),
        ((), ("fresh",), True, 1),
        ((), ("shelf-fresh",), True, 1),
        ((), (), False, 1),
    ],
)
def test_an_object_that_is_not_digitised_yet_is_left_out_until_it_is(
    mapping: MappingFile,
    files: tuple[str, ...],
    images: tuple[str, ...],
    has_masters: bool,
    objects: int,
) -> None:
    """Of a table without a folder, images come in another way, and objects wait for them."""
    bench = ObjectBench(*images)
    put_shelf(bench, "closed")
    for file in files:
        (mapping.folder / file).touch()
    notes: list[RowNote] = []
    table = read_table(bench, mapping, notes, has_masters=has_masters)
    assert table.objects == objects
    about_images = [note.sentence for note in notes if note.rule in ("image", "alt_text")]
    assert (about_images == [NOT_DIGITISED]) == (objects == 0)
    assert table.access.default == "closed"


def test_an_object_that_is_not_digitised_yet_is_published_if_it_has_a_page_before(
    mapping: MappingFile,
) -> None:
    notes: list[RowNote] = []
    table = read_table(ObjectBench(), replace(mapping, page_before_images=True), notes)
    assert table.objects == 1
    assert NOT_DIGITISED not in {note.sentence for note in notes}


def test_a_rule_for_an_image_that_is_yet_to_come_is_not_an_image(mapping: MappingFile) -> None:
    bench = ObjectBench()
    bench.write(Removed(identifier="fresh", changed_at="2026-11-29T12:00:00.000Z"))
    assert read_table(bench, mapping).objects == 0
