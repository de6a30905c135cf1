"""Objects from the command line to the edge: described, renamed, withdrawn, with their images."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.integration.local.documents import ask
from tests.integration.local.machines import draw
from tests.unit.catalogue.object_bench import book, shelf
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.catalogue.publisher import MAX_LEADING
from vitrine.catalogue.records import Item
from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection

if TYPE_CHECKING:
    from conftest import Service

CODEX, LEAVES = (f"/presentation/3/{name}/manifest.json" for name in ("codex", "leaves"))
IMAGES = ("codex/1r", "codex/1v", "codex/2r")
FOUND_SECONDS = 300
EDGE_SECONDS = 420
"""As for images: a record's lifetime, and the queue's pauses."""


@pytest.fixture(scope="module")
def running(service: "Service", tmp_path_factory: pytest.TempPathFactory) -> "Service":
    """The tests' service with three pages of a book."""
    folder = tmp_path_factory.mktemp("pages")
    for number, image in enumerate(IMAGES):
        path = folder / f"{image.replace('/', '-')}.tif"
        draw(path, number)
        done = service.run("ingest", path, "--identifier", image)
        assert done.returncode == 0, done.stdout + done.stderr
    return service


def put(service: "Service", folder: Path, *items: Item) -> dict[str, dict[str, Any]]:
    """Publish these, and return what the command says of each."""
    path = folder / "objects.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(item) for item in items))
    done = service.run("object", "put", path, "--json")
    assert done.returncode == 0, done.stderr
    return {item["identifier"]: item for item in json.loads(done.stdout)}


def until(seconds: float, promise: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while not promise():
        assert time.monotonic() < deadline
        time.sleep(1)


def codex(title: str, *images: str) -> Item:
    return book("codex", title, canvases=tuple(Canvas(image=image) for image in images or IMAGES))


def test_an_object_is_published_changed_renamed_and_withdrawn(
    running: "Service", tmp_path: Path
) -> None:
    edge = running.addresses.edge_url
    made = put(running, tmp_path, codex("First"), shelf("shelf"))
    address = made["codex"]["address"]
    assert address == edge + CODEX
    for coding in ("br", "gzip", "identity"):
        status, document = ask(address, coding)
        assert (status, document["id"]) == (200, address)
        assert len(document["items"]) == 3
    assert ask(f"{edge}/presentation/2/codex")[1]["sequences"]
    # The edge's function knows nothing of collections: their manifest redirects.
    status, collection = ask(f"{edge}/presentation/shelf")
    assert (status, collection["id"]) == (200, made["shelf"]["address"])

    assert not put(running, tmp_path, codex("First"))["codex"]["published"]
    at_origin = running.addresses.origin_url + CODEX
    put(running, tmp_path, codex("Second"))
    assert ask(at_origin)[1]["label"] == {"en": ["Second"]}
    assert running.run("object", "rename", "codex", "ms 1").returncode == 0
    assert ask(at_origin)[1]["id"].endswith("/ms%201/manifest.json")
    done = running.run("object", "withdraw", "ms 1", "--reason", "A claim.")
    assert done.returncode == 0, done.stderr
    status, reason = ask(at_origin)
    assert (status, reason.endswith("A claim.")) == (410, True)
    history = running.run("object", "history", "codex").stdout.splitlines()
    assert [line.split(maxsplit=2)[2] for line in history] == [
        "shows “First”",
        "shows “Second”",
        "redirects to ms 1",
    ]
    assert set(running.run("object", "list").stdout.splitlines()) >= {"codex", "ms 1", "shelf"}


def test_a_withdrawn_image_leaves_the_manifest(running: "Service", tmp_path: Path) -> None:
    put(running, tmp_path, book("leaves", canvases=tuple(Canvas(image=one) for one in IMAGES)))
    assert len(ask(running.addresses.edge_url + LEAVES)[1]["items"]) == 3
    done = running.run("image", "withdraw", IMAGES[1], "--reason", "A page of somebody else's.")
    assert done.returncode == 0, done.stderr
    at_origin = running.addresses.origin_url + LEAVES
    until(FOUND_SECONDS, lambda: len(ask(at_origin)[1]["items"]) == 2)
    assert IMAGES[1].replace("/", "%2F") not in str(ask(at_origin)[1])


def test_a_record_may_come_before_its_image(running: "Service", tmp_path: Path) -> None:
    made = put(running, tmp_path, book("early", canvases=(Canvas(image="early-1"),)))
    assert made["early"]["missing_images"] == ["early-1"]
    address = f"{running.addresses.edge_url}/presentation/3/early/manifest.json"
    assert ask(address) == (404, "none of the images of 'early' is published yet")
    draw(tmp_path / "early-1.tif", 7)
    assert running.run("ingest", tmp_path / "early-1.tif").returncode == 0
    until(FOUND_SECONDS, lambda: ask(address)[0] == 200)


def rack(title: str) -> Item:
    members = (Member(identifier="bound", label={"en": ("A volume",)}),)
    return ObjectCollection(identifier="rack", label={"en": (title,)}, members=members)


def test_pages_of_many_images_and_of_members_follow_by_events(
    running: "Service", tmp_path: Path
) -> None:
    """A record names one image more than are written with it, of which one is published."""
    at = running.addresses
    cloud = AwsAccess(at.emulator_url, at.region, dummy_credentials=True)
    outputs = stack_outputs(cloud.client("cloudformation"), f"vitrine-{at.stage}-store")
    site = S3ObjectStore(cloud.client("s3"), outputs["SiteBucketName"])

    def says(key: str, text: str) -> bool:
        try:
            return text in site.get(key)[0].decode()
        except ObjectMissing:
            return False

    draw(tmp_path / "bound-1.tif", 8)
    assert running.run("ingest", tmp_path / "bound-1.tif").returncode == 0
    # After that, nothing but the event of its object brings this page up to date.
    until(FOUND_SECONDS, lambda: says("objects/bound-1", "bound-1"))
    images = (f"bound-{number}" for number in range(1, MAX_LEADING + 2))
    volume = tuple(Canvas(image=image) for image in images)
    put(running, tmp_path, rack("A rack"), book("bound", canvases=volume, part_of=("rack",)))
    until(FOUND_SECONDS, lambda: says("objects/bound-1", "#image-bound-1"))
    assert says("objects/bound", "A rack")
    put(running, tmp_path, rack("Another rack"))
    until(FOUND_SECONDS, lambda: says("objects/bound", "Another rack"))


def test_a_file_with_faults_names_them_and_the_rest_is_published(
    running: "Service", tmp_path: Path
) -> None:
    path = tmp_path / "objects.json"
    good = msgspec.to_builtins(book("good", canvases=(Canvas(image=IMAGES[0]),)))
    bad = [{"type": "object", "identifier": "bad"}, {**good, "rights": "free"}, {"type": "statue"}]
    path.write_text(json.dumps([*bad, good]))
    done = running.run("object", "put", path)
    assert done.returncode == 1
    assert "record 1: Object missing required field `label`" in done.stderr
    assert 'rights: "free" is no licence of Creative Commons' in done.stderr
    assert "record 3: Invalid value 'statue' - at `$.type`" in done.stderr
    assert "good: published, http" in done.stdout


def test_the_edge_follows_within_its_bound(running: "Service") -> None:
    """After all of the above: what it had kept of the two is dropped."""
    edge = running.addresses.edge_url
    until(EDGE_SECONDS, lambda: ask(edge + CODEX)[0] == 410)
    until(EDGE_SECONDS, lambda: len(ask(edge + LEAVES)[1]["items"]) == 2)


def test_harvesters_hear_of_all_that_changed(running: "Service") -> None:
    """After all of the above, at the edge, as anybody's harvester reads it."""
    address = f"{running.addresses.edge_url}/discovery/changes.json"

    def harvested() -> dict[str, Any]:
        done = running.run("discovery", "check", address, "--private-too", "--json")
        report: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
        return report

    def is_harvested() -> bool:
        report = harvested()
        # Other tests of this service withdraw objects and describe them again, which is noted.
        errors = [found for found in report.get("findings", ()) if found["is_error"]]
        types = report.get("types", {}).keys()
        return types >= {"Create", "Update", "Move", "Delete"} and not errors

    until(EDGE_SECONDS, is_harvested)
    assert harvested()["level"] == 2
