"""Old access masters get checksums while their tiles are asked for, and after a kill, too."""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import pyvips

from tests.integration.local.machines import VITRINE, draw
from tests.unit.deliver.pyramids.open_rig import record_of
from vitrine.bootstrap.deployed_services import migration_services
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.ingest.services import IngestServices
from vitrine.records import Live
from vitrine.store.layout import access_master_key
from vitrine.store.tiff.checksums import has_seal

if TYPE_CHECKING:
    from conftest import Service

SIDE = 1500
NAMES = tuple(f"sealed-{number}" for number in range(12))
ASKING = 3
PIECE = 256
SECONDS = 300


@dataclass
class Traffic:
    """Clients that ask the gateway for all tiles of all images, again and again."""

    origin: str
    expected: dict[str, bytes]
    answered: int = 0
    wrong: list[str] = field(default_factory=list)

    def ask(self, path: str) -> bytes:
        """Return one answer, of a connection of its own."""
        place = urlsplit(self.origin)
        connection = HTTPConnection(place.hostname or "", place.port, timeout=60)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, (path, answer.status, body[:200])
            return body
        finally:
            connection.close()

    @contextmanager
    def flowing(self) -> Iterator[None]:
        """Ask while the block runs."""
        ended = threading.Event()
        clients = [
            threading.Thread(target=self._ask_all, args=(ended, first)) for first in range(ASKING)
        ]
        for client in clients:
            client.start()
        try:
            yield
        finally:
            ended.set()
            for client in clients:
                client.join()

    def _ask_all(self, ended: threading.Event, first: int) -> None:
        paths = list(self.expected)
        while not ended.is_set():
            for path in paths[first::ASKING]:
                try:
                    if self.ask(path) != self.expected[path]:
                        self.wrong.append(f"{path}: other bytes")
                except (AssertionError, OSError) as error:
                    self.wrong.append(f"{path}: {error}")
                self.answered += 1
            first = (first + 1) % ASKING


def tile_paths(name: str) -> list[str]:
    """All tiles of full resolution, and one that is rendered."""
    starts = range(0, SIDE, PIECE)
    found = [f"/iiif/3/{name}/full/!200,200/0/default.jpg"]
    for left in starts:
        for top in starts:
            width, height = min(PIECE, SIDE - left), min(PIECE, SIDE - top)
            found.append(
                f"/iiif/3/{name}/{left},{top},{width},{height}/{width},{height}/0/default.jpg"
            )
    return found


@pytest.fixture
def services(service: "Service", monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> IngestServices:
    """What wires the running service, whose images have access masters of the first edition."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, service.environment[DIRECTORY_VARIABLE])
    for seed, name in enumerate(NAMES):
        draw(tmp_path / f"{name}.tif", seed, SIDE)
    done = service.run("ingest", *(tmp_path / f"{name}.tif" for name in NAMES))
    assert done.returncode == 0, done.stdout + done.stderr
    found = migration_services().ingest
    for name in NAMES:
        make_old(found, name, tmp_path / f"{name}.tif")
    return found


def live(services: IngestServices, name: str) -> Live:
    record = services.identifiers.get(name)
    assert isinstance(record, Live)
    return record


def make_old(services: IngestServices, name: str, master: Path) -> None:
    """Give an image an access master as libvips writes it, as if it had been published with it."""
    image = live(services, name)
    body = bytes(
        pyvips.Image.new_from_file(str(master)).tiffsave_buffer(
            compression="jpeg", Q=85, tile=True, tile_width=256, tile_height=256, pyramid=True
        )
    )
    key = access_master_key(name, "0" * 16)
    services.access_masters.put(key, body, content_type="image/tiff")
    fields = ("levels", "tile_width", "tile_height", "access_master_bytes")
    made = record_of(body)
    changes: dict[str, Any] = {field: getattr(made, field) for field in fields}
    services.register.change(name, lambda record: replace(image, access_master_key=key, **changes))


def copies(services: IngestServices) -> set[str]:
    """Images that are served from a sealed copy."""
    keys = {name: live(services, name).access_master_key for name in NAMES}
    return {name for name, key in keys.items() if key.endswith("-sealed.tif")}


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def seal_and_kill(service: "Service", services: IngestServices) -> None:
    """Begin to seal, and end it by SIGKILL when the first image has its copy."""
    running = subprocess.Popen(
        [VITRINE, "masters", "seal", "--at-once", "2"],
        env=service.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: bool(copies(services)) or running.poll() is not None)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL


def is_kept(service: "Service", services: IngestServices, name: str) -> bool:
    """True if a gateway has read the sealed copy of an image: its file has the object's name."""
    key = live(services, name).access_master_key
    etag = services.access_masters.head(key).etag
    digest = sha256(f"{key}\0{etag}".encode()).hexdigest()[:32]
    return any(Path(service.environment[DIRECTORY_VARIABLE]).rglob(f"{digest}-*.tif"))


def test_tiles_are_right_throughout_and_a_killed_run_is_continued(
    service: "Service", services: IngestServices, tmp_path: Path
) -> None:
    traffic = Traffic(service.addresses.origin_url, {})
    for name in NAMES:
        traffic.expected |= {path: traffic.ask(path) for path in tile_paths(name)}
    before = {name: live(services, name) for name in NAMES}
    with traffic.flowing():
        seal_and_kill(service, services)
        first = copies(services)
        assert 0 < len(first) < len(NAMES)
        count = traffic.answered
        # Some images have a copy now and others have none: all are asked for meanwhile.
        until(lambda: traffic.answered > count + len(traffic.expected))
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        done = service.run("masters", "seal", "--json", "--scratch", scratch)
        assert done.returncode == 0, done.stdout + done.stderr
        report = json.loads(done.stdout)
        assert report["made"] == report["unsealed"] == len(NAMES) - len(first)
        assert list(scratch.iterdir()) == []
        until(lambda: all(is_kept(service, services, name) for name in NAMES))
        count = traffic.answered
        until(lambda: traffic.answered > count + len(traffic.expected))
    assert traffic.wrong == []
    assert traffic.answered > 4 * len(traffic.expected)
    for name, image in before.items():
        now = live(services, name)
        assert (now.version, now.published_at) == (image.version, image.published_at)
        assert has_seal(services.access_masters.read(now.access_master_key, 0, 64).data)
        # The old edition lies next to it until it expires.
        assert not has_seal(services.access_masters.read(image.access_master_key, 0, 64).data)
    again = json.loads(service.run("masters", "seal", "--json").stdout)
    assert (again["unsealed"], again["made"], again["reasons"]) == (0, 0, {})
