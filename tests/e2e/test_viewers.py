"""Objects of all shapes in Mirador and Universal Viewer: every canvas is drawn, nothing complains.

VITRINE_TEST_OBJECTS says how many; each is also judged by three validators of others.
"""

import json
import os
import urllib.parse
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
import pyvips
from playwright.sync_api import Error, Page

from tests.e2e.viewers import (
    VIEWERS,
    Colour,
    Viewer,
    serve_viewers,
    unknown_complaints,
    wait_until_drawn,
)
from tests.e2e.visit import OpenPage
from tests.integration.local.documents import ask
from tests.unit.iiif.presentation.judges import judge_by_prezi3, judge_by_schema, judge_by_tripoli
from tests.unit.iiif.presentation.made_objects import NAMES, make_objects
from vitrine.iiif.presentation.addresses import document_path
from vitrine.iiif.presentation.model import Agent, Member, ObjectCollection, PublishedObject

if TYPE_CHECKING:
    from conftest import Service

pytestmark = pytest.mark.slow
COUNT = int(os.environ.get("VITRINE_TEST_OBJECTS", "4"))
SEED = 7
SIZES = ((1300, 1000), (90, 70), (3000, 2000), (300, 301), (730, 1410), (2400, 300))
WITHDRAWN = NAMES[4]
SECONDS = 30


@dataclass(frozen=True)
class Shown:
    """An object that is published, with the colours of its canvases in order."""

    identifier: str
    colours: tuple[Colour, ...]


def colour_of(name: str) -> Colour:
    number = NAMES.index(name)
    return (230 - 30 * number, (90 + 70 * number) % 256, (40 + 110 * number) % 256)


def draw(path: Path, name: str) -> None:
    """Write a picture of one colour, nearly."""
    width, height = SIZES[NAMES.index(name) % len(SIZES)]
    rows, columns = np.mgrid[0:height, 0:width]
    waves = 6 * np.sin(rows / 30) + 6 * np.cos(columns / 40)
    pixels = np.array(colour_of(name))[None, None, :] + waves[:, :, None]
    image = np.clip(pixels, 0, 255).astype(np.uint8)
    pyvips.Image.new_from_array(image, interpretation="srgb").tiffsave(str(path))


def mixed_objects(edge: str) -> list[PublishedObject]:
    """Objects of all shapes, with names of their own and logos that this machine has."""
    logo = f"{edge}/icon.svg"
    made = []
    for number, item in enumerate(make_objects(2 * COUNT, SEED)):
        provider = tuple(
            Agent(address=one.address, label=one.label, logo=logo if one.logo else "")
            for one in item.provider
        )
        identifier = f"mixed {number}"
        made.append(msgspec.structs.replace(item, identifier=identifier, provider=provider))
    shown = [item for item in made if any(one.image != WITHDRAWN for one in item.canvases)]
    return shown[:COUNT]


@pytest.fixture(scope="module")
def objects(service: "Service", tmp_path_factory: pytest.TempPathFactory) -> list[Shown]:
    """All of them published; then one of their images is withdrawn."""
    folder = tmp_path_factory.mktemp("mixed")
    for number, name in enumerate(NAMES):
        path = folder / f"{number}.tif"
        draw(path, name)
        done = service.run("ingest", path, "--identifier", name)
        assert done.returncode == 0, done.stdout + done.stderr
    items = mixed_objects(service.addresses.edge_url)
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
    assert done.returncode == 0, done.stderr
    return [
        Shown(
            item.identifier,
            tuple(colour_of(one.image) for one in item.canvases if one.image != WITHDRAWN),
        )
        for item in items
    ]


def address_of(edge: str, shown: Shown, version: int) -> str:
    return edge + document_path(version, shown.identifier, "manifest.json")


def test_every_manifest_is_valid(service: "Service", objects: list[Shown]) -> None:
    edge = service.addresses.edge_url
    for version, judges in ((2, [judge_by_tripoli]), (3, [judge_by_schema, judge_by_prezi3])):
        documents = [ask(address_of(edge, shown, version))[1] for shown in objects]
        for judge in judges:
            assert [faults for faults in judge(documents) if faults] == []


@pytest.mark.parametrize("viewer", VIEWERS, ids=lambda viewer: viewer.name)
def test_every_canvas_is_drawn_and_nothing_complains(
    open_page: OpenPage, service: "Service", objects: list[Shown], viewer: Viewer
) -> None:
    edge, wrong, drawn = service.addresses.edge_url, list[str](), 0
    with serve_viewers() as address:
        visit = open_page("/")
        for shown in objects:
            manifest = address_of(edge, shown, 3)
            canvases = [canvas["id"] for canvas in ask(manifest)[1]["items"]]
            assert len(canvases) == len(shown.colours)
            visit.complaints.clear()
            visit.page.goto("about:blank")
            page = f"{address}/{viewer.name}.html#{urllib.parse.quote(manifest, safe='')}"
            visit.page.goto(page)
            for index, (canvas, colour) in enumerate(zip(canvases, shown.colours, strict=True)):
                if index:
                    visit.page.evaluate("([canvas, index]) => show(canvas, index)", [canvas, index])
                if wait_until_drawn(visit.page, colour, SECONDS):
                    drawn += 1
                else:
                    wrong.append(f"{shown.identifier}: canvas {index + 1} is not drawn")
                    keep(visit.page, f"{viewer.name}-{shown.identifier}-{index + 1}")
            wrong += [f"{shown.identifier}: {one}" for one in unknown_complaints(visit, viewer)]
    print(json.dumps({"viewer": viewer.name, "objects": len(objects), "canvases": drawn}))
    assert wrong == []


def keep(page: Page, name: str) -> None:
    artefacts = Path(__file__).parents[2] / "artefacts"
    artefacts.mkdir(exist_ok=True)
    with suppress(Error):
        page.screenshot(path=artefacts / f"{name}.png")
