"""The static copy is for everybody and has no doors: what is not open is nowhere in it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import EDGE, IMAGES, RIGHTS, ExportBench, read_tree
from vitrine.catalogue.records import Described
from vitrine.deliver.answer.manifest import Manifest, Manifests, decide_manifest
from vitrine.deliver.http.exchange import Request
from vitrine.export.documents import SITE
from vitrine.export.names import file_name
from vitrine.identify import access_changes
from vitrine.identify.resolve import Serve
from vitrine.iiif.presentation.addresses import MANIFEST, DocumentAddress
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, Range
from vitrine.iiif.size import Limits
from vitrine.settings.deliver import DeliverSettings

pytestmark = pytest.mark.slow

AT = "2026-11-25T08:00:00Z"
HEADING = "The secret leaf"
"""Heading of the image in the table of contents of the book."""


@pytest.fixture
def bench() -> ExportBench:
    bench = ExportBench()
    canvases = tuple(Canvas(image=image) for image in IMAGES)
    place = [*IMAGES].index("one")
    contents = (Range(label={"en": (HEADING,)}, canvases=(place,)),)
    bench.objects.put(book("book", canvases=canvases, ranges=contents))
    bench.objects.put(book("card", canvases=(Canvas(image="one"),)))
    member = Member(identifier="card", label={"en": ("A card",)}, image="one")
    shelf = ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=(member,))
    bench.objects.put(shelf)
    return bench


def restrict(bench: ExportBench, rule: str, *, by_collection: bool = False) -> None:
    shelf = bench.publisher.journal.latest("shelf")
    if by_collection:
        assert isinstance(shelf, Described)
        bench.objects.put(msgspec.structs.replace(shelf.item, access=rule))
    else:
        bench.register.change("one", access_changes.set_access("one", rule, AT))
    for identifier in ("book", "card", "shelf"):
        bench.publisher.publish(identifier)


def named_in(folder: Path) -> set[str]:
    """Files of the static tree whose path or text names the image, or its heading."""
    name = file_name("one")
    return {
        path
        for path, body in read_tree(folder / SITE).items()
        if f"/{name}/" in f"/{path}" or f"/{name}".encode() in body or HEADING.encode() in body
    }


@pytest.mark.parametrize("by_collection", [False, True])
@pytest.mark.parametrize("rule", ["closed", "staff", "small:700", "small:700:staff"])
def test_an_image_that_is_restricted_leaves_the_static_copy_and_comes_back(
    bench: ExportBench, tmp_path: Path, rule: str, by_collection: bool
) -> None:
    bench.export(tmp_path)
    before = named_in(tmp_path)
    assert before
    restrict(bench, rule, by_collection=by_collection)
    bench.export(tmp_path)
    assert named_in(tmp_path) == set()
    restrict(bench, "open", by_collection=by_collection)
    bench.export(tmp_path)
    assert named_in(tmp_path) == before


def test_an_object_without_a_public_image_has_no_manifest_in_a_later_export(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path)
    assert (tmp_path / "data/manifests/3/card.json").exists()
    restrict(bench, "closed")
    bench.export(tmp_path)
    assert not (tmp_path / "data/manifests/3/card.json").exists()
    assert not (tmp_path / SITE / "presentation/3/card/manifest.json").exists()
    for path in ("data/manifests", SITE):
        assert "A card" not in "".join(
            file.read_text() for file in (tmp_path / path).rglob("*.json")
        )


LIMITS = Limits(area=500_000)
SETTINGS = {"access_masters_bucket": "a", "site_bucket": "s", "identifiers_table": "t"}


def read_manifest(folder: Path, version: int) -> dict[str, Any] | None:
    path = folder / f"data/manifests/{version}/three.json"
    return json.loads(path.read_bytes()) if path.exists() else None


def answer(bench: ExportBench, version: int, *, downloads: bool) -> dict[str, Any] | None:
    """What the gateway answers to everybody, None for no manifest."""
    address = DocumentAddress(version, "three", MANIFEST)
    decided = decide_manifest(address, Serve(bench.live("three")))
    if not isinstance(decided, Manifest):
        return None
    settings = DeliverSettings(
        **SETTINGS, public_base_url=EDGE, rights_uri=RIGHTS, downloads_at_once=int(downloads)
    )
    request = Request(method="GET", path=address.path())
    found: dict[str, Any] = json.loads(Manifests(settings, LIMITS).respond(request, decided).body)
    return found


@pytest.mark.parametrize("downloads", [False, True])
@pytest.mark.parametrize("rule", ["staff", "small:700", "small:1400:staff", "small:9999", "closed"])
def test_the_manifest_of_an_image_alone_is_the_one_that_everybody_is_answered(
    tmp_path: Path, rule: str, downloads: bool
) -> None:
    bench = ExportBench({"three": IMAGES["three"]})
    presentation = replace(bench.services.presentation, limits=LIMITS, downloads=downloads)
    bench.services = replace(bench.services, presentation=presentation)
    for current in ("open", rule, "open"):
        bench.register.change("three", access_changes.set_access("three", current, AT))
        bench.export(tmp_path, static=False)
        for version in (2, 3):
            answered = answer(bench, version, downloads=downloads)
            assert read_manifest(tmp_path, version) == answered
            assert (answered is None) == (current == "closed")
