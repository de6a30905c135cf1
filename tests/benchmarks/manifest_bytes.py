"""Bytes of a long manifest at the edge, by coding, and how often the edge had it.

    python -m tests.benchmarks.manifest_bytes [--canvases 500] [--requests 20] [--raw FILE]

Starts the service on this machine in a folder of its own, publishes an image and an object that
shows it on every canvas, and requests both versions from the edge in each coding. Names of images
that differ cost bytes, too: the second table has them, built as publishing builds them, and gzip at
nginx' level of 1.
"""

import argparse
import gzip
import json
import os
import subprocess
import tempfile
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import brotli
import msgspec

from loadtest.rigs.free_port import free_ports
from tests.integration.local.machines import draw
from tests.unit.deliver.deliver_records import live
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, REPOSITORY, LocalService
from vitrine.iiif.presentation.addresses import MANIFEST, document_path
from vitrine.iiif.presentation.model import Canvas, PublishedObject
from vitrine.iiif.size import Limits
from vitrine.present.objects.compose import Presentation, compose
from vitrine.present.objects.records import Described
from vitrine.store.publications import Published

VITRINE = REPOSITORY / ".venv/bin/vitrine"
CODINGS = ("identity", "gzip", "br")
VERSIONS = (3, 2)


def long_object(images: list[str]) -> PublishedObject:
    """A book of so many pages."""
    canvases = tuple(
        Canvas(
            image=image,
            label={"en": (f"fol. {number}r",)},
            alt_text={"en": (f"Page {number} of a letter, written on both sides.",)},
        )
        for number, image in enumerate(images, start=1)
    )
    label = {"en": ("A long book",)}
    return PublishedObject(identifier="long-book", label=label, canvases=canvases)


def measure_edge(canvases: int, requests: int) -> dict[str, Any]:
    """Publish it on a service of our own, and ask for it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        environment = os.environ | {DIRECTORY_VARIABLE: str(folder / "service")}
        ports = zip(("--edge-port", "--origin-port", "--emulator-port"), free_ports(3), strict=True)
        options = [str(part) for option in ports for part in option]
        try:
            _run(environment, "up", *options)
            draw(folder / "page.tif", 1)
            _run(environment, "ingest", str(folder / "page.tif"))
            record = msgspec.json.encode(long_object(["page"] * canvases))
            (folder / "book.json").write_bytes(record)
            _run(environment, "object", "put", str(folder / "book.json"))
            service = LocalService.load(folder / "service")
            assert service
            return _ask_edge(service.edge_url, requests)
        finally:
            _run(environment, "down")


def _ask_edge(edge: str, requests: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for version in VERSIONS:
        address = edge + document_path(version, "long-book", MANIFEST)
        for coding in CODINGS:
            states: Counter[str] = Counter()
            for _ in range(requests):
                question = urllib.request.Request(address, headers={"Accept-Encoding": coding})
                with urllib.request.urlopen(question, timeout=30) as answer:
                    size = len(answer.read())
                    states[answer.headers["X-Cache"].split()[0]] += 1
            found[f"version {version}, {coding}"] = {"bytes": size, "edge": dict(states)}
    return found


def measure_names(canvases: int) -> dict[str, Any]:
    """Build it with as many images as canvases."""
    names = [f"ms-1234-{number:04}r" for number in range(canvases)]
    record = Described(identifier="long-book", changed_at="x", item=long_object(names))
    presentation = Presentation(
        base="https://images.museum.example", limits=Limits(area=25_000_000)
    )
    published = compose(record, {name: live(name, 7300, 4100) for name in names}, presentation)
    assert isinstance(published, Published)
    found = {}
    for version in VERSIONS:
        packed = published.documents[version]
        plain = brotli.decompress(packed)
        sizes = (len(plain), len(gzip.compress(plain, compresslevel=1)), len(packed))
        for coding, size in zip(CODINGS, sizes, strict=True):
            found[f"version {version}, {coding}"] = {"bytes": size}
    return found


def _run(environment: dict[str, str], *arguments: str) -> None:
    subprocess.run([VITRINE, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--canvases", type=int, default=500)
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--raw", type=Path, default=Path("runs/manifest-bytes.json"))
    options = parser.parse_args()
    found = {
        "at the edge, one image": measure_edge(options.canvases, options.requests),
        "built, an image for each canvas": measure_names(options.canvases),
    }
    options.raw.parent.mkdir(parents=True, exist_ok=True)
    options.raw.write_text(json.dumps(found, indent=2))
    for title, rows in found.items():
        print(f"{options.canvases} canvases {title}:")
        for name, row in rows.items():
            print(f"  {name}: {row['bytes']:,} bytes {row.get('edge', '')}")


if __name__ == "__main__":
    main()
