"""What the edge shows of images that change: the old for a bounded time, then never again."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.integration.local.machines import SIDE, draw
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.bootstrap.deployment import Deployment, deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.records import Redirect
from vitrine.store.clock import now
from vitrine.store.layout import cache_tag, manifest_tag

if TYPE_CHECKING:
    from conftest import Service

ADDRESSES = (
    "info.json",
    "0,0,256,256/256,256/0/default.jpg",
    "512,512,188,188/188,188/0/default.jpg",  # larger than what a smaller picture has there
    "full/!128,128/0/default.jpg",
    "full/200,200/90/gray.png",
)
LATE = "256,256,256,256/256,256/0/default.jpg"
"""Nobody asks for it before the change."""
VERSIONS = (2, 3)
BOUND_SECONDS = 360
"""A new version's 90 seconds, and what this machine needs to convert a picture."""
AFTERWARDS_SECONDS = 15
REPUBLISHED, MOVED, INVALIDATED = "published again", "moved away", "dropped at once"
TRACE = re.compile(rb',"trace":"[^"]*"')
GONE = "pièce à côté"
"""Identifiers that no address writes as they are."""


class Unfollowed(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other."""

    def redirect_request(self, *_: object) -> None:
        return None


@dataclass
class Seen:
    """What one address answered: status and body or target; and what the edge said of its cache."""

    answers: list[tuple[float, str]] = field(default_factory=list)
    caches: list[str] = field(default_factory=list)

    @property
    def first(self) -> str:
        return self.answers[0][1]

    @property
    def last(self) -> str:
        return self.answers[-1][1]


class Viewers:
    """They ask the edge for the same addresses again and again."""

    def __init__(self, edge_url: str) -> None:
        self._edge_url = edge_url
        self._opener = urllib.request.build_opener(Unfollowed)
        self.seen: dict[str, Seen] = {}

    def look(self, identifier: str, *addresses: str) -> None:
        for version in VERSIONS:
            for address in addresses:
                path = f"/iiif/{version}/{quote(identifier)}/{address}"
                self._ask(path, self.seen.setdefault(path, Seen()))

    def _ask(self, path: str, seen: Seen) -> None:
        try:
            answer = self._opener.open(self._edge_url + path, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            # Each error names its own request.
            same = TRACE.sub(b"", answer.read())
            body = answer.headers["Location"] or sha256(same).hexdigest()
            seen.answers.append((time.monotonic(), f"{answer.status} {body}"))
            seen.caches.append(answer.headers["X-Cache"])

    def of(self, identifier: str) -> dict[str, Seen]:
        return {path: seen for path, seen in self.seen.items() if f"/{quote(identifier)}/" in path}


@pytest.fixture(scope="module")
def running(service: "Service", tmp_path_factory: pytest.TempPathFactory) -> "Service":
    """The tests' service with four pictures more."""
    folder = tmp_path_factory.mktemp("masters")
    files = [folder / f"{name}.tif" for name in (REPUBLISHED, GONE, MOVED, INVALIDATED)]
    for seed, file in enumerate(files):
        draw(file, seed)
    done = service.run("ingest", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    return service


@pytest.fixture
def deployed(running: "Service", monkeypatch: pytest.MonkeyPatch) -> Deployment:
    """Its tables and buckets."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, running.environment[DIRECTORY_VARIABLE])
    return deployment()


@pytest.fixture
def viewers(running: "Service") -> Viewers:
    return Viewers(running.addresses.edge_url)


def republish(deployed: Deployment, folder: Path) -> None:
    """Other pixels, and fewer of them."""
    draw(folder / f"{REPUBLISHED}.tif", 9, side=SIDE - 100)
    name = f"{REPUBLISHED}.tif"
    deployed.masters.upload(folder / name, name, content_type="image/tiff", metadata={})


def withdraw(deployed: Deployment, identifier: str) -> None:
    store = deployed.masters
    assert isinstance(store, S3ObjectStore)
    store._client.delete_object(Bucket=store._bucket, Key=f"{identifier}.tif")


def redirect(deployed: Deployment, identifier: str, target: str) -> None:
    moved = Redirect(identifier=identifier, target=target, changed_at=now())
    deployed.register.change(identifier, lambda current: moved)


def test_after_a_bounded_time_the_edge_shows_the_change_and_never_the_old_again(
    deployed: Deployment, viewers: Viewers, tmp_path: Path
) -> None:
    changed = (REPUBLISHED, GONE, MOVED)
    for _ in range(2):
        for identifier in changed:
            viewers.look(identifier, *ADDRESSES)
    assert {seen.caches[-1] for seen in viewers.seen.values()} == {"HIT"}
    republish(deployed, tmp_path)
    withdraw(deployed, GONE)
    redirect(deployed, MOVED, REPUBLISHED)
    begun = time.monotonic()
    for identifier in changed:
        viewers.look(identifier, LATE)

    def all_new() -> bool:
        for identifier in changed:
            viewers.look(identifier, *ADDRESSES, LATE)
        return all(seen.last != seen.first for seen in viewers.seen.values())

    until(all_new, BOUND_SECONDS)
    print(f"all addresses show the change after {time.monotonic() - begun:.1f} s")
    until(partial(waited, all_new, time.monotonic() + AFTERWARDS_SECONDS), 2 * AFTERWARDS_SECONDS)
    for path, seen in viewers.seen.items():
        shown = [answer for _, answer in seen.answers]
        assert len(set(shown)) == 2, f"{path}: {shown}"
        assert shown == sorted(shown, key=lambda answer, old=seen.first: answer != old), path
    assert {seen.last[:3] for seen in viewers.of(GONE).values()} == {"410"}
    assert {seen.first[:3] for seen in viewers.of(REPUBLISHED).values()} == {"200"}
    assert {seen.last[:3] for seen in viewers.of(REPUBLISHED).values()} == {"200", "400"}
    # The new version is smaller: nobody may put tiles of both together.
    versions = viewers.of(REPUBLISHED).values()
    last_old = max(at for seen in versions for at, answer in seen.answers if answer == seen.first)
    first_new = min(at for seen in versions for at, answer in seen.answers if answer != seen.first)
    assert last_old <= first_new, f"old and new for {last_old - first_new:.1f} s"
    for path, seen in viewers.of(MOVED).items():
        assert seen.last == f"301 {path.replace(quote(MOVED), quote(REPUBLISHED))}"


def waited(look: Callable[[], bool], deadline: float) -> bool:
    assert look(), "an old answer came back"
    return time.monotonic() > deadline


def until(done: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def test_an_image_is_invalidated_by_command(running: "Service", viewers: Viewers) -> None:
    for _ in range(2):
        viewers.look(INVALIDATED, *ADDRESSES)
    result = running.run("edge", "invalidate", INVALIDATED, "--json")
    assert (result.returncode, json.loads(result.stdout)["unknown"]) == (0, [])
    viewers.look(INVALIDATED, *ADDRESSES)
    for path, seen in viewers.seen.items():
        assert seen.caches[1:] == ["HIT", "MISS"], path
        assert seen.last == seen.first
    assert running.run("edge", "invalidate", "--all").returncode == 0
    viewers.look(INVALIDATED, *ADDRESSES)
    assert {seen.caches[-1] for seen in viewers.seen.values()} == {"MISS"}


def test_of_an_environment_on_aws_cloudfront_is_asked(running: "Service") -> None:
    service = running.addresses
    aws = {
        "AWS_ENDPOINT_URL": service.emulator_url,
        "AWS_DEFAULT_REGION": service.region,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    outside = replace(running, environment=running.environment | aws)
    result = outside.run(
        "edge", "invalidate", INVALIDATED, "--environment", service.stage, "--json"
    )
    assert result.returncode == 0, result.stderr
    [made] = json.loads(result.stdout)["invalidations"]
    cloud = AwsAccess(service.emulator_url, service.region, dummy_credentials=True)
    outputs = stack_outputs(cloud.client("cloudformation"), f"vitrine-{service.stage}-edge")
    kept = cloud.client("cloudfront").get_invalidation(
        DistributionId=outputs["DistributionId"], Id=made
    )
    paths = kept["Invalidation"]["InvalidationBatch"]["Paths"]
    assert paths["Items"] == [f"#{cache_tag(INVALIDATED)}", f"#{manifest_tag(INVALIDATED)}"]


def test_a_name_that_nobody_knows_is_said(running: "Service") -> None:
    result = running.run("edge", "invalidate", "by haand")
    assert result.returncode == 1
    assert "by haand: no image has this identifier" in result.stdout
