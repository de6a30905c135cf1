"""Dumps are renewed by the deployed Lambda, with its deployed role, which a schedule starts."""

import gzip
import json
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.integration.local.runbook_reader import Operator
from tests.unit.catalogue.object_bench import shelf
from vitrine.adapters.aws.access import AwsAccess
from vitrine.bootstrap.deployment import deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.site.dumps.files import OBJECTS_JSONL

if TYPE_CHECKING:
    from conftest import Service


class Dumper:
    """The deployed schedule of dumps, and the Lambda that it starts."""

    def __init__(self, service: "Service") -> None:
        addresses = service.addresses
        self._cloud = AwsAccess(addresses.emulator_url, addresses.region, dummy_credentials=True)
        scheduler = self._cloud.client("scheduler")
        (named,) = [one for one in scheduler.list_schedules()["Schedules"] if "Dump" in one["Name"]]
        self.schedule = scheduler.get_schedule(Name=named["Name"], GroupName=named["GroupName"])

    def run_now(self) -> dict[str, Any]:
        """Call the Lambda as the schedule does."""
        target = self.schedule["Target"]
        answer = self._cloud.client("lambda").invoke(
            FunctionName=target["Arn"], Payload=target["Input"].encode()
        )
        body = answer["Payload"].read()
        assert "FunctionError" not in answer, body
        done: dict[str, Any] = json.loads(body)
        return done

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the rows of the dump; the edge may keep an older one for a minute."""
        lines = gzip.decompress(deployment().site.get(OBJECTS_JSONL)[0]).splitlines()
        return {row["identifier"]: row for row in map(json.loads, lines)}


def test_a_change_by_any_door_reaches_the_dumps_within_the_hour(
    service: "Service", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, service.environment[DIRECTORY_VARIABLE])
    dumper = Dumper(service)
    assert dumper.schedule["ScheduleExpression"] == "rate(1 hour)"
    records = tmp_path / "objects.jsonl"
    records.write_bytes(msgspec.json.encode(shelf("dumped-shelf")))
    done = service.run("object", "put", records)
    assert done.returncode == 0, done.stdout + done.stderr

    assert dumper.run_now()["written"]
    row = dumper.rows()["dumped-shelf"]
    edge = service.addresses.edge_url
    assert row["manifest"] == f"{edge}/presentation/3/dumped-shelf/collection.json"
    body, _ = deployment().site.get("sitemaps/sitemap-1.xml.gz")
    assert f"<loc>{edge}/collections/dumped-shelf</loc>" in gzip.decompress(body).decode()
    with urllib.request.urlopen(f"{edge}/sitemap.xml") as answer:
        assert b"/sitemaps/sitemap-1.xml.gz" in answer.read()

    done = service.run("object", "withdraw", "dumped-shelf", "--reason", "A claim.")
    assert done.returncode == 0, done.stdout + done.stderr
    assert dumper.run_now()["written"]
    assert dumper.rows()["dumped-shelf"]["state"] == "withdrawn"
    done = service.run("collection", "dump", "--json")
    assert json.loads(done.stdout)["written"] is False, "the Lambda's dump is the command's"
    follow_run_book(service, tmp_path)


def follow_run_book(service: "Service", folder: Path) -> None:
    """Type what the run book says about dumps that stay behind."""
    logs = Path(service.addresses.logs)
    port = service.addresses.emulator_url.rpartition(":")[2]
    machine: Any = SimpleNamespace(
        directory=logs.parent, environment=service.environment, options=("", port)
    )
    (folder / "operator").mkdir()
    operator = Operator(machine, folder / "operator")
    with operator.following("dumps-are-old") as page:
        assert "up to date" in page.type_next()
        page.type_next()
        assert ": written, " in page.type_next()
        assert "ENABLED" in page.type_next()
