"""`vitrine collection import`: who may see an image is settled before it is there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.unit.cli.memory_service import memory_migration, memory_service
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.records import Live

Run = Callable[..., Result]


@pytest.fixture
def export(run: Run, publisher: Publisher, picture: Path, tmp_path: Path) -> Path:
    """The export of a closed image, an open one, and a closed name that waits."""
    for identifier in ("closed", "open"):
        assert run("ingest", picture, "--identifier", identifier).exit_code == 0
        picture.write_bytes(picture.read_bytes() + b" ")
        picture = picture.rename(picture.with_name("other.tif"))
    for identifier in ("closed", "waiting"):
        assert run("access", "image", identifier, "closed").exit_code == 0
    result = run("collection", "export", tmp_path / "export")
    assert result.exit_code == 0, result.output
    return tmp_path / "export"


@pytest.fixture
def other(export: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Deployment:
    """An empty service, which the commands now reach."""
    service = memory_service()
    migration = memory_migration(service)
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path / "kept"))
    monkeypatch.setattr("vitrine.cli.console.environment.deployment", lambda environment: service)
    monkeypatch.setattr("vitrine.cli.masters.migrate.migration_services", lambda _: migration)
    return service


def test_a_closed_image_is_never_open_in_the_service_that_takes_it_over(
    run: Run, export: Path, other: Deployment
) -> None:
    result = run("collection", "import", export)
    assert result.exit_code == 0, result.output
    assert "2 rules of access were set" in result.stdout
    history = other.register.journal.history
    assert {record.access for record in history("closed")} == {"closed"}
    assert {record.access for record in history("waiting")} == {"closed"}
    assert {record.access for record in history("open")} == {""}
    assert [type(other.identifiers.get(name)) for name in ("closed", "open")] == [Live, Live]


def test_the_same_import_again_sets_no_rule(run: Run, export: Path, other: Deployment) -> None:
    for sentence in ("2 rules of access were set", "0 rules of access were set"):
        assert sentence in run("collection", "import", export).stdout


def test_an_export_without_its_list_of_rules_publishes_nothing(
    run: Run, export: Path, other: Deployment
) -> None:
    (export / "data" / "identifiers.jsonl").unlink()
    result = run("collection", "import", export)
    assert result.exit_code == 1
    assert "nothing was published" in result.output
    assert other.identifiers.get("open") is None
