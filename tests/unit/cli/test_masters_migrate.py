"""`vitrine masters migrate`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from vitrine.adapters.memory.foreign_objects import MemoryForeignObjects
from vitrine.bootstrap.deployment import Deployment
from vitrine.migrate.services import MigrationServices

Run = Callable[..., Result]


@pytest.fixture
def migrate(run: Run, service: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`vitrine masters migrate` against `service`, whose plans are kept apart."""
    masters: Any = service.masters
    services = MigrationServices(
        ingest=masters.services,
        masters_bucket="masters",
        foreign=MemoryForeignObjects(masters),
        region="us-east-1",
    )
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path / "kept"))
    monkeypatch.setattr(
        "vitrine.cli.masters.migrate.migration_services", lambda environment: services
    )
    return lambda *arguments: run("masters", "migrate", *arguments)


@pytest.fixture
def manifest(picture: Path, letter: Path) -> Path:
    """One good row, one letter, one that is missing."""
    path = picture.parent / "manifest.csv"
    path.write_text(
        f"source,identifier,title\n{picture.name},NW,Nacht\n{letter.name},L,\nno.tif,,\n"
    )
    return path


def test_it_reports_the_result_of_every_row(migrate: Run, manifest: Path, tmp_path: Path) -> None:
    page, report = tmp_path / "r.html", tmp_path / "r.json"
    result = migrate(manifest, "--tolerate", "70%", "--report", page, "--report-json", report)
    assert result.exit_code == 0, result.output
    assert (
        "3 rows: 1 published, 0 unchanged, 0 withdrawn, 1 rejected, 1 missing, 0 failed"
        in result.stdout
    )
    assert "line 3: letter.tif" in result.stdout
    summary = json.loads(report.read_text())
    assert {reason["code"] for reason in summary["unsuccessful"]} == {
        "not-an-image",
        "source-missing",
    }
    assert "1 of 3 can be viewed" in page.read_text()


def test_again_everything_is_unchanged(migrate: Run, manifest: Path) -> None:
    migrate(manifest, "--tolerate", "70")
    summary = json.loads(migrate(manifest, "--tolerate", "70", "--json").stdout)
    assert (summary["counts"]["published"], summary["counts"]["unchanged"]) == (0, 1)


def test_more_than_tolerated_is_exit_code_1(migrate: Run, manifest: Path) -> None:
    result = migrate(manifest)
    assert result.exit_code == 1
    assert "More rows were rejected, missing or failed than --tolerate allows." in result.stdout


def test_a_dry_run_tells_and_touches_nothing(
    migrate: Run, manifest: Path, service: Deployment
) -> None:
    result = migrate(manifest, "--dry-run")
    assert result.exit_code == 1
    assert (
        "3 rows: 2 would be migrated, 0 unchanged, 0 withdrawn, 0 rejected, 1 missing"
        in result.stdout
    )
    assert service.identifiers.newest(9) == []
    manifest.write_text("source\nnacht wache.tif\n")
    assert migrate(manifest, "--dry-run").exit_code == 0


def test_a_dry_run_says_what_it_would_take(migrate: Run, picture: Path) -> None:
    (picture.parent / "m.csv").write_text(f"source,identifier\n{picture.name},NW\n")
    result = migrate(picture.parent / "m.csv", "--dry-run")
    assert result.exit_code == 0
    assert "MB of masters, 0.1 megapixels, will be about" in result.stdout, result.stdout
    assert "hours of one converter" in result.stdout
    assert "On AWS about less than a cent once" in result.stdout


def test_a_collection_is_priced_before_anything_is_sent(
    migrate: Run, run: Run, service: Deployment, picture: Path
) -> None:
    folder = picture.parent
    (folder / "t.csv").write_text(f"Number,Title,File\nM-1,A picture,{picture.name}\n")
    run("collection", "init", folder, "--table", "t.csv")
    result = run("collection", "publish", folder / "collection.toml", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "1 objects would be published" in result.stdout
    assert "1 rows: 1 would be migrated" in result.stdout
    assert "On AWS about" in result.stdout
    assert service.masters.list_keys().entries == []


def test_a_dry_run_knows_what_is_taken_and_what_is_there(
    migrate: Run, run: Run, manifest: Path, picture: Path, selection: Path
) -> None:
    run("ingest", picture, "--identifier", "NW")
    masters = f"source,identifier\ns3://masters/{picture.name},NW\n{selection.name},NW2\n"
    manifest.write_text(masters)
    summary = json.loads(migrate(manifest, "--dry-run", "--json").stdout)
    assert (summary["counts"]["unchanged"], summary["counts"]["waiting"]) == (1, 1)
    manifest.write_text(f"source,identifier\n{selection.name},NW\n")
    summary = json.loads(migrate(manifest, "--dry-run", "--json").stdout)
    assert [reason["code"] for reason in summary["unsuccessful"]] == ["identifier-taken"]


def test_a_folder_and_a_prefix_need_no_manifest(
    migrate: Run, picture: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    picture.rename(folder / "a.tif")
    assert "1 published" in migrate(folder).stdout
    assert "1 unchanged" in migrate("--prefix", "a").stdout
    nothing = migrate("--prefix", "b")
    assert nothing.exit_code == 2
    assert "There is nothing to migrate" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Name either a MANIFEST or FOLDER"),
        (("m.csv", "--prefix", "a"), "Name either a MANIFEST or FOLDER"),
        (("nowhere.csv",), "no file or folder nowhere.csv"),
        (("--prefix", "a", "--tolerate", "lots"), "not a percentage"),
        (("--prefix", "a", "--report", "/nowhere/r.html"), "no folder"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    migrate: Run, arguments: tuple[str, ...], sentence: str
) -> None:
    result = migrate(*arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_manifest_that_cannot_be_used_is_exit_code_2(migrate: Run, manifest: Path) -> None:
    manifest.write_text("file,title\na.tif,x\n")
    result = migrate(manifest)
    assert result.exit_code == 2
    assert "no column `source`" in result.stderr


def test_a_folder_whose_files_a_manifest_migrated_under_other_keys_is_refused(
    migrate: Run, picture: Path
) -> None:
    scans = picture.parent / "scans"
    scans.mkdir()
    picture.rename(scans / picture.name)
    manifest = picture.parent / "manifest.csv"
    manifest.write_text(f"source,identifier\nscans/{picture.name},NW\n")
    assert migrate(manifest).exit_code == 0
    for options in (["--dry-run"], []):
        refused = migrate(scans, *options)
        assert refused.exit_code == 2, refused.output
        assert "1 of these files were migrated before, from" in refused.stderr
        assert f"under other keys such as scans/{picture.name}" in refused.stderr
    assert migrate(manifest).exit_code == 0, "the manifest itself goes on"


def test_a_folder_says_what_it_passed_over(migrate: Run, picture: Path) -> None:
    scans = picture.parent / "scans"
    scans.mkdir()
    picture.rename(scans / picture.name)
    (scans / "Thumbs.db").touch()
    result = migrate(scans)
    assert result.exit_code == 0, result.output
    assert "skipped 1 file that is no image: Thumbs.db" in result.output


def test_a_small_cost_is_said_in_words(migrate: Run, manifest: Path) -> None:
    result = migrate(manifest, "--tolerate", "70")
    assert "On AWS about less than a cent once, and less than a cent a month" in result.stdout
