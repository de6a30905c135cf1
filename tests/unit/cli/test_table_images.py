"""The first reading of a table knows the rule of its collection, whatever became of that."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.present.objects.object_bench import ObjectBench
from vitrine.cli.table_images import is_kept_closed, write_images
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ingest.publish.table_rules import TableRules
from vitrine.present.mapping.mapping_file import MappingFile, read_mapping
from vitrine.present.updates.open_mapper import open_mapper

RULES = """
[collection]
identifier = "shelf"
label = "A shelf"
[source]
table = "shelf.csv"
masters = "."
[object]
identifier = "{name}"
label = "{name}"
image = "{name}.tif"
"""


@pytest.fixture
def mapping(tmp_path: Path) -> MappingFile:
    (tmp_path / "collection.toml").write_text(RULES)
    (tmp_path / "shelf.csv").write_text("name\nfresh\n")
    return read_mapping(tmp_path / "collection.toml")


@pytest.fixture
def bench() -> ObjectBench:
    bench = ObjectBench()
    bench.objects.put(
        ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, access="closed")
    )
    return bench


def rules_of(bench: ObjectBench, mapping: MappingFile) -> TableRules:
    mapper, rules = open_mapper(mapping), mapping.folder / "collection.toml"
    return write_images(rules, mapping, mapper, [], bench.publisher.rules).access


def test_images_of_a_withdrawn_collection_have_the_rule_that_it_had(
    bench: ObjectBench, mapping: MappingFile
) -> None:
    bench.objects.withdraw("shelf", "A claim.")
    assert rules_of(bench, mapping).inherited == {"fresh": {"shelf": "closed"}}


def test_images_of_a_renamed_collection_have_the_rule_that_it_has(
    bench: ObjectBench, mapping: MappingFile
) -> None:
    bench.objects.rename("shelf", "rack")
    assert rules_of(bench, mapping).inherited == {"fresh": {"rack": "closed"}}


@pytest.mark.parametrize(
    ("said", "is_kept"), [("", False), ("closed", False), ("open", True), ("small:1000", True)]
)
def test_a_table_opens_no_collection_that_is_closed(
    bench: ObjectBench, mapping: MappingFile, said: str, is_kept: bool
) -> None:
    assert is_kept_closed(replace(mapping, access=said), bench.publisher.rules) is is_kept
    bench.objects.withdraw("shelf", "A claim.")
    assert is_kept_closed(replace(mapping, access=said), bench.publisher.rules) is is_kept
