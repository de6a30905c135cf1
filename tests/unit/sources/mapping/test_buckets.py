"""A table and images in buckets are read as those of folders are."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from vitrine.errors import ObjectMissing
from vitrine.sources.mapping.buckets import fetch_table, find_masters
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.open_mapper import open_mapper

RULES = """
[collection]
identifier = "plates"
label = "Plates"
[source]
table = "s3://museum/lists/plates.csv"
masters = "s3://museum/scans/"
[object]
identifier = "{no}"
label = "{title}"
image = "{file}"
"""
TABLE = b"no,title,file\n11,A plate,a.tif\n12,Another,sub/B.TIF\n13,Doubled,c.tif\n"
SCANS = ("a.tif", "sub/b.tif", "c.tif", "x/c.tif", "notes.txt")


class FakeBuckets:
    """One bucket with a table and scans."""

    def __init__(self) -> None:
        self.objects = {f"s3://museum/scans/{name}": b"" for name in SCANS}
        self.objects["s3://museum/lists/plates.csv"] = TABLE

    def list_addresses(self, address: str) -> Iterator[str]:
        if not address.startswith("s3://museum"):
            raise ObjectMissing(f"{address}: AccessDenied")
        return (one for one in self.objects if one.startswith(address))

    def download(self, address: str, path: Path) -> None:
        if address not in self.objects:
            raise ObjectMissing(f"{address}: Not Found")
        path.write_bytes(self.objects[address])


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "collection.toml"
    path.write_text(RULES)
    return path


def test_the_table_is_fetched_and_images_are_named_by_their_addresses(rules: Path) -> None:
    buckets = FakeBuckets()
    mapping = fetch_table(read_mapping(rules), buckets)
    assert mapping.table == rules.with_name("plates.csv")
    found = list(open_mapper(mapping, find_masters(mapping, buckets)).objects())
    mapped = {one.item.identifier: one.files for one in found if isinstance(one, MappedObject)}
    assert mapped == {
        "11": {"a": "s3://museum/scans/a.tif"},
        "12": {"b": "s3://museum/scans/sub/b.tif"},
    }
    assert "'c.tif' may be c.tif and x/c.tif" in str(found)


def test_what_cannot_be_read_is_a_sentence_and_an_older_table_stays(rules: Path) -> None:
    buckets = FakeBuckets()
    fetch_table(read_mapping(rules), buckets)
    del buckets.objects["s3://museum/lists/plates.csv"]
    with pytest.raises(MappingUnusable, match=r"source\.table cannot be fetched: .*Not Found"):
        fetch_table(read_mapping(rules), buckets)
    assert rules.with_name("plates.csv").read_bytes() == TABLE
    rules.write_text(RULES.replace("s3://museum/scans", "s3://other/scans"))
    with pytest.raises(MappingUnusable, match=r"source\.masters cannot be listed: .*AccessDenied"):
        find_masters(read_mapping(rules), buckets)


def test_what_is_harvested_is_in_no_bucket(rules: Path) -> None:
    harvested = 'kind = "oai-pmh"\naddress = "https://m.example/oai"\n'
    rules.write_text(RULES.replace("[source]\n", f"[source]\n{harvested}"))
    with pytest.raises(MappingUnusable, match="is kept in folders"):
        read_mapping(rules)
