"""Whatever texts and annotations an exported manifest leads to are in the same copy."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import COPY, EDGE, IMAGES, ExportBench
from vitrine.export.names import file_name
from vitrine.iiif.presentation.model import Canvas
from vitrine.iiif.presentation.remarks import AnnotationBody, CanvasPlace, Remark
from vitrine.iiif.presentation.schema import find_schema_faults
from vitrine.store.layout import remarks_key, text_key
from vitrine.text.annotations.stored_annotations import encode_remarks
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, TextBox, Word
from vitrine.text.transcription.stored_text import CONTENT_TYPE, encode_text, text_name

pytestmark = pytest.mark.slow
BOOK = "book: 1/2"
IMAGE = "two/夜 警"
SIZE = CanvasSize(*IMAGES[IMAGE])


def put_book(bench: ExportBench, *comments: str) -> None:
    """Publish a book whose second image has a text and these comments."""
    records = bench.ingest.records
    remarks = [
        Remark(
            motivations=("commenting",),
            bodies=(AnnotationBody(value=comment, format="text/plain"),),
            places=(CanvasPlace(box=(10, 20, 30, 40)),),
        )
        for comment in comments
    ]
    annotations, body = encode_remarks(remarks, SIZE)
    records.put(remarks_key(annotations), body, content_type=CONTENT_TYPE)
    text = text_name("a", 0, SIZE)
    line = Line((Word("Nachtwache", (TextBox(1, 2, 3, 4),)),))
    body = encode_text(PageText((line,)), SIZE)
    records.put(text_key(text), body, content_type=CONTENT_TYPE)
    second = Canvas(image=IMAGE, text=text, annotations=annotations)
    bench.objects.put(book(BOOK, canvases=(Canvas(image="three"), second)))


@pytest.fixture
def bench() -> ExportBench:
    bench = ExportBench({name: IMAGES[name] for name in (IMAGE, "three")})
    put_book(bench, "a watch", "at night")
    return bench


def pages(manifest: dict[str, Any]) -> Iterator[str]:
    """The addresses of pages and lists of annotations that a manifest of either version names."""
    for canvas in manifest.get("items", []):
        yield from (page["id"] for page in canvas.get("annotations", []))
    for sequence in manifest.get("sequences", []):
        for canvas in sequence["canvases"]:
            yield from (one["@id"] for one in canvas.get("otherContent", []))


@pytest.mark.parametrize("version", [2, 3])
def test_the_static_tree_has_every_page_of_annotations_under_its_own_address(
    bench: ExportBench, tmp_path: Path, version: int
) -> None:
    assert bench.export(tmp_path, pictures="none").faults == []
    site = tmp_path / "data" / "site"
    folder = site / "presentation" / str(version) / file_name(BOOK)
    manifest = json.loads((folder / "manifest.json").read_text())
    named = list(pages(manifest))
    assert len(named) == 2
    said = []
    for address in named:
        assert address.startswith(f"{COPY}/")
        # As a server of files reads an address.
        document = json.loads((site / unquote(address.removeprefix(f"{COPY}/"))).read_text())
        assert document["@id" if version == 2 else "id"] == address
        for item in document["resources" if version == 2 else "items"]:
            name, target = (
                item["@id" if version == 2 else "id"],
                item["on" if version == 2 else "target"],
            )
            canvas, _, _ = target.partition("#")
            assert canvas.endswith("/canvas/2")
            assert f'"{canvas}"' in json.dumps(manifest)
            assert name.startswith(f"{COPY}/presentation/{version}/")
            said.append(item["resource"]["chars"] if version == 2 else item["body"]["value"])
    assert said == ["Nachtwache", "a watch", "at night"]
    documents = set(folder.glob("*.json"))
    assert {path.name for path in documents} == {
        *("manifest.json", "text-2.json", "annotations-2.json")
    }


def test_the_pages_of_the_tree_keep_to_the_schema(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path, pictures="none")
    folder = tmp_path / "data" / "site" / "presentation" / "3" / file_name(BOOK)
    manifest = json.loads((folder / "manifest.json").read_text())
    for canvas in manifest["items"]:
        for place, page in enumerate(canvas.get("annotations", [])):
            whole = json.loads((folder / page["id"].rpartition("/")[2]).read_text())
            whole.pop("@context")
            whole.pop("label", None)
            canvas["annotations"][place] = whole
    assert find_schema_faults(manifest) == []


@pytest.mark.parametrize("version", [2, 3])
def test_what_is_published_is_exported_with_its_pages_of_annotations(
    bench: ExportBench, tmp_path: Path, version: int
) -> None:
    assert bench.export(tmp_path, pictures="none", static=False).faults == []
    folder = tmp_path / "data" / "manifests" / str(version)
    named = list(pages(json.loads((folder / f"{file_name(BOOK)}.json").read_text())))
    assert len(named) == 2
    for address in named:
        assert address.startswith(f"{EDGE}/presentation/{version}/")
        document = json.loads((folder / file_name(BOOK) / address.rpartition("/")[2]).read_text())
        assert document["@id" if version == 2 else "id"] == address


def test_a_comment_that_goes_is_gone_from_the_copy(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path, pictures="none")
    found = list((tmp_path / "data").rglob("annotations-2.json"))
    assert len(found) == 4
    put_book(bench, "at night")
    assert bench.export(tmp_path, pictures="none").faults == []
    assert all("a watch" not in path.read_text() for path in found)
    bench.objects.put(book(BOOK, canvases=(Canvas(image="three"), Canvas(image=IMAGE))))
    assert bench.export(tmp_path, pictures="none").faults == []
    assert list((tmp_path / "data").rglob("annotations-2.json")) == []


def test_comments_on_an_image_that_not_everybody_sees_are_in_no_copy(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.curation.set_access(IMAGE, "staff")
    bench.publisher.publish(BOOK)
    bench.export(tmp_path, pictures="none")
    assert list((tmp_path / "data").rglob("annotations-*.json")) == []
    assert list((tmp_path / "data").rglob("text-*.json")) == []
