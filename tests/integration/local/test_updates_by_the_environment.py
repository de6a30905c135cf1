"""A collection is kept up to date by the deployed Lambda, which the deployed schedule starts."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.local.documents import ask
from tests.integration.local.runbook_reader import Operator
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
    collection3,
    iiif_server,
    manifest3,
)
from vitrine.adapters.aws.access import AwsAccess
from vitrine.bootstrap.deployment import deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.sources.updates.schedule import UpdateRun
from vitrine.sources.updates.scheduled import note_newest_run, read_newest_runs, read_scheduled

if TYPE_CHECKING:
    from conftest import Service

RULES = """
[collection]
identifier = "followed-books"
label = "Books"
[source]
kind = "iiif"
address = "{address}/top"
table = "manifests"
images = "reference"
"""
UPDATED_SECONDS = 420
LONG_AGO = "2026-01-01T00:00:00Z"


@pytest.fixture
def source() -> Iterator[IiifServer]:
    documents = {
        "/top": collection3("/top", ("Manifest", "/followed-1")),
        "/followed-1": manifest3("/followed-1", "/iiif/3/one"),
    }
    with iiif_server(IiifServer(documents=documents)) as started:
        yield started


class Updater:
    """The deployed schedule and its Lambda, and the collection that is on it."""

    def __init__(self, service: "Service") -> None:
        addresses = service.addresses
        self.cloud = AwsAccess(addresses.emulator_url, addresses.region, dummy_credentials=True)
        scheduler = self.cloud.client("scheduler")
        (named,) = [
            one for one in scheduler.list_schedules()["Schedules"] if "Update" in one["Name"]
        ]
        self.schedule = scheduler.get_schedule(Name=named["Name"], GroupName=named["GroupName"])
        self.records = deployment().records

    def run(self) -> UpdateRun | None:
        return read_newest_runs(self.records, read_scheduled(self.records)).get("followed-books")

    def every(self, minutes: int) -> None:
        """Have the deployed schedule start its target at another rate."""
        names = ("Name", "GroupName", "FlexibleTimeWindow", "Target")
        kept = {name: self.schedule[name] for name in names}
        rate = f"rate({minutes} minute{'s' if minutes > 1 else ''})"
        self.cloud.client("scheduler").update_schedule(ScheduleExpression=rate, **kept)

    def wait_for_run(self) -> UpdateRun:
        """Return the next update once it has ended."""
        deadline = time.monotonic() + UPDATED_SECONDS
        while time.monotonic() < deadline:
            run = self.run()
            if run and run.exit_code is not None:
                return run
            time.sleep(1)
        raise AssertionError(f"no update ended; the newest is {self.run()}")

    def run_now(self) -> UpdateRun:
        """Let the next update be due, and call the Lambda as the schedule does."""
        note_newest_run(self.records, "followed-books", UpdateRun(begun=LONG_AGO, exit_code=0))
        target = self.schedule["Target"]
        answer = self.cloud.client("lambda").invoke(
            FunctionName=target["Arn"], Payload=target["Input"].encode()
        )
        assert "FunctionError" not in answer, answer["Payload"].read()
        return self.wait_for_run()


def test_the_environment_follows_a_source_by_itself(
    service: "Service", source: IiifServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, service.environment[DIRECTORY_VARIABLE])
    rules = tmp_path / "collection.toml"
    rules.write_text(RULES.format(address=source.address))
    updater = Updater(service)
    assert updater.schedule["ScheduleExpression"] == "rate(15 minutes)"
    done = service.run("collection", "schedule", rules, "--every", "1", "--private-too")
    assert done.returncode == 0, done.stderr
    updater.every(1)
    try:
        first = updater.wait_for_run()
        assert (first.exit_code, first.said) == (0, "")
        shown = look_up(service, "followed-1")
        assert shown["label"] == {"en": ["Book /followed-1"]}
        assert source.address in json.dumps(shown["items"])  # the image stays where it is
        updater.every(15)

        source.documents["/followed-2"] = manifest3("/followed-2", "/iiif/3/two")
        source.documents["/later"] = collection3("/later", ("Manifest", "/followed-2"))
        books = (("Manifest", "/followed-1"), ("Collection", "/later"))
        source.documents["/top"] = collection3("/top", *books)
        assert updater.run_now().exit_code == 0
        assert len(look_up(service, "followed-2")["items"]) == 1

        source.trouble = lambda path: (200, {}, b"<html>down for maintenance</html>")
        assert updater.run_now().exit_code == 2
        follow_run_book(service, rules, tmp_path)
        for book in ("followed-1", "followed-2"):
            assert len(look_up(service, book)["items"]) == 1
        listed = service.run("collection", "harvests", rules, "--environment", "local", "--json")
        reports = json.loads(listed.stdout)
        assert [one["published"].get("made") for one in reports] == [1, 1, None]
        assert [bool(one["error"]) for one in reports] == [False, False, True]
    finally:
        updater.every(15)
        assert service.run("collection", "schedule", rules, "--never").returncode == 0


def follow_run_book(service: "Service", rules: Path, folder: Path) -> None:
    """Type what the run book says about a source that is down."""
    logs = Path(service.addresses.logs)
    port = service.addresses.emulator_url.rpartition(":")[2]
    machine: Any = SimpleNamespace(
        directory=logs.parent, environment=service.environment, options=("", port)
    )
    (folder / "operator").mkdir()
    operator = Operator(machine, folder / "operator")
    with operator.following("collections-are-not-updated") as page:
        assert "followed-books: every 1 hours" in (listed := page.type_next())
        assert "is no IIIF" in listed or "exit code 2" in listed
        assert "1 new; objects: 1 published" in page.type_next(FILE=str(rules))
        page.type_next()
        assert "ENABLED" in page.type_next()


def look_up(service: "Service", identifier: str) -> dict[str, Any]:
    """Return the manifest of an object, as its origin answers."""
    status, document = ask(
        f"{service.addresses.origin_url}/presentation/3/{identifier}/manifest.json"
    )
    assert status == 200, document
    assert isinstance(document, dict)
    return document
