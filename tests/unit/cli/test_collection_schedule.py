"""`vitrine collection schedule`: what this machine updates by itself, and how that went."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.local.schedules import SCHEDULES, note_run, read_schedules
from vitrine.sources.updates.schedule import WAITS
from vitrine.sources.updates.schedule import UpdateRun as Update
from vitrine.sources.updates.scheduled import note_newest_run
from vitrine.store.layout import harvest_key

RULES = """
[collection]
identifier = "books"
label = "Books"
[source]
kind = "iiif"
address = "https://library.example/top"
table = "manifests"
"""
REFERRED = RULES + 'images = "reference"\n'


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "service"))
    path = tmp_path / "collection.toml"
    path.write_text(RULES)
    return path


def test_a_collection_goes_on_the_schedule_and_off_again(
    run_program: Run, rules: Path, tmp_path: Path
) -> None:
    result = run_program("collection", "schedule", rules, "--every", "24")
    assert (result.exit_code, result.stdout) == (0, f"{rules}: every 24 hours; not updated yet\n")
    run_program("collection", "schedule", rules, "--every", "6", "--private-too")
    [listed] = json.loads(run_program("collection", "schedule", "--json").stdout)
    assert (listed["hours"], listed["private_too"], listed["begun"]) == (6, True, None)
    result = run_program("collection", "schedule", rules, "--never")
    assert (result.exit_code, result.stdout[:26]) == (0, "Nothing is on the schedule")
    assert read_schedules(tmp_path / "service") == {}


def test_the_list_says_how_the_newest_update_ended(
    run_program: Run, rules: Path, tmp_path: Path
) -> None:
    run_program("collection", "schedule", rules, "--every", "24")
    begun = "2026-11-24T01:00:00.000Z"
    note_run(tmp_path / "service", str(rules), Update(begun=begun))
    result = run_program("collection", "schedule")
    assert (result.exit_code, f"an update began {begun}" in result.stdout) == (0, True)
    failed = Update(begun=begun, exit_code=2, said="vitrine: it is gone\x1b[2J")
    note_run(tmp_path / "service", str(rules), failed)
    result = run_program("collection", "schedule")
    assert result.exit_code == 1
    assert "exit code 2 (vitrine: it is gone" in result.stdout
    assert "\x1b" not in result.stdout
    assert result.stdout.rstrip().endswith("again 2026-11-25T01:00:00.000Z")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "Say either how often (--every HOURS) or --never."),
        (("--every", "3", "--never"), "Say either how often"),
        (("--never",), "is on no schedule."),
        (("--every", "0"), "greater than or equal to 1"),
        (("--every", "9000"), "less than or equal to 8784"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(
    run_program: Run, rules: Path, options: tuple[str, ...], sentence: str
) -> None:
    result = run_program("collection", "schedule", rules, *options)
    assert (result.exit_code, sentence in result.stderr) == (2, True), result.stderr


def test_a_file_that_cannot_be_harvested_is_not_scheduled(
    run_program: Run, rules: Path, tmp_path: Path
) -> None:
    rules.write_text(RULES.replace('kind = "iiif"', ""))
    assert run_program("collection", "schedule", rules, "--every", "24").exit_code == 2
    missing = run_program("collection", "schedule", tmp_path / "no.toml", "--every", "24")
    assert missing.exit_code == 2
    assert read_schedules(tmp_path / "service") == {}


def test_damaged_schedules_are_a_sentence(run_program: Run, rules: Path, tmp_path: Path) -> None:
    (tmp_path / "service").mkdir()
    (tmp_path / "service" / SCHEDULES).write_text("[{")
    result = run_program("collection", "schedule")
    assert (result.exit_code, "is damaged: remove it" in result.stderr) == (2, True)


def test_an_environment_updates_by_itself_what_needs_no_folder(
    run_program: Run, service: Deployment, rules: Path, tmp_path: Path
) -> None:
    rules.write_text(REFERRED)
    result = run_program("collection", "schedule", rules, "--every", "24", "-e", "prod")
    assert (result.exit_code, result.stdout) == (0, f"books: every 24 hours; {WAITS}\n")
    stored, _ = service.records.get(harvest_key("books", "collection.toml"))
    assert tomllib.loads(stored.decode()) == {
        "collection": {"identifier": "books", "label": "Books"},
        "source": {
            "kind": "iiif",
            "address": "https://library.example/top",
            "table": "table",
            "images": "reference",
        },
    }
    assert read_schedules(tmp_path / "service") == {}
    note_newest_run(service.records, "books", Update(begun="2026-11-24T01:00:00Z", exit_code=1))
    assert run_program("collection", "schedule", "-e", "prod").exit_code == 1
    result = run_program("collection", "schedule", rules, "--never", "-e", "prod")
    assert (result.exit_code, "Nothing is on the schedule" in result.stdout) == (0, True)


def test_on_this_machine_both_kinds_are_one_list(run_program: Run, rules: Path) -> None:
    run_program("collection", "schedule", rules, "--every", "24")
    other = rules.with_name("other.toml")
    other.write_text(REFERRED)
    run_program("collection", "schedule", other, "--every", "6", "--private-too")
    listed = json.loads(run_program("collection", "schedule", "--json").stdout)
    assert [(one["rules"], one["hours"]) for one in listed] == [("books", 6), (str(rules), 24)]


def test_no_environment_on_aws_reaches_a_folder_of_this_machine(
    run_program: Run, rules: Path
) -> None:
    result = run_program("collection", "schedule", rules, "--every", "24", "-e", "prod")
    assert (result.exit_code, "let a timer of this machine run" in result.stderr) == (2, True)
    rules.write_text(REFERRED)
    options = ("--every", "24", "--private-too", "-e", "prod")
    result = run_program("collection", "schedule", rules, *options)
    assert (result.exit_code, "asks no server on a private network" in result.stderr) == (2, True)


def test_the_reports_of_an_environment_are_listed(
    run_program: Run, service: Deployment, rules: Path
) -> None:
    rules.write_text(REFERRED)
    result = run_program("collection", "harvests", rules, "-e", "prod")
    assert (result.exit_code, "There was no harvest yet" in result.stdout) == (1, True)
    line = '{"at": "2026-11-24T01:00:00Z", "counts": {"new": 3}, "published": {"made": 3}}\n'
    key = harvest_key("books", "harvest.log")
    service.records.put(key, line.encode(), content_type="application/x-ndjson")
    result = run_program("collection", "harvests", rules, "-e", "prod")
    assert (result.exit_code, "3 new; objects: 3 published" in result.stdout) == (0, True)


def test_who_may_see_its_images_is_set_by_the_timer_of_a_machine_alone(
    run_program: Run, rules: Path, tmp_path: Path
) -> None:
    says = ('label = "Books"', 'label = "Books"\naccess = "staff"')
    rules.write_text(REFERRED.replace(*says))
    for environment in ("local", "prod"):
        result = run_program("collection", "schedule", rules, "--every", "24", "-e", environment)
        assert (result.exit_code, "says who may see its images" in result.stderr) == (2, True)
    assert read_schedules(tmp_path / "service") == {}
    rules.write_text(RULES.replace(*says))
    result = run_program("collection", "schedule", rules, "--every", "24")
    assert (result.exit_code, result.stdout) == (0, f"{rules}: every 24 hours; not updated yet\n")
