"""What it takes to publish the objects of a table, with pages, manifests and search."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyvips

from loadtest.report.saved_run import Report
from loadtest.servers.emulated_place import REGION, EmulatedPlace, make_place, running_emulator
from loadtest.studies.interleaved_rounds import Say, Watch
from loadtest.studies.publishing import publishing_worker
from loadtest.studies.tree_rounds import compare_trees, report_parts
from rigs.access_master import read_live, write_standard
from vitrine.errors import VitrineError
from vitrine.local import emulator
from vitrine.records import Live

_NEW = ("announced", "published", "searched")
ALL = "all of a new object: CPU ms"
_SETTINGS = {
    "VITRINE_EVENT_BUS": "default",
    "VITRINE_PUBLIC_BASE_URL": "https://images.example.org",
    "VITRINE_MAXIMUM_OUTPUT_PIXELS": "25000000",
    "VITRINE_DOWNLOADS_AT_ONCE": "0",
    "VITRINE_RIGHTS_URI": "",
    "VITRINE_OCR_LANGUAGES": "",
    "VITRINE_CRAWLERS": "allow",
}
_ABOUT = (
    "CPU (user and system) of one process that publishes a table, and its requests to S3, DynamoDB "
    "and EventBridge, an object of two images: the images are noted as the objects', the objects "
    "are published with pages and manifests, and the searches are updated. Then all of it with "
    "other titles, and once more without a change. The emulator's own CPU is not counted."
)


@dataclass(frozen=True, kw_only=True)
class PublishingStudy:
    """The objects to publish, and how often."""

    objects: int = 60
    rounds: int = 5
    tree: Path | None = None
    """Another checkout to compare with."""


def compare_publishing(study: PublishingStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return the figures of all rounds. Raises VitrineError, KeyboardInterrupt."""
    with running_emulator() as port, tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        image = _example_image(Path(folder))

        def measure(tree: Path) -> dict[str, float]:
            place = make_place(port)
            for number in range(2 * (study.objects + publishing_worker.WARM_UP)):
                place.write_record(replace(image, identifier=f"image-{number}"))
            values = _run_worker(tree, place, port, study.objects)
            return {ALL: round(sum(values[f"{step}: CPU ms"] for step in _NEW), 3)} | values

        about = f"{study.objects} objects. {_ABOUT}"
        return compare_trees(measure, study.tree, study.rounds, about, say, watch)


def _example_image(folder: Path) -> Live:
    path = folder / "image.tif"
    write_standard(pyvips.Image.black(3000, 2000, bands=3), path)
    return read_live(path)


def _run_worker(tree: Path, place: EmulatedPlace, port: int, objects: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        done = subprocess.run(
            [sys.executable, publishing_worker.__file__, folder, str(objects)],
            capture_output=True,
            text=True,
            cwd=folder,
            env={
                "PYTHONPATH": str(tree),
                "LANG": "C.UTF-8",
                **emulator.credentials(REGION, port),
                **place.variables,
                **_SETTINGS,
            },
        )
    if done.returncode:
        raise VitrineError(f"{tree.name} published nothing: {done.stderr.strip()[-500:]}")
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


REPORT = Report(
    bench="publishing",
    title="What publishing the objects of a table takes",
    parts=report_parts,
)
