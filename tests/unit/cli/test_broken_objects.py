"""What is wrong with one record stops neither the check nor the publication of the others."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.deliver.deliver_records import live
from tests.unit.sources.iiif.books import ONE, TWO, book_rules, serve_books
from tests.unit.sources.iiif.iiif_server import IiifServer, manifest3
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.store.publications import Published

HALF = "a \ud83d b"
"""A text that somebody cut within an emoji."""
LINK = {"id": f"https://a.example/{HALF}", "type": "Text", "label": {"en": [HALF]}}
LEVELS = 300
"""Levels of ranges in ranges: Python's stack has no room for code that walks through them."""
BROKEN: dict[str, dict[str, Any]] = {
    "texts": {"label": {"en": [HALF]}, "metadata": [{"label": {"en": [HALF]}, "value": HALF}]},
    "links": {"homepage": [LINK], "seeAlso": [LINK], "rights": HALF},
    "names": {HALF: HALF, "summary": {HALF: [HALF]}},
}


def nested(inner: dict[str, Any], field: str) -> list[dict[str, Any]]:
    found = [inner]
    for _ in range(LEVELS):
        found = [{"type": "Range", "label": {"en": ["Part"]}, field: found}]
    return found


@pytest.fixture
def server() -> Iterator[IiifServer]:
    with serve_books({"/b1": ONE, "/b2": TWO, "/b3": ONE}) as started:
        yield started


@pytest.fixture
def harvest(
    server: IiifServer, run_program: Run, tmp_path: Path
) -> Callable[[dict[str, Any]], Any]:
    """Harvest three books, of which the second says more; return what publishing them printed."""
    rules = tmp_path / "collection.toml"
    rules.write_text(book_rules(server.address, table="manifests", images="reference"))

    def call(more: dict[str, Any]) -> Any:
        server.documents["/b2"] |= more
        harvested = run_program("collection", "harvest", rules, "--private-too")
        assert (harvested.exit_code, harvested.stderr) == (0, "")
        checked = run_program("collection", "check", rules)
        published = run_program("collection", "publish", rules)
        assert checked.exit_code == published.exit_code, "the check says what will be published"
        return published

    return call


@pytest.mark.parametrize("more", BROKEN.values(), ids=BROKEN)
def test_half_a_character_costs_no_manifest(
    harvest: Callable[[dict[str, Any]], Any], publisher: Publisher, more: dict[str, Any]
) -> None:
    published = harvest(more)
    assert "Objects: 3 published" in published.stdout
    assert published.exit_code == 0


def test_half_a_character_in_an_address_stops_no_harvest(
    server: IiifServer, run_program: Run, tmp_path: Path
) -> None:
    rules = tmp_path / "collection.toml"
    rules.write_text(book_rules(server.address, table="manifests", images="reference"))
    server.documents["/top"]["items"][1]["id"] += HALF
    harvested = run_program("collection", "harvest", rules, "--private-too")
    assert harvested.exit_code == 1
    assert "2 new records" in harvested.stdout
    assert "Not fetched: 1" in harvested.stdout


def test_a_manifest_that_is_nested_too_deep_is_named_and_the_others_are_published(
    harvest: Callable[[dict[str, Any]], Any], server: IiifServer
) -> None:
    canvas = {"type": "Canvas", "id": manifest3("/b2", TWO)["items"][0]["id"]}
    published = harvest({"structures": nested(canvas, "items")})
    assert published.exit_code == 1
    assert "Objects: 2 published" in published.stdout
    assert f"{server.address}/b2: it is nested too deep" in published.stdout


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_record_that_cannot_be_read_is_named_and_the_others_are_put(
    run_program: Run, service: Deployment, publisher: Publisher, tmp_path: Path, name: str
) -> None:
    service.identifiers.write(live("one", revision=1), None)

    def record(identifier: str, **more: Any) -> bytes:
        canvases = [{"image": "one"}]
        item = {"identifier": identifier, "label": {"en": ["Müller"]}, "canvases": canvases}
        return json.dumps({"type": "object", **item, **more}, ensure_ascii=False).encode()

    deep = record("deep", ranges=nested({"label": {"en": ["Page"]}, "canvases": [0]}, "ranges"))
    broken = [deep, record("latin").decode().encode("latin-1")]
    if name == "a.jsonl":
        broken += [record("half").replace(b"M", rb"\ud83d"), b'{"label": ' + b"[" * 100_000]
    records = [record("first"), *broken, record("last")]
    body = b"\n".join(records) if name == "a.jsonl" else b"[" + b",".join(records) + b"]"
    (tmp_path / name).write_bytes(body)
    result = run_program("object", "put", tmp_path / name)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == len(broken), result.stderr
    assert "it is nested too deep" in result.stderr
    for identifier in ("first", "last"):
        publishing = publisher.publish(identifier)
        assert publishing
        assert isinstance(publishing.publication, Published)
