"""The command line over a deployment in memory whose pipeline runs at every upload."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile
from typer.testing import CliRunner, Result

from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli import build_app
from vitrine.ingest.inspect.limits import Limits
from vitrine.ingest.repair.dead_letters import Worker
from vitrine.ports import ObjectInfo

Run = Callable[..., Result]


class Masters(MemoryObjectStore):
    """Every upload is ingested before it returns."""

    services: MemoryIngestServices

    def upload(self, path: Path, key: str, **options: Any) -> ObjectInfo:
        info = super().upload(path, key, **options)
        self.services.ingest(key)
        return info

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        info = super().copy_in_place(key, metadata, if_etag=if_etag)
        self.services.ingest(key)
        return info


@pytest.fixture
def service() -> Deployment:
    """A service in memory at made-up addresses."""
    masters = Masters()
    masters.services = MemoryIngestServices(
        masters=masters,
        limits=Limits(pixels=1_000_000, bytes=1_000_000),
    )
    return Deployment(
        environment="local",
        edge_url="http://edge",
        origin_url="http://origin",
        masters=masters,
        site=MemoryObjectStore(),
        records=masters.services.records,
        identifiers=masters.services.identifiers,
        events=masters.services.events,
        outcomes=masters.services.outcomes,
        uploads=MemoryQueue(),
        failures=masters.services.failures,
        dead_letters=MemoryQueue(),
        workers=(Worker(name="UpdateGallery", queue=MemoryQueue(), dead_letters=MemoryQueue()),),
    )


@pytest.fixture
def run(service: Deployment, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `vitrine` with these arguments against `service`."""
    monkeypatch.setattr("vitrine.cli.environment.deployment", lambda environment: service)

    def call(*arguments: str | Path) -> Result:
        return CliRunner().invoke(build_app(), [str(argument) for argument in arguments])

    return call


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """`nacht wache.tif`, 300 x 200 pixels."""
    path = tmp_path / "nacht wache.tif"
    pyvips.Image.xyz(300, 200).cast("uchar").extract_band(0).tiffsave(str(path))
    return path


@pytest.fixture
def selection(tmp_path: Path) -> Path:
    """`selection.tif`: an image with a saved selection, which is not converted."""
    path = tmp_path / "selection.tif"
    pixels = np.zeros((20, 30, 4), "u1")
    tifffile.imwrite(path, pixels, photometric="rgb", extrasamples=["unspecified"])
    return path


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    """A text file called letter.tif."""
    path = tmp_path / "letter.tif"
    path.write_text("Dear colleague")
    return path


@pytest.fixture
def read_json(run: Run) -> Callable[..., Any]:
    """The JSON document that a command prints, and nothing but it."""
    return lambda *arguments: json.loads(run(*arguments, "--json").stdout)
