"""`vitrine collection harvest`: from a repository's address to rows that can be checked."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.sources.harvest.oai_server import OaiServer, oai_server

RULES = """
[collection]
identifier = "plates"
label = "Plates"
[source]
kind = "oai-pmh"
address = "{address}"
table = "records"
[object]
identifier = "{{header/identifier}}"
label = "{{//title}}"
image = "{{//title}}"
"""


@pytest.fixture
def server() -> Iterator[OaiServer]:
    with oai_server(OaiServer({"M-1": ("one", "2026-11-01"), "M-2": ("two", "2026-11-01")})) as it:
        yield it


@pytest.fixture
def rules(server: OaiServer, tmp_path: Path) -> Path:
    for name in ("one.tif", "two.tif"):
        (tmp_path / name).touch()
    path = tmp_path / "collection.toml"
    path.write_text(RULES.format(address=server.address))
    return path


def test_records_are_fetched_and_can_be_checked(run_program: Run, rules: Path) -> None:
    result = run_program("collection", "harvest", str(rules), "--private-too")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.split(": ")[1] == ("2 new records, 0 changed, 0 unchanged, 0 deleted\n")
    checked = run_program("collection", "check", str(rules))
    assert checked.stdout.startswith("2 objects of 2 pages; 2 image files are there")
    again = run_program("collection", "harvest", str(rules), "--private-too", "--json")
    assert not any(json.loads(again.stdout).values())


def test_a_repository_on_this_machine_needs_leave(
    run_program: Run, rules: Path, server: OaiServer
) -> None:
    result = run_program("collection", "harvest", str(rules))
    assert result.exit_code == 2
    assert "add --private-too" in result.stderr
    assert server.requests == []


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('kind = "oai-pmh"', "", "source.address: needs source.kind: 'oai-pmh' or 'iiif'"),
        ('"oai-pmh"', '"ftp"', "'ftp' is neither 'oai-pmh' nor 'iiif'"),
        ('"records"', '"records.csv"', "records.csv has to be a folder"),
        ('/oai"', '/oai?verb=Identify"', "is that of the repository, without"),
        ("http://", "ftp://", "source.address: begins with https:// or http://"),
    ],
)
def test_rules_that_cannot_be_harvested_say_why(
    run_program: Run, rules: Path, before: str, after: str, sentence: str
) -> None:
    rules.write_text(rules.read_text().replace(before, after))
    result = run_program("collection", "harvest", str(rules))
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_repository_that_fails_harms_nothing(
    run_program: Run, rules: Path, server: OaiServer
) -> None:
    run_program("collection", "harvest", str(rules), "--private-too")
    server.trouble = lambda question: (200, {}, b"<html/>")
    result = run_program("collection", "harvest", str(rules), "--private-too")
    assert result.exit_code == 2
    assert "is no OAI-PMH repository: it answers something else. What was fetched" in result.stderr
    assert len(list((rules.parent / "records").glob("*.xml"))) == 2


def test_before_the_first_harvest_check_says_what_to_do(run_program: Run, rules: Path) -> None:
    result = run_program("collection", "check", str(rules))
    assert result.exit_code == 2
    assert "records yet: fetch its records with `vitrine collection harvest`" in result.stderr
