"""The drill of a collection: what it publishes, and when it is content."""

from pathlib import Path
from typing import Any

import pytest
import pyvips

from loadtest.drills.collection import photograph_folder
from loadtest.drills.collection.collection_drill import broken
from loadtest.drills.collection.collection_report import table
from vitrine.present.mapping.mapping_reader import read_mapping
from vitrine.present.mapping.to_objects import MappedObject
from vitrine.present.updates.open_mapper import open_mapper

SOUND: dict[str, Any] = {
    "photographs": 6,
    "crops": 4,
    "kills": [{"images": 1}, {"images": 4}],
    "objects": 6,
    "seconds": 30.0,
    "again": {"images": {}, "objects": 6, "calls": {"GetObject": 12, "BatchGetItem": 2}},
    "wrong": [],
}


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages of one picture each, in two sizes, of which the larger one counts."""

    def extract(package: str, scratch: Path) -> Path:
        images = scratch / package / "usr/share/wallpapers/Autumn/contents/images"
        images.mkdir(parents=True)
        for width, height in ((1_280, 800), (1_920, 1_200)):
            grey = pyvips.Image.black(width, height, bands=3) + 90
            grey.cast("uchar").jpegsave(str(images / f"{width}x{height}.jpg"))
        return scratch / package

    monkeypatch.setattr(photograph_folder, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(photograph_folder, "extract_package", extract)


@pytest.mark.usefixtures("packages")
def test_every_row_says_what_its_photograph_is_made_of(tmp_path: Path) -> None:
    made = photograph_folder.make_folder(tmp_path / "museum", 8)
    assert (len(made.numbers), made.crops) == (8, 5)
    found = list(open_mapper(read_mapping(made.rules)).objects())
    objects = [one for one in found if isinstance(one, MappedObject)]
    assert len(objects) == len(found) == 8
    origins = [one.item.metadata[0].value["none"][0] for one in objects]
    assert sum(origin.endswith("1920x1200.jpg, its own pixels") for origin in origins) == 3
    assert sum("1920x1200.jpg, cropped to " in origin for origin in origins) == 5


def test_a_sound_drill_has_no_complaint() -> None:
    assert broken(SOUND) == []
    assert "| calls of AWS by the same command once more | 14 |" in table(SOUND)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"objects": 5}, "5 of 6 objects are published"),
        ({"kills": [{"images": 1}]}, "it was not killed twice"),
        ({"again": SOUND["again"] | {"calls": {"PutObject": 1}}}, "changed something"),
        ({"again": SOUND["again"] | {"objects": 5}}, "found 5 of 6 objects unchanged"),
        ({"wrong": ["P-0001: its manifest answers 404"]}, "its manifest answers 404"),
    ],
)
def test_each_broken_promise_is_named(change: dict[str, Any], complaint: str) -> None:
    assert any(complaint in sentence for sentence in broken(SOUND | change))
