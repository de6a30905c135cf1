"""A table and a folder become a collection, although the command is killed again and again."""

import csv
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import VITRINE
from tests.integration.local.documents import ask
from tests.integration.local.machines import draw

if TYPE_CHECKING:
    from conftest import Service

PLATES = 14
RULES = """
[collection]
identifier = "killed-plates"
label = "Plates"
[source]
table = "plates.csv"
masters = "scans"
[object]
identifier = "plate {number}"
label = "{title}"
image = "{file}"
"""


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rules, a table and its images, small but for their names."""
    folder = tmp_path_factory.mktemp("museum")
    (folder / "scans").mkdir()
    (folder / "collection.toml").write_text(RULES)
    with (folder / "plates.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["number", "title", "file"])
        for number in range(PLATES):
            name = f"killed-{number:02}.tif"
            draw(folder / "scans" / name, number)
            writer.writerow([number, f"Plate {number}", name])
    return folder


def publish(service: "Service", museum: Path) -> tuple[int, dict[str, Any]]:
    done = service.run("collection", "publish", museum / "collection.toml", "--json")
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def kill_after(service: "Service", museum: Path, seconds: float) -> int:
    """Begin to publish, and end that by SIGKILL; return its exit code."""
    command = [str(VITRINE), "collection", "publish", str(museum / "collection.toml")]
    running = subprocess.Popen(
        command, env=service.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(seconds)
    os.kill(running.pid, signal.SIGKILL)
    return running.wait()


def test_a_publication_that_is_killed_twice_is_completed_by_the_same_command(
    service: "Service", museum: Path
) -> None:
    codes = [kill_after(service, museum, seconds) for seconds in (3.0, 5.0)]
    assert codes[0] == -signal.SIGKILL
    code, report = publish(service, museum)
    assert (code, report["refused"], report["waiting"]) == (0, [], [])
    assert report["made"] + report["unchanged"] == PLATES
    assert report["images"]["published"] + report["images"]["unchanged"] == PLATES
    with (museum / "plates-published.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == PLATES
    for row in rows[::5]:
        status, document = ask(row["iiif_manifest"])
        assert (status, document["id"]) == (200, row["iiif_manifest"])
        assert document["label"] == {"none": [row["title"]]}
    edge = service.addresses.edge_url
    status, collection = ask(f"{edge}/presentation/3/killed-plates/collection.json")
    assert (status, len(collection["items"])) == (200, PLATES)


def test_and_then_writes_nothing_but_what_changed(service: "Service", museum: Path) -> None:
    code, report = publish(service, museum)
    assert (code, report["made"], report["unchanged"]) == (0, 0, PLATES)
    assert report["images"]["unchanged"] == PLATES
    table = museum / "plates.csv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([*lines[:-2], lines[-2].replace("Plate", "Tafel")]))
    code, report = publish(service, museum)
    assert (code, report["made"], report["unchanged"]) == (0, 1, PLATES - 2)
    assert report["gone"] == [f"plate {PLATES - 1}"]
