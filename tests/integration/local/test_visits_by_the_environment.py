"""Visits are counted by the deployed Lambda, with its deployed role, which a schedule starts."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import shelf
from tests.unit.statistics.log_bench import cloudfront
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.deployment import deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.statistics.count import Figures
from vitrine.statistics.day_files import read_day

if TYPE_CHECKING:
    from conftest import Service


def test_the_log_of_yesterday_becomes_figures_of_objects_and_collections(
    service: "Service", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, service.environment[DIRECTORY_VARIABLE])
    records = tmp_path / "objects.jsonl"
    records.write_bytes(msgspec.json.encode(shelf("visited-shelf")))
    done = service.run("object", "put", records)
    assert done.returncode == 0, done.stdout + done.stderr

    addresses = service.addresses
    cloud = AwsAccess(addresses.emulator_url, addresses.region, dummy_credentials=True)
    scheduler, functions = cloud.client("scheduler"), cloud.client("lambda")
    (named,) = [one for one in scheduler.list_schedules()["Schedules"] if "Visits" in one["Name"]]
    target = scheduler.get_schedule(Name=named["Name"], GroupName=named["GroupName"])["Target"]
    settings = functions.get_function_configuration(FunctionName=target["Arn"])["Environment"]
    logs = S3ObjectStore(cloud.client("s3"), settings["Variables"]["VITRINE_LOGS_BUCKET"])
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    paths = ("/objects/book", "/collections/visited-shelf")
    lines = [cloudfront(path, date=yesterday.isoformat()) for path in paths]
    key = f"{yesterday:%Y/%m/%d}/10/E1.{yesterday}-10.a.gz"
    body = gzip.compress(b"\n".join(lines))
    prefix = settings["Variables"]["VITRINE_LOGS_PREFIX"]
    logs.put(prefix + key, body, content_type="application/gzip")

    def run_now() -> dict[str, Any]:
        answer = functions.invoke(FunctionName=target["Arn"], Payload=target["Input"].encode())
        said = answer["Payload"].read()
        assert "FunctionError" not in answer, said
        found: dict[str, Any] = json.loads(said)
        return found

    assert run_now() == run_now() == {yesterday.isoformat(): 2}
    found = read_day(deployment().records, yesterday.isoformat())
    assert found
    assert found.objects == {"book": Figures(views=1)}
    assert found.collections["visited-shelf"] == Figures(views=2)
    assert found.countries == {"DE": Figures(views=2)}

    done = service.run("statistics", "--json")
    assert json.loads(done.stdout)["counted"], done.stderr
