"""Published objects of all shapes, whose canvases are known by their colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyvips

from tests.e2e.viewers import Colour, Picture
from tests.integration.local.documents import ask
from tests.unit.iiif.presentation.judges import judge_by_prezi3, judge_by_schema, judge_by_tripoli
from tests.unit.iiif.presentation.made_objects import NAMES, make_objects
from vitrine.iiif.paths import image_path
from vitrine.iiif.presentation.addresses import document_path
from vitrine.iiif.presentation.model import (
    Canvas,
    ImageElsewhere,
    Member,
    ObjectCollection,
    PublishedObject,
)
from vitrine.iiif.version import V2

if TYPE_CHECKING:
    from conftest import Service

SEED = 7
SIZES = ((1300, 1000), (90, 70), (3000, 2000), (300, 301), (730, 1410), (2400, 300))
WITHDRAWN = NAMES[4]
JUDGES = {
    "official schema": (3, judge_by_schema),
    "iiif-prezi3": (3, judge_by_prezi3),
    "tripoli": (2, judge_by_tripoli),
}
"""Validators of others by name, each with the version that it knows."""


@dataclass(frozen=True)
class Shown:
    """An object that is published, with what its canvases show in order."""

    edge: str
    identifier: str
    pictures: tuple[Picture, ...]
    arrangement: str
    """Its behaviours and the direction in which it is viewed."""

    def address(self, version: int) -> str:
        """Return the address of its manifest."""
        return self.edge + document_path(version, self.identifier, "manifest.json")


def publish_mixed_objects(service: "Service", folder: Path, count: int) -> list[Shown]:
    """Publish a number of objects in the same few images, one of which is then withdrawn."""
    for number, name in enumerate(NAMES):
        path = folder / f"{number}.tif"
        _draw(path, name)
        done = service.run("ingest", path, "--identifier", name)
        assert done.returncode == 0, done.stdout + done.stderr
    edge = service.addresses.edge_url
    items = _mixed_objects(edge, count)
    member = Member(identifier=items[0].identifier, label={"en": ("One of them",)})
    shelves = [
        ObjectCollection(identifier=name, label={"en": (name,)}, members=(member,))
        for name in sorted({one for item in items for one in item.part_of})
    ]
    records = folder / "objects.jsonl"
    records.write_bytes(b"\n".join(map(msgspec.json.encode, [*items, *shelves])))
    done = service.run("image", "withdraw", WITHDRAWN, "--reason", "A claim.")
    assert done.returncode == 0, done.stderr
    done = service.run("object", "put", records)
    assert done.returncode == 0, done.stdout + done.stderr
    return [
        Shown(
            edge,
            item.identifier,
            tuple(map(_picture_of_canvas, _shown_canvases(item))),
            " ".join([*item.behaviour, item.viewing_direction]),
        )
        for item in items
    ]


def find_faults(objects: Sequence[Shown]) -> dict[str, list[str]]:
    """Return each validator's faults of all the objects' documents, with their addresses."""
    found = {}
    for name, (version, judge) in JUDGES.items():
        addresses = [one.address(version) for one in objects]
        faults = judge([ask(address)[1] for address in addresses])
        found[name] = [
            f"{address}: {fault}"
            for address, of_one in zip(addresses, faults, strict=True)
            for fault in of_one
        ]
    return found


def _mixed_objects(edge: str, count: int) -> list[PublishedObject]:
    made = []
    for number, item in enumerate(make_objects(2 * count, SEED)):
        canvases = tuple(
            _known_canvas(canvas, NAMES[(number + index) % len(NAMES)], edge)
            for index, canvas in enumerate(item.canvases)
        )
        provider = tuple(
            msgspec.structs.replace(one, logo=f"{edge}/icon.svg" if one.logo else "")
            for one in item.provider
        )
        changes = {"identifier": f"mixed {number}", "canvases": canvases, "provider": provider}
        made.append(msgspec.structs.replace(item, **changes))
    return [item for item in made if _shown_canvases(item)][:count]


def _known_canvas(canvas: Canvas, name: str, edge: str) -> Canvas:
    """Show the image of this name, on another's service where the canvas had one of those."""
    if not canvas.elsewhere or name == WITHDRAWN:
        return msgspec.structs.replace(canvas, image=name, elsewhere=None)
    width, height = _size_of(name)
    service = edge + image_path(V2, name)
    elsewhere = ImageElsewhere(
        address=f"{service}/full/full/0/default.jpg",
        width=width,
        height=height,
        service=service if canvas.elsewhere.service else "",
        version=canvas.elsewhere.version,
        profile=canvas.elsewhere.profile,
    )
    return msgspec.structs.replace(canvas, image="", elsewhere=elsewhere)


def _shown_canvases(item: PublishedObject) -> list[Canvas]:
    return [one for one in item.canvases if one.image != WITHDRAWN]


def _picture_of_canvas(canvas: Canvas) -> Picture:
    name = canvas.image
    if canvas.elsewhere:
        address = canvas.elsewhere.address
        name = next(one for one in NAMES if f"{image_path(V2, one)}/" in address)
    return Picture(_colour_of(name), *_size_of(name))


def _colour_of(name: str) -> Colour:
    number = NAMES.index(name)
    return (230 - 30 * number, (90 + 70 * number) % 256, (40 + 110 * number) % 256)


def _size_of(name: str) -> tuple[int, int]:
    return SIZES[NAMES.index(name) % len(SIZES)]


def _draw(path: Path, name: str) -> None:
    """Write a picture of one colour, nearly."""
    width, height = _size_of(name)
    rows, columns = np.mgrid[0:height, 0:width]
    waves = 6 * np.sin(rows / 30) + 6 * np.cos(columns / 40)
    pixels = np.array(_colour_of(name))[None, None, :] + waves[:, :, None]
    image = np.clip(pixels, 0, 255).astype(np.uint8)
    pyvips.Image.new_from_array(image, interpretation="srgb").tiffsave(str(path))
