"""`vitrine failures` as somebody meets it on a Monday."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from vitrine.bootstrap.deployment import Deployment
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_failure
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.upload_hints import Hint

Run = Callable[..., Any]
TIMEOUT = "States.Timeout"
ERRORS = {"one.tif": "Runtime.ExitError", "two.tif": TIMEOUT, "three.tif": TIMEOUT}


@pytest.fixture
def failed(service: Deployment) -> Deployment:
    """Three masters that failed, for two reasons."""
    services: IngestServices = service.masters.services  # type: ignore[attr-defined]
    for key, error in ERRORS.items():
        request = IngestMaster(
            master_key=key,
            master_version="v1",
            master_etag="",
            master_bytes=1,
            master_modified="2026-11-21T07:00:00.000Z",
            identifier=key.removesuffix(".tif"),
        )
        record_failure(services, request, {"Error": error, "Cause": "why"})
    return service


def hinted(service: Deployment) -> list[str]:
    """Masters that the starter will look at again."""
    bodies: Iterable[str] = service.uploads.messages  # type: ignore[attr-defined]
    return sorted(Hint.from_body(body).master_key for body in bodies)


def test_no_failures_are_nothing_to_do(run: Run) -> None:
    result = run("failures", "list")
    assert (result.exit_code, result.output) == (0, "There is no failure.\n")


def test_failures_are_listed_and_counted_by_code(run: Run, failed: Deployment) -> None:
    result = run("failures", "list")
    assert result.exit_code == 1
    assert "Runtime.ExitError  one.tif" in result.output
    assert "3 failures: 2 States.Timeout, 1 Runtime.ExitError" in result.output
    assert run("failures", "list").output == result.output


def test_failures_of_one_reason_are_listed(run: Run, failed: Deployment) -> None:
    result = run("failures", "list", "--reason", "States.Timeout")
    assert "one.tif" not in result.output
    assert "2 failures: 2 States.Timeout" in result.output


def test_failures_as_json_keep_their_keys(run: Run, failed: Deployment) -> None:
    found = json.loads(run("failures", "list", "--json").stdout)
    assert [list(item) for item in found] == [
        [
            *("master_key", "identifier", "code", "sentence", "value", "failed_at", "execution"),
            *("kept_in", "redrivable", "message_id"),
        ]
    ] * 3


@pytest.mark.parametrize("name", ["one.tif", "one"])
def test_one_failure_is_shown_by_key_or_identifier(run: Run, failed: Deployment, name: str) -> None:
    result = run("failures", "show", name)
    assert result.exit_code == 0
    assert "one.tif: Runtime.ExitError" in result.output
    assert "The Lambda was killed, most likely because its memory was full." in result.output
    assert "found: why" in result.output
    assert "kept in the failures queue" in result.output
    assert "two.tif" not in result.output


def test_a_master_without_a_failure_has_none_to_show(run: Run, failed: Deployment) -> None:
    result = run("failures", "show", "nobody")
    assert (result.exit_code, result.output) == (
        1,
        "nobody: there is no failure of this name; `vitrine failures list` shows all.\n",
    )


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        (["one.tif"], ["one.tif"]),
        (["--reason", "States.Timeout"], ["three.tif", "two.tif"]),
        (["--all"], ["one.tif", "three.tif", "two.tif"]),
    ],
)
def test_one_or_all_or_those_of_one_reason_are_redriven(
    run: Run, failed: Deployment, which: list[str], expected: list[str]
) -> None:
    dry = run("failures", "redrive", *which, "--dry-run")
    assert dry.exit_code == 0
    assert f"{len(expected)} of {len(expected)} would be redriven" in dry.output
    assert hinted(failed) == []
    result = run("failures", "redrive", *which)
    assert result.exit_code == 0
    assert f"{len(expected)} of {len(expected)} redriven" in result.output
    assert hinted(failed) == expected
    assert failed.failures.length() == 3 - len(expected)


@pytest.mark.parametrize("which", [[], ["one.tif", "--all"], ["--all", "--reason", "x"]])
def test_a_redrive_must_say_of_what(run: Run, failed: Deployment, which: list[str]) -> None:
    result = run("failures", "redrive", *which)
    assert result.exit_code == 2
    assert "a MASTER, --reason CODE, or --all" in result.stderr
    assert hinted(failed) == []


def test_a_redrive_of_nothing_fails(run: Run) -> None:
    result = run("failures", "redrive", "--all")
    assert (result.exit_code, result.output) == (1, "There is no failure.\n")


def test_what_cannot_be_redriven_is_kept_and_said(run: Run, service: Deployment) -> None:
    service.dead_letters.send("no JSON")
    service.dead_letters.send(json.dumps({"detail": {"object": {"key": "late.tif"}}}))
    result = run("failures", "redrive", "--all")
    assert result.exit_code == 1
    assert "1 of 2 redriven" in result.output
    assert hinted(service) == ["late.tif"]
    assert unreadable(run)["value"] == "no JSON"


def unreadable(run: Run) -> dict[str, Any]:
    listed = json.loads(run("failures", "list", "--reason", "event-not-readable", "--json").stdout)
    assert len(listed) == 1
    return dict(listed[0])


def test_a_message_that_names_no_master_is_discarded_for_good(run: Run, failed: Deployment) -> None:
    failed.dead_letters.send("no JSON" + 300 * " and on")
    name = unreadable(run)["message_id"]
    assert f"event-not-readable  {name}  no JSON" in run("failures", "list").output
    assert 300 * " and on" in run("failures", "show", name).output
    proposed = run("failures", "discard", name)
    assert (proposed.exit_code, failed.dead_letters.length()) == (1, 1)
    assert "1 to be discarded: add --yes" in proposed.output
    done = run("failures", "discard", name, "--yes")
    assert (done.exit_code, failed.dead_letters.length()) == (0, 0)
    assert "1 discarded" in done.output
    assert "3 failures" in run("failures", "list").output
    assert run("failures", "discard", name, "--yes").exit_code == 1


@pytest.mark.parametrize("name", ["one.tif", "one"])
def test_a_failure_of_a_master_is_never_discarded(run: Run, failed: Deployment, name: str) -> None:
    result = run("failures", "discard", name, "--yes")
    assert result.exit_code == 2
    assert "vitrine failures redrive" in result.stderr
    assert failed.failures.length() == 3


def test_no_name_is_the_name_of_nothing(run: Run, failed: Deployment) -> None:
    failed.dead_letters.send("no JSON")
    assert run("failures", "discard", "", "--yes").exit_code == 1
    assert failed.dead_letters.length() == 1


def test_a_message_that_a_worker_failed_at_is_listed_shown_and_sent_back(
    run: Run, failed: Deployment
) -> None:
    [gallery] = failed.workers
    gallery.dead_letters.send('{"detail": "ImagePublished"}')
    listed = run("failures", "list", "--reason", "message-not-used").output
    name = listed.split()[2]
    assert f'message-not-used  {name}  UpdateGallery  {{"detail"' in listed
    shown = run("failures", "show", name).output
    assert "A worker failed at this message too often. It can be redriven." in shown
    assert "kept in the dead letters of UpdateGallery" in shown
    assert run("failures", "redrive", name).exit_code == 0
    assert gallery.queue.messages == ['{"detail": "ImagePublished"}']  # type: ignore[attr-defined]
    assert (gallery.dead_letters.length(), hinted(failed)) == (0, [])


def test_a_message_that_a_worker_can_never_use_is_discarded(run: Run, failed: Deployment) -> None:
    [gallery] = failed.workers
    gallery.dead_letters.send("no JSON")
    name = run("failures", "list", "--reason", "message-not-used").output.split()[2]
    assert run("failures", "discard", name, "--yes").exit_code == 0
    assert (gallery.dead_letters.length(), gallery.queue.length()) == (0, 0)
