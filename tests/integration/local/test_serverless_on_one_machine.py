"""The flavour serverless on one machine: a Lambda answers through the edge as image tasks do."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from rigs.free_port import free_ports
from tests.integration.local.machines import Machine, machine_of
from tests.integration.official_validator import IDENTIFIER, draw_grid, require_level_2

pytestmark = pytest.mark.slow

REQUESTS = (
    *(f"{version}/{IDENTIFIER}/info.json" for version in "23"),
    f"3/{IDENTIFIER}/0,0,256,256/256,256/0/default.jpg",
    f"3/{IDENTIFIER}/768,768,232,232/232,232/0/default.jpg",
    f"3/{IDENTIFIER}/0,0,512,512/256,256/0/default.jpg",
    f"2/{IDENTIFIER}/full/400,/0/default.jpg",
    f"3/{IDENTIFIER}/100,100,333,222/max/90/gray.jpg",
    f"3/{IDENTIFIER}/full/max/!180/default.png",
    f"3/{IDENTIFIER}/full/200,200/0/default.webp",
    f"3/{IDENTIFIER}/full/200,200/0/default.avif",
    f"3/{IDENTIFIER}/full/200,200/0/default.jxl",
    f"3/{IDENTIFIER}/full/2000,/0/default.jpg",
    "3/nobody/info.json",
)
HEADERS = ("etag", "link", "cache-control", "cache-tag", "content-type", "last-modified")
OWN = re.compile(r"127\.0\.0\.1:\d+")


@pytest.fixture(scope="module")
def machines(
    service: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Machine]]:
    """A service whose images a Lambda serves, and one with image tasks, with the same master."""
    folder = tmp_path_factory.mktemp("flavours")
    master = folder / f"{IDENTIFIER}.tif"
    draw_grid().tiffsave(str(master))
    tasks, serverless = machine_of(service), Machine(folder / "serverless", free_ports(3))
    run = tasks.run("ingest", master)
    assert run.returncode == 0, run.stdout + run.stderr
    try:
        run = serverless.up("--masters", master, "--flavour", "serverless")
        assert run.returncode == 0, run.stdout + run.stderr
        _wait_for_the_function(serverless)
        yield {"serverless": serverless, "tasks": tasks}
    finally:
        serverless.run("down")


def _wait_for_the_function(machine: Machine) -> None:
    """Wait until the Lambda answers: on a busy machine it may not start in the time it has."""
    for _ in range(15):
        if ask(machine, f"3/{IDENTIFIER}/info.json").status_code == 200:
            return
        time.sleep(1)


def ask(machine: Machine, path: str, **headers: str) -> requests.Response:
    return requests.get(f"{machine.service.edge_url}/iiif/{path}", headers=headers, timeout=60)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_the_official_validator_finds_level_2(machines: dict[str, Machine], version: str) -> None:
    require_level_2(machines["serverless"].service.edge_url.removeprefix("http://"), version)


@pytest.mark.parametrize("path", REQUESTS)
def test_an_answer_has_the_bytes_and_headers_that_a_tasks_has(
    machines: dict[str, Machine], path: str
) -> None:
    ours, theirs = (ask(machines[name], path) for name in ("serverless", "tasks"))

    def described(answer: requests.Response) -> dict[str, Any]:
        text = answer.content
        named = {name: OWN.sub("EDGE", answer.headers.get(name, "")) for name in HEADERS}
        if "json" in answer.headers["content-type"]:
            # It is a digest of the document, which has the port of its edge.
            named["etag"] = named["etag"][:2]
            document = json.loads(OWN.sub("EDGE", answer.text))
            document.pop("trace", None)
            text = json.dumps(document).encode()
        # The clock of the second that an ingest ended in.
        named.pop("last-modified")
        return {"status": answer.status_code, "body": text, **named}

    assert described(ours) == described(theirs)


def test_nobody_but_the_edge_reaches_the_lambda(machines: dict[str, Machine]) -> None:
    origin = machines["serverless"].service.origin_url
    assert requests.get(f"{origin}/iiif/{REQUESTS[2]}", timeout=60).status_code == 403


def test_a_manifest_is_that_of_a_task(machines: dict[str, Machine]) -> None:
    documents = []
    for machine in machines.values():
        edge = machine.service.edge_url
        answer = requests.get(f"{edge}/presentation/3/{IDENTIFIER}/manifest.json", timeout=60)
        assert answer.status_code == 200
        documents.append(json.loads(OWN.sub("EDGE", answer.text)))
    assert documents[0] == documents[1]


def test_a_document_says_the_edges_name(machines: dict[str, Machine]) -> None:
    machine = machines["serverless"]
    document = ask(machine, f"3/{IDENTIFIER}/info.json").json()
    assert document["id"] == f"{machine.service.edge_url}/iiif/3/{IDENTIFIER}"


def test_the_status_is_that_of_a_service_without_tasks(machines: dict[str, Machine]) -> None:
    run = machines["serverless"].run("status")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "iipsrv" not in run.stdout


def test_a_collection_closes_what_a_lambda_shows(
    machines: dict[str, Machine], tmp_path: Path
) -> None:
    machine, address = machines["serverless"], f"3/{IDENTIFIER}/info.json"
    sheet = {
        "type": "object",
        "identifier": "sheet",
        "label": {"en": ["Sheet"]},
        "canvases": [{"image": IDENTIFIER}],
    }
    listed = {"identifier": "sheet", "label": {"en": ["Sheet"]}}
    sheets = {
        "type": "collection",
        "identifier": "sheets",
        "label": {"en": ["Sheets"]},
        "members": [listed],
    }
    for name, document in (("sheet", sheet), ("sheets", sheets)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
        run = machine.run("object", "put", tmp_path / f"{name}.json")
        assert run.returncode == 0, run.stdout + run.stderr
    for rule, status in (("closed", 403), ("open", 200)):
        run = machine.run("access", "collection", "sheets", rule)
        assert run.returncode == 0, run.stdout + run.stderr
        assert _wait_for(machine, address, status) == status


def _wait_for(machine: Machine, address: str, status: int) -> int:
    """Return the status of an answer, which changes when caches have forgotten the one before."""
    for _ in range(120):
        if (found := ask(machine, address).status_code) == status:
            break
        time.sleep(1)
    return found
