"""An export has the pages of long collections."""

import json
from pathlib import Path

import msgspec
import pytest

from tests.unit.export.export_bench import IMAGES, ExportBench
from vitrine.export.bag import check_bag
from vitrine.export.names import file_name
from vitrine.iiif.presentation import paging
from vitrine.iiif.presentation.model import Member, ObjectCollection

pytestmark = pytest.mark.slow


def test_the_pages_of_a_long_collection_come_along_and_go_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "MEMBERS", 2)
    bench = ExportBench()
    members = [
        Member(identifier=f"b{number}", label={"en": ("B",)}, image=image)
        for number, image in enumerate((*IMAGES, "one", ""))
    ]
    shelf = ObjectCollection(identifier="a shelf", label={"en": ("S",)}, members=tuple(members))
    bench.objects.put(shelf)
    bench.export(tmp_path)
    name, listed = file_name("a shelf"), dict[str, list[int]]()
    for root in ("manifests", "site/presentation"):
        for version, key in (("2", "members"), ("3", "items")):
            folder = tmp_path / "data" / root / version / name
            pages = [json.loads(path.read_bytes()) for path in sorted(folder.glob("*-*.json"))]
            listed[f"{root}/{version}"] = [len(page[key]) for page in pages]
            assert "/full/" in json.dumps(pages[0]), "the pages have their thumbnails"
    assert set(map(tuple, listed.values())) == {(2, 2, 1)}
    site = tmp_path / "data/site/presentation/3" / name
    top = json.loads((site / "collection.json").read_text())
    for one in top["items"]:
        assert (site / one["id"].rpartition("/")[2]).is_file()
    bench.objects.put(msgspec.structs.replace(shelf, members=tuple(members[:3])))
    bench.export(tmp_path)
    assert sorted(path.name for path in site.glob("*-*.json")) == [
        "collection-1.json",
        "collection-2.json",
    ]
    assert list(check_bag(tmp_path)) == []
