"""Manifests per second of one core: mapped from a table, checked, built, compressed; and prezi3's.

    python -m tests.benchmarks.manifest_rate [--rounds 5] [--objects 20000] [--raw runs/rate.json]

Each round maps a table of objects of one page, one of objects of twenty, and has iiif-prezi3 build
and serialise version 3 of the same twenty-page objects, from data that is mapped already. Ours are
both versions, checked by the rules and compressed by Brotli. A process for each; times are its CPU.
Memory is the largest resident size, of a table and of one a tenth as long.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from loadtest.figures.order_statistics import median
from tests.unit.deliver.deliver_records import live
from vitrine.iiif.size import Limits
from vitrine.present.mapping.mapping_reader import read_mapping
from vitrine.present.mapping.to_objects import MappedObject
from vitrine.present.objects.compose import Presentation, compose
from vitrine.present.objects.records import Described
from vitrine.present.updates.open_mapper import open_mapper
from vitrine.store.publications import Published

ROOT = Path(__file__).parents[2]
PREZI3 = ROOT / ".build/validators/bin/python"
PREZI3_OBJECTS = 40
RULES = """
[collection]
identifier = "bench"
label = "A table"
language = "en"
[source]
table = "objects.csv"
[object]
identifier = "{number}"
label = {en = "{title}", nl = "{titel}"}
summary = "{description}"
image = {value = "{files}", split = ";"}
alt_text = {value = "{texts}", split = ";"}
rights = "{licence}"
nav_date = "{year}"
required_statement = {label = "Credit", value = "Gift of {donor}"}
[metadata]
"Maker" = {value = "{makers}", split = ";"}
"Material" = "{material}"
"Date" = "{year}"
"""
BUILD = """
import json, sys, time
from iiif_prezi3 import Manifest
items = json.load(sys.stdin)
began = time.process_time()
size = 0
for item in items:
    manifest = Manifest(id=item["id"], label=item["label"], rights=item["rights"])
    manifest.summary = item["summary"]
    for canvas in item["items"]:
        body = canvas["items"][0]["items"][0]["body"]
        made = manifest.make_canvas(
            id=canvas["id"], label=canvas["label"], height=canvas["height"], width=canvas["width"]
        )
        made.add_image(
            image_url=body["id"], anno_id=canvas["items"][0]["items"][0]["id"],
            anno_page_id=canvas["items"][0]["id"], format=body["format"],
            height=body["height"], width=body["width"],
        )
    size += len(manifest.json())
print(json.dumps({"rate": len(items) / (time.process_time() - began), "bytes": size}))
"""


def write_table(folder: Path, objects: int, pages: int) -> Path:
    """Write a table and its rules; return the file of rules."""
    with (folder / "objects.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = "number title titel description files texts licence year donor makers material"
        writer.writerow(names.split())
        for number in range(objects):
            files = ";".join(f"{number}-{page}.tif" for page in range(pages))
            texts = ";".join(f"Page {page} of a letter, written." for page in range(pages))
            row = [f"ms-{number}", f"A letter, no. {number}", f"Een brief, nr. {number}"]
            row += ["A letter about paintings and the weather, with a sketch.", files, texts]
            row += ["CC BY 4.0", 1600 + number % 400, "somebody", "A. One; B. Two", "Ink on paper"]
            writer.writerow(row)
    (folder / "collection.toml").write_text(RULES, encoding="utf-8")
    return folder / "collection.toml"


def measure_ours(objects: int, pages: int) -> dict[str, Any]:
    """Map, check, build and compress; in the process that was begun for it."""
    presentation = Presentation(base="https://m.example", limits=Limits(area=25_000_000))
    image = live("x", 7300, 4100)
    with tempfile.TemporaryDirectory() as scratch:
        rules = write_table(Path(scratch), objects, pages)
        began, count, size = time.process_time(), 0, 0
        for mapped in open_mapper(read_mapping(rules)).objects():
            if isinstance(mapped, MappedObject):
                item = mapped.item
                record = Described(identifier=item.identifier, changed_at="x", item=item)
                # The images' records cost the same whatever they are; these are not copied.
                images = {canvas.image: image for canvas in item.canvases}
                published = compose(record, images, presentation)
                assert isinstance(published, Published)
                count += 1
                size += sum(map(len, published.documents.values()))
        seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rate": count / seconds, "bytes": size / count, "peak_mebibytes": round(peak, 1)}


def measure_prezi3(pages: int) -> dict[str, Any]:
    """Have prezi3 build the same objects."""
    from tests.unit.present.objects.object_bench import ObjectBench, book
    from vitrine.iiif.presentation.model import Canvas

    names = [f"p{number}" for number in range(pages)]
    bench = ObjectBench(*names)
    canvases = tuple(Canvas(image=name, alt_text={"en": ("A page.",)}) for name in names)
    bench.objects.put(book(summary={"en": ("A letter.",)}, canvases=canvases))
    document = {"rights": "http://creativecommons.org/licenses/by/4.0/", **bench.document("book")}
    done = subprocess.run(
        [PREZI3, "-c", BUILD],
        input=json.dumps([document] * PREZI3_OBJECTS),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _in_process(*arguments: int) -> dict[str, Any]:
    code = (
        f"from tests.benchmarks.manifest_rate import *; print(json.dumps(measure_ours{arguments}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Run the rounds, print medians, keep every round."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--objects", type=int, default=20_000)
    parser.add_argument("--raw", type=Path, default=Path("runs/manifest-rate.json"))
    options = parser.parse_args()
    rounds = []
    for number in range(1, options.rounds + 1):
        measured = {
            "one page": _in_process(options.objects, 1),
            "one page, a tenth of the table": _in_process(options.objects // 10, 1),
            "twenty pages": _in_process(options.objects // 10, 20),
            "twenty pages, a tenth of the table": _in_process(options.objects // 100, 20),
            "twenty pages, iiif-prezi3": measure_prezi3(20),
        }
        rounds.append(measured)
        rates = ", ".join(f"{name} {found['rate']:,.0f}/s" for name, found in measured.items())
        print(f"round {number}: {rates}", flush=True)
    options.raw.parent.mkdir(parents=True, exist_ok=True)
    options.raw.write_bytes(msgspec.json.format(msgspec.json.encode(rounds)))
    for name in rounds[0]:
        rate = median(found[name]["rate"] for found in rounds)
        peak = rounds[-1][name].get("peak_mebibytes", "")
        print(f"{name}: {rate:,.0f} manifests per second of CPU {peak and f'({peak} MiB at most)'}")


if __name__ == "__main__":
    main()
