"""Everything is taken out, put into an empty service, and answers there as it did before."""

import json
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest

from rigs.free_port import free_ports
from tests.integration.local.machines import VITRINE, Machine, draw
from tests.unit.catalogue.object_bench import book
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection

IMAGES = ("plate 1", "plate/2", "plate-3", "closed", "withdrawn")
ANSWERED_SECONDS = 300
NO_REDIRECTS = urllib.request.build_opener(
    type("Stay", (urllib.request.HTTPRedirectHandler,), {"redirect_request": lambda *some: None})
)


def ask(address: str) -> tuple[int, str, bytes]:
    """Status, where it leads, and body; that of an error has a number of its own."""
    try:
        with NO_REDIRECTS.open(address, timeout=60) as answer:
            return answer.status, answer.headers.get("Location", ""), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers.get("Location", ""), b""


@dataclass
class Taken:
    """An export, and what the service answered before it was lost."""

    machine: Machine
    folder: Path
    before: dict[str, tuple[int, str, bytes]]
    report: dict[str, Any] = field(default_factory=dict)
    kills: int = 0


def paths() -> list[str]:
    """Addresses of everything: tiles, image information, manifests, redirects and tombstones."""
    found = []
    for image in (*IMAGES, "old plate"):
        for version in (2, 3):
            start = f"/iiif/{version}/{quote(image, safe=':')}"
            found += [f"{start}/info.json"]
            found += [f"/presentation/{version}/{quote(image, safe=':')}/manifest.json"]
        for region in ("0,0,256,256", "256,0,256,256", "512,512,188,188", "0,0,512,512"):
            size = "188,188" if "188" in region else "256,256"
            found += [f"{start}/{region}/{size}/0/default.jpg"]
    for name in ("atlas", "old atlas", "lost atlas"):
        found += [f"/presentation/{version}/{quote(name)}/manifest.json" for version in (2, 3)]
    return [*found, "/presentation/3/shelf/collection.json"]


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    """An export that was killed twice; then the service is lost, and an empty one takes over."""
    pictures, other = (tmp_path_factory.mktemp(name) for name in ("plates", "other"))
    draw(other / "other.tif", 9)
    directory = tmp_path_factory.mktemp("lost") / "service"
    machine = Machine(directory, free_ports(3))
    try:
        started = machine.up("--masters", other)
        assert started.returncode == 0, started.stdout + started.stderr
        publish(machine, pictures)
        origin = machine.service.origin_url
        made = Taken(
            machine,
            tmp_path_factory.mktemp("export") / "out",
            {path: ask(origin + path) for path in paths()},
        )
        export_and_kill(made)
        machine.run("down")
        shutil.rmtree(directory)
        assert machine.up("--masters", other).returncode == 0
        yield made
    finally:
        machine.run("down")


def publish(machine: Machine, pictures: Path) -> None:
    run(machine, "image", "withdraw", "other", "--reason", "It is not of this collection.")
    run(machine, "access", "image", "closed", "closed")
    for number, image in enumerate(IMAGES):
        master = pictures / f"{number}.tif"
        draw(master, number)
        run(machine, "ingest", master, "--identifier", image)
    run(machine, "image", "withdraw", "withdrawn", "--reason", "A claim.")
    run(machine, "redirects", "add", "old plate", "plate 1")
    canvases = tuple(Canvas(image=image) for image in IMAGES[:3])
    member = Member(identifier="atlas", label={"en": ("An atlas",)}, image="plate 1")
    items = [
        book("old atlas", "An atlas", canvases=canvases),
        book("lost atlas", "Lost", canvases=canvases),
        ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=(member,)),
    ]
    records = pictures / "objects.jsonl"
    records.write_bytes(b"\n".join(map(msgspec.json.encode, items)))
    run(machine, "object", "put", records)
    run(machine, "object", "rename", "old atlas", "atlas")
    run(machine, "object", "withdraw", "lost atlas", "--reason", "A claim.")


def run(machine: Machine, *arguments: str | Path) -> str:
    done = machine.run(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def export_and_kill(taken: Taken) -> None:
    """Begin twice and end that by SIGKILL; the third run is left alone."""
    command = ["collection", "export", str(taken.folder), "--static", "--json"]
    for files in (1, 40):
        running = subprocess.Popen(
            [VITRINE, *command],
            env=taken.machine.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while running.poll() is None and written(taken.folder) < files:
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
        taken.kills += running.wait() == -signal.SIGKILL
    taken.report = json.loads(run(taken.machine, *command))


def written(folder: Path) -> int:
    """How many files have their place."""
    return sum(1 for path in (folder / "data").glob("site/iiif/3/**/default.jpg"))


def test_an_export_that_was_killed_twice_is_whole(taken: Taken) -> None:
    assert taken.kills == 2
    assert taken.report["faults"] == []
    assert taken.report["records"]["images"] == 4
    assert taken.report["records"]["tombstones"] == 2
    for name in ("manifest-sha256.txt", "tagmanifest-sha256.txt"):
        done = subprocess.run(["sha256sum", "--check", "--quiet", name], cwd=taken.folder)
        assert done.returncode == 0


def test_a_tile_is_the_file_that_the_service_answered(taken: Taken) -> None:
    folder = taken.folder / "data" / "site" / "iiif" / "3" / "plate~2F2"
    compared = 0
    for path, (status, _, body) in taken.before.items():
        if path.startswith("/iiif/3/plate%2F2/") and path.endswith(".jpg"):
            assert status == 200
            assert (folder / path.split("/", 4)[4]).read_bytes() == body
            compared += 1
    assert compared == 4


def test_an_empty_service_answers_as_the_lost_one_did(taken: Taken) -> None:
    report = json.loads(run(taken.machine, "collection", "import", taken.folder, "--json"))
    assert report["refused"] == []
    assert report["images"]["published"] == 4
    assert (report["published"]["redirects"], report["published"]["rules"]) == (1, 1)
    origin, deadline = taken.machine.service.origin_url, time.monotonic() + ANSWERED_SECONDS
    waiting = dict(taken.before)
    while waiting and time.monotonic() < deadline:
        now = {path: ask(origin + path) for path in waiting}
        waiting = {path: old for path, old in waiting.items() if now[path] != old}
        time.sleep(1)
    assert [(path, ask(origin + path)[:2], old[:2]) for path, old in waiting.items()] == []
    statuses = {status for status, _, _ in taken.before.values()}
    assert statuses >= {200, 301, 403, 410}


def test_a_closed_image_was_not_open_for_a_moment(taken: Taken) -> None:
    """After the one above."""
    history = json.loads(run(taken.machine, "image", "history", "closed", "--json"))
    assert [(record["state"], record["access"]) for record in history] == [
        ("removed", "closed"),
        ("live", "closed"),
    ]


def test_the_same_import_again_changes_nothing(taken: Taken) -> None:
    """After those above."""
    report = json.loads(run(taken.machine, "collection", "import", taken.folder, "--json"))
    assert report["images"]["unchanged"] == 4
    assert sum(report["published"].values()) == report["published"]["unchanged"]


def test_a_damaged_export_is_not_published(taken: Taken, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(taken.folder, damaged)
    (damaged / "data" / "objects.jsonl").write_text("{}\n")
    done = taken.machine.run("collection", "import", damaged)
    assert done.returncode == 1
    assert "data/objects.jsonl: the file is damaged" in done.stderr
    assert "nothing was published" in done.stderr
