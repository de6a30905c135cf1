"""`vitrine status` as a stranger meets it."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.rigs.records import MOMENT, outcome
from vitrine.adapters.memory.faults import Breaking
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, NotRunning
from vitrine.cli import build_app
from vitrine.cli.console.record_words import local_time
from vitrine.cli.status.work import Work
from vitrine.local.health import ServicePart
from vitrine.store.clock import now
from vitrine.store.omissions import SEARCH, Omissions

Run = Callable[..., Any]


def test_an_empty_service_shows_its_addresses(run: Run) -> None:
    result = run("status")
    assert result.exit_code == 0
    assert "http://edge/" in result.output
    assert "http://origin/" in result.output
    assert "0 published" in result.output


def test_the_overview_lists_images_and_rejections(run: Run, picture: Path, letter: Path) -> None:
    run("ingest", picture, letter)
    output = run("status").output
    assert "1 published, 1 rejected" in output
    assert "nacht wache  300 x 200 px" in output
    assert "http://edge/iiif/3/nacht%20wache/info.json" in output
    assert "letter.tif: rejected" in output
    assert "The file is not an image" in output


def test_the_overview_as_json_keeps_its_keys(read_json: Run, picture: Path, letter: Path) -> None:
    read_json("ingest", picture, letter)
    report = read_json("status")
    assert list(report) == [
        "environment",
        "health",
        "work",
        "edge_url",
        "origin_url",
        "images",
        "queued",
        "counts",
        "counted_at_most",
        "dead_letters",
        "running",
        "newest",
        "not_published",
        "left_out",
    ]
    assert (report["edge_url"], report["origin_url"]) == ("http://edge", "http://origin")
    ended = {state: count for state, count in report["counts"].items() if count}
    assert ended == {"published": 1, "rejected": 1}
    assert report["newest"][0]["identifier"] == "nacht wache"
    assert report["not_published"][0]["code"] == "not-an-image"


@pytest.mark.parametrize("name", ["nacht wache", "nacht wache.tif"])
def test_an_image_is_found_by_identifier_and_by_master(
    run: Run, read_json: Run, picture: Path, name: str
) -> None:
    run("ingest", picture)
    output = run("status", name).output
    assert "nacht wache: live" in output
    assert "300 x 200 px, 2 levels" in output
    report = read_json("status", name)
    assert report["state"] == "live"
    assert report["image"]["master_key"] == "nacht wache.tif"
    assert report["outcome"]["state"] == "published"


@pytest.mark.parametrize("name", ["letter", "letter.tif"])
def test_a_rejection_is_found_by_identifier_and_by_master(
    run: Run, letter: Path, name: str
) -> None:
    run("ingest", letter)
    result = run("status", name)
    assert result.exit_code == 1
    assert "letter: rejected" in result.output
    assert "The file is not an image" in result.output


def test_a_master_whose_identifier_is_taken_shows_its_own_rejection(
    run: Run, read_json: Run, picture: Path
) -> None:
    other = picture.with_name("other.tif")
    shutil.copy(picture, other)
    run("ingest", picture)
    run("ingest", other, "--identifier", "nacht wache")
    report = read_json("status", "other.tif")
    assert report["image"] is None
    assert report["outcome"]["code"] == "identifier-taken"


def test_an_unknown_identifier_fails(run: Run, read_json: Run) -> None:
    result = run("status", "nobody")
    assert result.exit_code == 1
    assert "nobody: unknown" in result.output
    assert read_json("status", "nobody")["state"] == "unknown"


def test_a_service_that_was_never_started_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))
    result = CliRunner().invoke(build_app(["status"]), ["status"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        "vitrine: The service has not been started on this machine; run `make up` first.\n"
    )


def test_a_service_that_does_not_answer_is_one_line(
    run: Run, service: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = replace(service, outcomes=Breaking(service.outcomes, times=9))
    monkeypatch.setattr("vitrine.cli.console.environment.deployment", lambda environment: broken)
    result = run("status")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "does not answer" in result.stderr


def test_a_missing_stack_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(environment: str) -> Deployment:
        raise NotRunning("The stack vitrine-dev-store is not deployed, or has no name.")

    monkeypatch.setattr("vitrine.cli.console.environment.deployment", absent)
    result = run("status", "--environment", "dev")
    assert result.exit_code == 2
    assert "vitrine-dev-store is not deployed" in result.stderr


def test_uploads_that_wait_are_counted(run: Run, service: Deployment) -> None:
    assert "0 queued, 0 running" in run("status").output
    for number in range(1_234):
        service.uploads.send(str(number))
    assert "1,234 queued, 0 running" in run("status").output


def test_a_count_that_was_not_ended_says_so(
    run: Run, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", picture)
    assert "1 published" in run("status").output
    monkeypatch.setattr("vitrine.cli.status.report.COUNTED", 1)
    assert "1+ published" in run("status").output


def test_failures_and_dead_letters_are_pointed_at(run: Run, service: Deployment) -> None:
    assert "failures list" not in run("status").output
    service.dead_letters.send("an event")
    assert "see `vitrine failures list`" in run("status").output


def test_dead_letters_of_other_workers_are_pointed_at(run: Run, service: Deployment) -> None:
    service.workers[0].dead_letters.send("a message")
    assert "see `vitrine failures list`" in run("status").output


def test_a_part_that_is_not_well_stands_first_and_fails(
    run: Run, health: list[ServicePart]
) -> None:
    assert run("status").output.startswith("Well     gateway, disk (7.0 GB free)\n")
    health[0] = ServicePart(name="gateway", problem="It has ended.")
    result = run("status")
    assert result.output.startswith(
        "NOT WELL gateway: It has ended.\nWell     disk (7.0 GB free)\n"
    )
    assert result.exit_code == 1
    assert json.loads(run("status", "--json").stdout)["health"][0]["problem"] == "It has ended."


def test_without_the_emulator_the_parts_are_shown_all_the_same(
    run: Run, health: list[ServicePart], monkeypatch: pytest.MonkeyPatch
) -> None:
    health += [ServicePart(name="emulator", problem="It has ended.")]
    monkeypatch.delattr("vitrine.cli.console.environment.deployment")
    result = run("status")
    assert result.exit_code == 2
    assert "NOT WELL emulator: It has ended.\nWell     gateway" in result.stdout
    assert "Start what is missing with `make up`" in result.stderr
    assert json.loads(run("status", "--json").stdout)["health"][-1]["name"] == "emulator"


def test_images_are_counted_apart_from_uploads(
    run: Run, read_json: Run, picture: Path, letter: Path
) -> None:
    run("ingest", picture, letter)
    run("redirects", "add", "old", "nacht wache")
    assert read_json("status")["images"] == {"live": 1, "withdrawn": 0, "redirected": 1}
    run("image", "withdraw", "nacht wache", "--reason", "A wish of the estate.")
    output = run("status").output
    assert "Images   0 live, 1 withdrawn, 1 redirected" in output
    assert "Uploads  0 queued, 0 running, 1 published, 1 rejected, 0 failed, 0 deleted" in output


def test_running_masters_without_an_execution_are_shown_with_since_when(
    run: Run, read_json: Run, service: Deployment
) -> None:
    lost = outcome("lost.tif", "running", identifier="lost", execution="0" * 64)
    working = replace(lost, master_key="working.tif", execution="1" * 64)
    fresh = replace(lost, master_key="fresh.tif", changed_at=now())
    for one in (lost, working, fresh):
        service.outcomes.record(one)
    service.pipeline.start(working.execution, {})
    running = {item["master_key"]: item for item in read_json("status")["running"]}
    assert {key: item["stalled"] for key, item in running.items()} == {
        "lost.tif": True,
        "working.tif": False,
        "fresh.tif": False,
    }
    assert running["lost.tif"]["since"] == MOMENT
    assert f"lost.tif since {local_time(MOMENT)}: no execution works on it" in run("status").output


def test_each_program_says_what_it_did(run: Run, work: Work) -> None:
    work["programs"] += [
        {"program": "iipsrv", "did": {"renders": 1_234}, "cpu_seconds": 56.78},
        {"program": "nginx", "did": {"requests": 0}, "cpu_seconds": None},
    ]
    output = run("status").output
    assert "Work     iipsrv: 1,234 renders; 56.8 s of CPU\n" in output
    assert "Work     nginx: 0 requests; it does not run\n" in output


def test_objects_that_are_left_out_are_named_until_they_are_processed(
    run: Run, service: Deployment
) -> None:
    with Omissions(service.site, SEARCH) as omissions:
        omissions.leave_out("letter-7", KeyError("label"))
    result = run("status")
    assert result.exit_code == 1
    assert 'objects: 1 left out, all others are served: "letter-7"' in result.output
    assert "letter-7: of search and facets, since " in result.output
    assert "KeyError: 'label'" in result.output
    with Omissions(service.site, SEARCH) as omissions:
        omissions.note_processed("letter-7")
    assert "left out" not in run("status").output
