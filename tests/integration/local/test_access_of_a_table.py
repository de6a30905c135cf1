"""A spreadsheet says who may see its images, and nothing of it is public for a moment."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.local.documents import ask
from tests.integration.local.machines import draw

if TYPE_CHECKING:
    from conftest import Service

RULES = """
[collection]
identifier = "judged plates"
label = "Plates"
access = "{}"
[source]
table = "plates.csv"
masters = "scans"
[object]
identifier = "{{name}}"
label = "{{name}}"
image = "{{name}}.tif"
access = "{{access}}"
"""
ROWS = {"judged-shut": "closed", "judged-free": "open", "judged-plain": ""}


def write(folder: Path, access: str, rows: dict[str, str]) -> Path:
    lines = ["name,access", *(",".join(row) for row in rows.items())]
    (folder / "plates.csv").write_text("\n".join(lines) + "\n")
    (folder / "collection.toml").write_text(RULES.format(access))
    return folder / "collection.toml"


def publish(service: "Service", rules: Path) -> dict[str, Any]:
    done = service.run("collection", "publish", rules, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def rules_of(service: "Service") -> list[str]:
    done = [service.run("access", "image", name, "--json") for name in ROWS]
    return [json.loads(one.stdout)["access"] for one in done]


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    (folder / "scans").mkdir()
    for seed, name in enumerate(ROWS):
        draw(folder / "scans" / f"{name}.tif", seed + 90, side=1_200)
    return folder


def test_images_are_published_under_the_rules_of_their_table(
    service: "Service", museum: Path
) -> None:
    report = publish(service, write(museum, "small:400", ROWS))
    assert (report["made"], report["rules_changed"]) == (3, 2)
    assert rules_of(service) == ["closed", "open", "small:400"]
    edge = service.addresses.edge_url
    found = {name: ask(f"{edge}/iiif/3/{name}/info.json", "gzip") for name in ROWS}
    assert found["judged-shut"][0] == 403
    assert found["judged-free"][1]["width"] == 1_200
    assert found["judged-plain"][1]["width"] == 300


def test_and_change_with_it(service: "Service", museum: Path) -> None:
    assert publish(service, museum / "collection.toml")["rules_changed"] == 0
    rows = ROWS | {"judged-free": "staff"}
    report = publish(service, write(museum, "small:1000", rows))
    assert report["rules_changed"] == 1
    assert rules_of(service) == ["closed", "staff", "small:1000"]


def test_but_no_table_opens_a_collection_that_was_closed(service: "Service", museum: Path) -> None:
    closed = service.run("access", "collection", "judged plates", "closed")
    assert closed.returncode == 0, closed.stderr
    done = service.run("collection", "publish", museum / "collection.toml")
    assert done.returncode == 0, done.stderr
    assert "The collection judged plates is closed and stays so" in done.stdout
    assert rules_of(service) == ["closed", "staff", "closed"]
