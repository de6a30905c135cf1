"""The whole service through its own command: masters in, pixels out, and back after a stop."""

import gzip
import io
import json
import os
import time
import urllib.request
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from PIL import Image

from rigs.free_port import free_ports
from tests.integration.local.machines import Machine, draw
from tests.integration.local.status_pages import served
from vitrine.local import process, up


def fetched(url: str) -> np.ndarray[Any, Any]:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return np.asarray(Image.open(io.BytesIO(answer.read())).convert("RGB"))


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    made = Machine(tmp_path_factory.mktemp("machine"), free_ports(3))
    try:
        yield made
    finally:
        made.run("down")


@pytest.fixture(scope="module")
def pictures(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Three masters that `up --masters` has published, as pixels by identifier."""
    folder = tmp_path_factory.mktemp("masters")
    kinds = {1: ".tif", 2: ".tif", 3: ".jp2"}
    drawn = {
        f"picture {number}": draw(folder / f"picture {number}{suffix}", number)
        for number, suffix in kinds.items()
    }
    done = machine.up("--masters", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return drawn


def image_url(machine: Machine, identifier: str, rest: str) -> str:
    return f"{machine.service.edge_url}/iiif/3/{identifier.replace(' ', '%20')}/{rest}"


def assert_served(machine: Machine, pictures: dict[str, Any]) -> None:
    for identifier, pixels in pictures.items():
        tile = fetched(image_url(machine, identifier, "256,256,256,256/256,/0/default.jpg"))
        difference = np.abs(tile.astype(int) - pixels[256:512, 256:512].astype(int))
        assert difference.mean() < 2, identifier


def test_masters_of_a_folder_are_published_with_their_pixels(
    machine: Machine, pictures: dict[str, Any]
) -> None:
    assert_served(machine, pictures)


def test_the_first_images_leave_no_more_than_300_megabytes(
    machine: Machine, pictures: dict[str, Any]
) -> None:
    kept = 0
    for folder, _, files in os.walk(machine.directory):  # the emulator's own folders come and go
        for name in files:
            with suppress(FileNotFoundError):
                kept += Path(folder, name).lstat().st_blocks * 512
    assert 0 < kept / 1e6 <= 300


def test_up_says_where_to_look(machine: Machine, pictures: dict[str, Any]) -> None:
    done = machine.up()
    assert done.returncode == 0
    assert "running already" in done.stderr
    addresses = [word for word in done.stdout.split() if word.startswith("http")]
    assert addresses[0] == machine.service.edge_url + "/"
    *pages, api, mcp = addresses
    assert len(pages) == 5
    assert "/_aws/execute-api/" in api, "which takes signed requests"
    assert mcp == machine.service.edge_url + "/mcp"
    for address in pages:
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert answer.status == 200
    assert machine.service.logs in done.stdout


def test_services_of_access_that_do_not_run_are_missed_aloud(
    machine: Machine, pictures: dict[str, Any], tmp_path: Path
) -> None:
    done = machine.up("--access")
    assert done.returncode == 1
    assert "`make up ACCESS=yes`" in done.stderr
    table = tmp_path / "access.toml"
    table.write_text('[rights.staff]\nterms = { en = "Yes?" }\nlabel = { en = "Read this" }\n')
    done = machine.run("access", "rights", "use", table)
    assert done.returncode == 0, done.stderr
    assert "lets nobody in" in done.stderr


@pytest.mark.parametrize("version", [2, 3])
def test_every_published_image_has_a_compressed_manifest_at_the_edge(
    machine: Machine, pictures: dict[str, Any], version: int
) -> None:
    identifier = next(iter(pictures))
    address = f"{machine.service.edge_url}/presentation/{version}/{quote(identifier)}"
    # urllib follows the redirect to the manifest.
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    results = []
    for _ in range(2):
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            results.append(answer.headers["X-Cache"])
            document = json.loads(gzip.decompress(answer.read()))
            assert (
                answer.url
                == f"{address}/manifest.json"
                == document["id" if version == 3 else "@id"]
            )
    assert results[-1] == "HIT"
    height, width, _ = pictures[identifier].shape
    canvas = document["items"][0] if version == 3 else document["sequences"][0]["canvases"][0]
    assert (canvas["width"], canvas["height"]) == (width, height)


def _programs(machine: Machine) -> dict[str, Any]:
    report = json.loads(machine.run("status", "--json").stdout)
    return {item["program"]: item for item in report["work"]["programs"]}


def test_nginx_gateway_and_iipsrv_each_did_work(machine: Machine, pictures: dict[str, Any]) -> None:
    fetched(image_url(machine, next(iter(pictures)), "10,10,700,500/300,/0/default.jpg"))
    # Each gateway process writes down its numbers for the others every five seconds.
    ended = time.monotonic() + 30
    while not (work := _programs(machine))["iipsrv"]["did"]["renders"]:
        assert time.monotonic() < ended
        time.sleep(0.5)
    assert list(work) == ["nginx", "gateway", "iipsrv"]
    assert work["nginx"]["did"]["requests"] > 0
    assert work["gateway"]["did"]["answers"] > 0
    # nginx has used less than the kernel's tick for so few requests.
    assert all(item["cpu_seconds"] is not None for item in work.values())
    assert work["gateway"]["cpu_seconds"] > 0


def test_masters_that_are_there_are_not_uploaded_again(
    machine: Machine, pictures: dict[str, Any], tmp_path: Path
) -> None:
    draw(tmp_path / "fourth.tif", 4)
    assert "1 of 1 files are new" in machine.up("--masters", tmp_path).stderr
    assert "0 of 1 files are new" in machine.up("--masters", tmp_path).stderr


def test_what_is_no_image_is_refused_with_a_reason_and_exit_code_1(
    machine: Machine, pictures: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "letter.tif").write_text("Dear curator,\n")
    done = machine.up("--masters", tmp_path)
    assert done.returncode == 1
    assert "not-an-image" in done.stdout
    status = json.loads(machine.run("status", "letter.tif", "--json").stdout)
    assert status["state"] == "rejected"


def test_the_status_page_shows_what_was_published_and_what_was_not(
    machine: Machine, pictures: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "<script>x.tif").write_text("Dear curator,\n")
    assert machine.run("ingest", tmp_path / "<script>x.tif").returncode == 1
    with served(machine.environment) as page:
        status, _, text = page.ask()
        assert status == 200
        assert "&lt;script&gt;x.tif" in text
        assert text.count("<script>") == 1
        assert f'href="{machine.service.edge_url}/objects/picture%201"' in text
        pictured = [part.partition('"')[0] for part in text.split("data:image/jpeg;base64,")[1:]]
        status = json.loads(page.ask("/status.json")[2])
        assert len(pictured) == len(status["newest"]) >= len(pictures)
        for encoded in pictured:
            assert Image.open(io.BytesIO(b64decode(encoded))).size == (400, 400)
        assert status["counts"]["rejected"] >= 1
        assert page.interrupt() == 0
    assert machine.run("status", "--html", tmp_path / "status.html").returncode == 0
    assert (tmp_path / "status.html").read_text().count("data:image/jpeg") == len(pictured)


def test_after_down_nothing_runs_and_up_finds_its_data_again(
    machine: Machine, pictures: dict[str, Any], tmp_path: Path
) -> None:
    items = process.read_notes(machine.directory)
    with served(machine.environment) as page:
        assert machine.run("down").returncode == 0
        assert not any(item.alive for item in items)
        away = page.until(lambda status: bool(status["trouble"]))
        assert "make up" in away["trouble"]
        assert page.ask()[0] == 503
        done = machine.up()
        assert done.returncode == 0, done.stderr
        back = page.until(lambda status: not status["trouble"])
        assert back["made_at"] > away["made_at"]
    assert_served(machine, pictures)
    pixels = draw(tmp_path / "after.tif", 5)
    assert machine.run("ingest", tmp_path / "after.tif").returncode == 0
    assert_served(machine, {"after": pixels})


def test_the_ports_may_change_between_two_starts(
    machine: Machine, pictures: dict[str, Any], tmp_path: Path
) -> None:
    machine.run("down")
    moved = Machine(machine.directory, free_ports(3))
    try:
        assert moved.up().returncode == 0
        pixels = draw(tmp_path / "moved.tif", 6)
        assert moved.run("ingest", tmp_path / "moved.tif").returncode == 0
        assert_served(moved, {**pictures, "moved": pixels})
    finally:
        moved.run("down")
    assert machine.up().returncode == 0


def test_a_killed_service_is_started_again_with_its_data(
    machine: Machine, pictures: dict[str, Any]
) -> None:
    machine.kill()
    done = machine.up()
    assert done.returncode == 0, done.stderr
    assert_served(machine, pictures)


def test_another_server_on_the_port_is_not_taken_for_the_edge(
    machine: Machine, pictures: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = [urlsplit(url).port for url in (machine.service.edge_url, machine.service.origin_url)]
    notes = process.read_notes(machine.directory)
    started = [item for item in notes if item.name != "timer"]
    up._wait_until_answering(ports[0] or 0, started, up.EDGE_HEADER)
    monkeypatch.setattr(up, "READY_SECONDS", 0.5)
    with pytest.raises(TimeoutError, match="edge does not answer"):
        up._wait_until_answering(ports[1] or 0, started, up.EDGE_HEADER)


def test_up_on_other_ports_says_where_it_runs(machine: Machine, pictures: dict[str, Any]) -> None:
    done = Machine(machine.directory, free_ports(3)).up()
    assert done.returncode == 0
    assert f"on other ports: edge {urlsplit(machine.service.edge_url).port}" in done.stderr
