"""The command line over a deployment in memory whose pipeline runs at every upload."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile
from typer.testing import CliRunner, Result

from tests.unit.cli.memory_service import api_client, memory_service
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.cli import build_app
from vitrine.cli.console import program
from vitrine.cli.status.work import Work
from vitrine.export.services import ExportServices
from vitrine.iiif.size import Limits
from vitrine.local.health import ServicePart

Run = Callable[..., Result]


@pytest.fixture
def service() -> Deployment:
    """A service in memory at made-up addresses."""
    return memory_service()


@pytest.fixture(autouse=True)
def publisher(service: Deployment, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    """What publishes the objects of the service."""
    made = Publisher(
        site=service.site,
        records=service.records,
        catalogue=Catalogue(MemoryCatalogueTable(), objects_journal(service.records)),
        identifiers=service.identifiers,
        events=service.events,
        presentation=Presentation(base="http://edge", limits=Limits(area=25_000_000)),
    )
    for module in (
        *("objects.group", "objects.ocr", "access.collection", "access.image", "image.curate"),
        *("collection.publish", "collection.import_export"),
    ):
        monkeypatch.setattr(f"vitrine.cli.{module}.deployed_publisher", lambda environment: made)
    for module in ("curation", "day_figures"):
        name = f"vitrine.bootstrap.{module}.deployed_publisher"
        monkeypatch.setattr(name, lambda environment: made)
    # Who runs a command here may change everything, and there is no API.
    monkeypatch.setattr("vitrine.cli.collection.publish.table_client", lambda *_, **__: None)
    monkeypatch.setattr("vitrine.bootstrap.curation.api_of_curators", lambda environment: None)
    masters: Any = service.masters
    exported = ExportServices(
        masters=masters,
        access_masters=masters.services.access_masters,
        records=service.records,
        site=service.site,
        identifiers=service.identifiers,
        catalogue=made.catalogue,
        presentation=made.presentation,
        render=lambda path: b"",
    )
    monkeypatch.setattr(
        "vitrine.cli.collection.export.deployed_export_services", lambda environment: exported
    )
    return made


@pytest.fixture(params=["by their own rights", "by the API"])
def curated(
    request: pytest.FixtureRequest,
    service: Deployment,
    publisher: Publisher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Commands of curators change the service in both ways."""
    if request.param == "by the API":
        api = api_client(service, publisher, department=("*",))
        monkeypatch.setattr("vitrine.bootstrap.curation.api_of_curators", lambda environment: api)


@pytest.fixture(autouse=True)
def health(monkeypatch: pytest.MonkeyPatch) -> list[ServicePart]:
    """The parts of the service; a test may replace them."""
    parts = [ServicePart(name="gateway"), ServicePart(name="disk", detail="7.0 GB free")]
    monkeypatch.setattr("vitrine.cli.status.health.check_health", lambda *_: list(parts))
    return parts


@pytest.fixture(autouse=True)
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """The work of the service's programs; a test may fill it."""
    done: Work = {"programs": [], "minutes": []}
    monkeypatch.setattr("vitrine.cli.status.report.read_work", lambda _: done)
    return done


@pytest.fixture
def run(service: Deployment, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `vitrine` with these arguments against `service`."""
    monkeypatch.setattr("vitrine.cli.console.environment.deployment", lambda environment: service)
    monkeypatch.setattr("vitrine.cli.access.rights.has_access_services", lambda environment: True)

    def call(*arguments: str | Path) -> Result:
        words = [str(argument) for argument in arguments]
        return CliRunner().invoke(build_app(words), words)

    return call


@dataclass(frozen=True)
class Ended:
    """What a program printed, and its exit code."""

    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def run_program(
    run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Run `vitrine` as its script does, errors included; an exception is not caught."""

    def call(*arguments: str | Path) -> Ended:
        words = [str(argument) for argument in arguments]
        with pytest.raises(SystemExit) as ended:
            program.run_program(build_app(words), words)
        printed = capfd.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, printed.out, printed.err)

    monkeypatch.setattr("signal.signal", lambda *_: None)
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
