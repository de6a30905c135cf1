"""The container that converts giants, as its deployed definition says: one master, then gone."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.integration.containers.contained_task import INIT
from tests.integration.containers.container_engine import build, podman
from tests.integration.containers.published_pictures import draw_ramp
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.ingest.messages import IngestMaster
from vitrine.local import emulator
from vitrine.settings.ingest import IngestSettings
from vitrine.store.layout import conversion_key

FAMILY = "ConvertMasterGiantTask"


@pytest.fixture(scope="module")
def cloud(service: Any) -> Any:
    """Clients of the service's emulator."""
    addresses = service.addresses
    return emulator.access(addresses.region, urlsplit(addresses.emulator_url).port or 0)


@pytest.fixture(scope="module")
def converter(engine: None, cloud: Any, assembly: Path) -> dict[str, Any]:
    """The container's definition, and its image, built from what the CDK would send for it."""
    (arn,) = (
        item
        for item in cloud.client("ecs").list_task_definitions()["taskDefinitionArns"]
        if FAMILY in item
    )
    answer = cloud.client("ecs").describe_task_definition(taskDefinition=arn)
    (found,) = answer["taskDefinition"]["containerDefinitions"]
    digest = found["image"].rpartition(":")[2]
    build({"converter": assembly / f"asset.{digest}"})
    definition: dict[str, Any] = found
    return definition


@pytest.fixture
def volume() -> Iterator[str]:
    name = f"vitrine-converter-{os.getpid()}"
    podman("volume", "create", name)
    yield name
    podman("volume", "rm", "--force", name)


def test_the_container_converts_a_master_and_leaves_the_outcome(
    converter: dict[str, Any], cloud: Any, service: Any, volume: str, tmp_path: Path
) -> None:
    variables = {item["name"]: item["value"] for item in converter["environment"]}
    settings = IngestSettings.from_environment(variables)
    storage = cloud.client("s3")
    masters = S3ObjectStore(storage, settings.masters_bucket)
    records = S3ObjectStore(storage, settings.records_bucket)
    draw_ramp(tmp_path / "contained.tif")
    done = service.run("ingest", tmp_path / "contained.tif")
    assert done.returncode == 0, done.stdout + done.stderr
    info = masters.head("contained.tif")
    request = IngestMaster(
        master_key=info.key,
        master_version=info.version,
        master_etag=info.etag,
        master_bytes=info.size,
        master_modified=info.modified,
        identifier="contained-giant",
    )
    request_key = conversion_key("contained", "request")
    records.put(
        request_key, json.dumps(request.as_json()).encode(), content_type="application/json"
    )
    addresses = service.addresses
    port = urlsplit(addresses.emulator_url).port or 0
    variables |= emulator.credentials(addresses.region, port)
    variables |= {"VITRINE_CONVERSION": "contained"}
    (mount,) = converter["mountPoints"]
    assert converter["readonlyRootFilesystem"]
    assert converter["linuxParameters"]["initProcessEnabled"]
    assert converter["linuxParameters"]["capabilities"]["drop"] == ["ALL"]
    ran = podman(
        *("run", "--rm", "--network=host", f"--user={converter['user']}"),
        *("--read-only", "--read-only-tmpfs=false", "--init", f"--init-path={INIT}"),
        "--cap-drop=ALL",
        f"--volume={volume}:{mount['containerPath']}",
        *(f"--env={name}={value}" for name, value in variables.items()),
        "localhost/vitrine-converter",
        *converter["command"],
        seconds=120,
    )
    (logged,) = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    assert (logged["service"], logged["outcome"]) == ("convert_master", "converted")
    outcome = json.loads(records.get(conversion_key("contained", "outcome"))[0])["converted"]
    access_masters = S3ObjectStore(storage, settings.access_masters_bucket)
    found = access_masters.head(outcome["access_master_key"])
    assert found.size == outcome["access_master_bytes"] > 0
    assert outcome["width"] > 1
