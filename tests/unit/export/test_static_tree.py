"""The static tree: a viewer finds every file that it asks for, and each shows its region."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import COPY, IMAGES, RIGHTS, ExportBench, picture
from tests.unit.iiif.presentation.judges import (
    Judge,
    judge_by_prezi3,
    judge_by_schema,
    judge_by_tripoli,
)
from vitrine.export.names import file_name
from vitrine.iiif.presentation.model import Canvas, ImageElsewhere, Member, ObjectCollection

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bench() -> ExportBench:
    bench = ExportBench()
    pages = tuple(Canvas(image=image) for image in IMAGES)
    other = ImageElsewhere(address="https://other.example/1.jpg", width=300, height=200)
    canvases = (*pages, Canvas(elsewhere=other))
    bench.objects.put(book("book: 1/2", canvases=canvases, part_of=("shelf",)))
    member = Member(identifier="book: 1/2", label={"en": ("A book",)}, image="two/夜 警")
    shelf = ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=(member,))
    bench.objects.put(shelf)
    return bench


@pytest.fixture(scope="module")
def site(bench: ExportBench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    assert bench.export(folder, pictures="none").faults == []
    return folder / "data" / "site"


def requests(information: dict[str, Any], version: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What OpenSeadragon asks for of each level, with the region of the image that it is."""
    width, height = information["width"], information["height"]
    (tiling,) = information["tiles"]
    side = tiling["width"]
    for scale in tiling["scaleFactors"]:
        level_width, level_height = -(-width // scale), -(-height // scale)
        whole = {2: "full", 3: "max"}[version]
        if level_width < side and level_height < side:
            size = f"{level_width}," + (str(level_height) if version == 3 else "")
            size = whole if scale == 1 else size
            yield f"full/{size}/0/default.jpg", (0, 0, width, height, level_width, level_height)
            continue
        for top in range(0, height, side * scale):
            for left in range(0, width, side * scale):
                across, down = min(side * scale, width - left), min(side * scale, height - top)
                size_across, size_down = -(-across // scale), -(-down // scale)
                region = f"{left},{top},{across},{down}"
                if (across, down) == (width, height):
                    region = "full"
                size = f"{size_across}," + (str(size_down) if version == 3 else "")
                if size_across == width and (version == 2 or size_down == height):
                    size = whole
                box = (left, top, across, down, size_across, size_down)
                yield f"{region}/{size}/0/default.jpg", box


def _open(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(path.read_bytes()))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("identifier", IMAGES)
def test_every_tile_that_a_viewer_asks_for_is_there_and_shows_its_region(
    site: Path, identifier: str, version: int
) -> None:
    folder = site / "iiif" / str(version) / file_name(identifier)
    information = json.loads((folder / "info.json").read_text())
    number = list(IMAGES).index(identifier)
    master = Image.open(io.BytesIO(picture(*IMAGES[identifier], number)))
    assert (information["width"], information["height"]) == master.size
    count = 0
    for path, (left, top, across, down, width, height) in requests(information, version):
        tile = _open(folder / path)
        assert tile.size == (width, height), path
        box = (left, top, left + across, top + down)
        expected = master.resize(tile.size, Image.Resampling.BOX, box=box)
        difference = np.abs(np.asarray(tile).astype(int) - np.asarray(expected).astype(int))
        assert difference.mean() < 10, path  # of 128: levels are rounded up
        count += 1
    assert count >= len(information["tiles"][0]["scaleFactors"])


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("identifier", IMAGES)
def test_every_size_that_is_listed_is_one_file(site: Path, identifier: str, version: int) -> None:
    folder = site / "iiif" / str(version) / file_name(identifier)
    information = json.loads((folder / "info.json").read_text())
    for size in information["sizes"]:
        name = f"{size['width']}," + (str(size["height"]) if version == 3 else "")
        found = _open(folder / "full" / name / "0" / "default.jpg")
        assert found.size == (size["width"], size["height"])
    # leaflet-iiif and Allmaps ask for the coarsest level by its region.
    coarsest = information["tiles"][0]["scaleFactors"][-1]
    across, down = information["width"], information["height"]
    size = (-(-across // coarsest), -(-down // coarsest))
    name = f"{size[0]}," + (str(size[1]) if version == 3 else "")
    assert _open(folder / f"0,0,{across},{down}" / name / "0" / "default.jpg").size == size
    largest = _open(folder / "full" / "max" / "0" / "default.jpg")
    profile = information["profile"]
    limits = information if version == 3 else profile[1]
    assert largest.width == limits.get("maxWidth", information["width"])
    assert (profile if version == 3 else profile[0]).rpartition("/")[2] in ("level0", "level0.json")
    assert information["rights" if version == 3 else "license"] == RIGHTS


def test_no_tile_is_rendered(bench: ExportBench, site: Path) -> None:
    """Only the sizes of more than one tile are, which no pyramid has in one piece."""
    assert len(list((site / "iiif" / "3").rglob("default.jpg"))) > 60
    assert len(bench.rendered) == 6
    assert all("/full/" in path for path in bench.rendered)


@pytest.mark.parametrize("version", [2, 3])
def test_whatever_documents_of_the_tree_name_of_it_is_there(site: Path, version: int) -> None:
    found = list((site / "presentation" / str(version)).rglob("*.json"))
    assert len(found) == len(IMAGES) + 2
    checked = 0
    for path in found:
        for address in addresses(json.loads(path.read_text()), version):
            if address == "https://other.example/1.jpg":
                continue
            assert address.startswith(COPY + "/"), address
            target = site / urlsplit(address).path.removeprefix(urlsplit(COPY).path + "/")
            target = target / "info.json" if "/iiif/" in address and not target.suffix else target
            assert target.is_file(), address
            checked += 1
    assert checked > 20


@pytest.mark.parametrize(
    ("judge", "version"),
    [(judge_by_schema, 3), (judge_by_prezi3, 3), (judge_by_tripoli, 2)],
    ids=["schema", "prezi3", "tripoli"],
)
def test_others_validators_accept_the_documents_of_the_tree(
    site: Path, judge: Judge, version: int
) -> None:
    found = sorted((site / "presentation" / str(version)).rglob("*.json"))
    assert judge([json.loads(path.read_text()) for path in found]) == [[] for _ in found]


def addresses(document: Any, version: int) -> Iterator[str]:
    """Addresses that a viewer follows: documents, pictures and services."""
    key = "@id" if version == 2 else "id"
    if isinstance(document, list):
        for one in document:
            yield from addresses(one, version)
    if not isinstance(document, dict):
        return
    kind = document.get("@type", document.get("type", ""))
    if kind in ("Image", "dctypes:Image", "ImageService3", "ImageService2", "Manifest"):
        yield document.get(key) or document["@id"]
    for name, value in document.items():
        if name == "service" and version == 2:
            yield value["@id"]
        elif name not in ("homepage", "seeAlso", "rendering", "logo"):
            yield from addresses(value, version)
