"""Collections in a harvested collection become collections of ours, each once, none of nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.unit.catalogue.object_bench import ObjectBench
from vitrine.catalogue.changes import shown_item
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject
from vitrine.sources.harvest.kept_folder import KeptFolder, file_name
from vitrine.sources.iiif.manifest_folder import COLLECTIONS, MANIFESTS, SUFFIX
from vitrine.sources.iiif.nested_collections import Nesting
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.publish_objects import publish_objects

TREE: Mapping[str, list[str]] = {
    "/top": ["/letters", "m/1", "/maps"],
    "/letters": ["m/2", "/1901", "/top"],
    "/1901": ["m/3", "m/2"],
    "/maps": ["m/9", "/maps"],
}


def nesting(folder: Path, tree: Mapping[str, list[str]] = TREE) -> Nesting:
    collections: list[dict[str, Any]] = [
        {
            "address": name,
            "label": {"en": [f"Collection {name}"]},
            "members": [{"address": one, "is_collection": one[0] == "/"} for one in inner],
        }
        for name, inner in tree.items()
    ]
    kept = KeptFolder(folder, SUFFIX, ("x",))
    kept.prepare()
    files = [file_name(one, SUFFIX) for inner in tree.values() for one in inner if one[0] != "/"]
    kept.write_state({COLLECTIONS: collections, MANIFESTS: files})
    return Nesting(folder, "whole")


def members(*names: str) -> dict[str, Member]:
    return {
        file_name(f"m/{name}", SUFFIX): Member(
            identifier=name, label={"en": (name,)}, image=f"image-{name}"
        )
        for name in names
    }


def listed(found: list[ObjectCollection]) -> dict[str, list[str]]:
    return {one.identifier: [member.identifier for member in one.members] for one in found}


def test_each_collection_lists_what_it_listed_there(tmp_path: Path) -> None:
    found = list(nesting(tmp_path).build(members("1", "2", "3")))
    assert listed(found) == {
        "1901": ["3", "2"],
        "letters": ["2", "1901"],
        "whole": ["letters", "1"],
    }
    assert found[-1].identifier == "whole"
    letters = found[-1].members[0]
    assert (letters.is_collection, letters.image) == (True, "image-2")
    assert letters.label == {"en": ("Collection /letters",)}


def test_a_collection_called_as_an_object_leaves_its_members_to_the_one_above(
    tmp_path: Path,
) -> None:
    found = list(nesting(tmp_path).build(members("1", "2", "3", "letters")))
    assert listed(found)["whole"] == ["2", "1901", "1"]


def test_what_a_manifest_will_be_in_is_known_before_anything_is_published(tmp_path: Path) -> None:
    found = nesting(tmp_path).find_outer()
    assert {name: found[file_name(f"m/{name}", SUFFIX)] for name in "1239"} == {
        "1": set(),
        "2": {"letters", "1901"},
        "3": {"letters", "1901"},
        "9": {"maps"},
    }
    # A collection that is called as another one lists nothing itself.
    twice = {"/top": ["/letters"], "/letters": ["/a/letters"], "/a/letters": ["m/1"]}
    assert list(nesting(tmp_path, twice).find_outer().values()) == [{"letters"}]
    assert nesting(tmp_path, {}).find_outer() == {}


def test_a_single_manifest_has_no_collections(tmp_path: Path) -> None:
    assert list(nesting(tmp_path, {}).build(members("1"))) == []


@pytest.mark.parametrize("times", [1, 2])
def test_they_are_published_with_their_objects(tmp_path: Path, times: int) -> None:
    bench = ObjectBench("one")
    mapping = MappingFile(
        folder=tmp_path,
        identifier="whole",
        label={"en": "Whole"},
        table=tmp_path,
        masters=tmp_path,
    )
    mapped = [
        MappedObject(
            int(name),
            PublishedObject(
                identifier=f"b{name}", label={"en": (name,)}, canvases=(Canvas(image="one"),)
            ),
            file=file_name(f"m/{name}", SUFFIX),
        )
        for name in ("1", "2", "3")
    ]
    for _ in range(times):
        report = publish_objects(bench.objects, mapping, mapped, nesting=nesting(tmp_path))
    assert report.refused == []
    assert report.gone == []
    journal = bench.publisher.journal
    for name, inner in {"whole": ["letters", "b1"], "letters": ["b2", "1901"]}.items():
        record = journal.latest(name)
        assert record
        assert record.revision == 1
        item = shown_item(record)
        assert isinstance(item, ObjectCollection)
        assert [member.identifier for member in item.members] == inner
    # What stood in collections in the collection is gone like what stood in itself.
    fewer = nesting(tmp_path, {"/top": ["m/1"]})
    report = publish_objects(bench.objects, mapping, mapped[:1], nesting=fewer)
    assert report.gone == ["letters", "b2", "1901", "b3"]
