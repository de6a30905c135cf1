"""`--on aws` with all that can be real here: S3, the task's own program, Locust over a channel.

Only ECS and its logs are simulated: the tasks that they start are processes.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadtest.cli import build_app
from loadtest.errors import InvalidScenario
from loadtest.fleet.fargate_fleet import Fleet
from loadtest.fleet.locust_command import LoadTest
from loadtest.workload.catalogue import Image
from rigs.free_port import free_port
from tests.integration.loadtest.answering_server import StartServer
from tests.patience import until
from vitrine.adapters.aws.access import AwsAccess
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import TransientError
from vitrine.local import emulator, process

REGION, BUCKET = "us-east-1", "vitrine-runs"
IMAGES = [Image("small", 3000, 2000), Image("medium", 7300, 4100)]
SCENARIO = """
seed = 5
[model]
kind = "report-matrix"
think_seconds = [0.05, 0.1]
"""


class Logs:
    """Reads what a task printed."""

    class exceptions:
        ResourceNotFoundException = FileNotFoundError

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_log_events(
        self, *, logStreamName: str, nextToken: str = "0", **_: Any
    ) -> dict[str, Any]:
        number = logStreamName.rpartition("/")[2]
        lines = (self._folder / f"{number}.log").read_text().splitlines()
        events = [{"message": line} for line in lines[int(nextToken) :]]
        return {"events": events, "nextForwardToken": str(len(lines))}


class Tasks:
    """Starts tasks as processes of this machine."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[bytes]] = []
        self.asked: list[dict[str, Any]] = []
        self.failures: list[dict[str, str]] = []
        self._environment = os.environ | environment

    def run_task(self, *, count: int, overrides: dict[str, Any], **rest: Any) -> dict[str, Any]:
        self.asked.append({"count": count, **rest})
        [container] = overrides["containerOverrides"]
        command = [sys.executable, "-m", "loadtest.fleet.generator_task", *container["command"]]
        tasks = []
        for _ in range(0 if self.failures else count):
            number = len(self.started)
            with (self.folder / f"{number}.log").open("wb") as log:
                self.started.append(
                    subprocess.Popen(
                        command, cwd=REPOSITORY, stdout=log, stderr=log, env=self._environment
                    )
                )
            tasks.append({"taskArn": f"arn:aws:ecs:task/{number}"})
        return {"tasks": tasks, "failures": self.failures}

    def describe_tasks(self, *, tasks: list[str], **_: Any) -> dict[str, Any]:
        running = self._of(tasks[0]).poll() is None
        address = {"name": "privateIPv4Address", "value": "127.0.0.1"}
        task = {
            "lastStatus": "RUNNING" if running else "STOPPED",
            "attachments": [{"details": [address]}],
            "stoppedReason": "Essential container in task exited",
        }
        return {"tasks": [task]}

    def stop_task(self, *, task: str, **_: Any) -> None:
        if self._of(task).poll() is None:
            self._of(task).send_signal(signal.SIGTERM)

    def _of(self, task: str) -> subprocess.Popen[bytes]:
        return self.started[int(task.rpartition("/")[2])]


class Access:
    """Clients by the names that boto3 has for them."""

    def __init__(self, cloud: AwsAccess, tasks: Tasks) -> None:
        self._clients = {"s3": cloud.client("s3"), "ecs": tasks, "logs": Logs(tasks.folder)}
        self.presign_read = cloud.presign_read

    def client(self, service: str) -> Any:
        return self._clients[service]


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AwsAccess]:
    directory = tmp_path_factory.mktemp("loadtest")
    port = free_port()
    try:
        emulator.start(directory, port, REGION)
        access = emulator.access(REGION, port)
        access.client("s3").create_bucket(Bucket=BUCKET)
        yield access
    finally:
        process.stop_all(directory)


@pytest.fixture
def tasks(cloud: AwsAccess, tmp_path: Path) -> Iterator[Tasks]:
    assert cloud.endpoint_url
    environment = {"AWS_ENDPOINT_URL": cloud.endpoint_url, "AWS_REGION": REGION}
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    started = Tasks(tmp_path, environment | keys)
    yield started
    for task in started.started:
        task.kill()
        task.wait()


@pytest.fixture
def fleet(cloud: AwsAccess, tasks: Tasks) -> Fleet:
    outputs = {
        "RunsBucketName": BUCKET,
        "ClusterName": "generators",
        "TaskDefinitionArn": "arn:aws:ecs:task-definition/loadtest:1",
        "LogGroupName": "generators",
        "SecurityGroupId": "sg-1",
        "SubnetIds": "subnet-1,subnet-2",
    }
    access: Any = Access(cloud, tasks)
    return Fleet(access=access, outputs=outputs, port=free_port(), look_seconds=0.2)


def load_test(folder: Path, url: str, seconds: float = 1) -> LoadTest:
    path = folder / "scenario.toml"
    path.write_text(SCENARIO)
    return LoadTest(scenario=path, url=url, images=IMAGES, users=(4,), seconds=seconds)


def test_tasks_are_started_followed_and_their_result_brought_back(
    tmp_path: Path, start_server: StartServer, fleet: Fleet, tasks: Tasks, cloud: AwsAccess
) -> None:
    server = start_server(IMAGES)
    seen: list[dict[str, Any]] = []
    result = fleet.run(load_test(tmp_path, server.url, 2), 2, seen.append)
    assert (result["complete"], result["failures"], result["generators"]) == (True, 0, 2)
    assert result["requests"] > 20
    assert next(row["stage"] for row in result["rows"]) == "4 users"
    assert "4 users" in {entry["stage"] for entry in seen}
    assert [request["count"] for request in tasks.asked] == [1, 2]
    for request in tasks.asked:
        network = request["networkConfiguration"]["awsvpcConfiguration"]
        assert network["subnets"] == ["subnet-1", "subnet-2"]
    key = result["result"].removeprefix(f"s3://{BUCKET}/")
    kept = cloud.client("s3").get_object(Bucket=BUCKET, Key=key)["Body"].read()
    assert json.loads(kept)["requests"] == result["requests"]


def test_ctrl_c_ends_the_tasks_and_keeps_what_they_have(
    tmp_path: Path, start_server: StartServer, fleet: Fleet
) -> None:
    server = start_server(IMAGES)
    seen: list[dict[str, Any]] = []

    def interrupt() -> None:
        until(lambda: seen and seen[-1]["requests"])
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    result = fleet.run(load_test(tmp_path, server.url, 600), 1, seen.append)
    assert result["complete"] is False
    assert result["requests"] > 0


def test_no_task_is_said_so(tmp_path: Path, fleet: Fleet, tasks: Tasks) -> None:
    tasks.failures = [{"reason": "RESOURCE:CPU"}]
    with pytest.raises(TransientError, match="AWS starts no generator: RESOURCE:CPU"):
        fleet.run(load_test(tmp_path, "http://127.0.0.1:1"), 1)


def test_a_master_that_dies_shows_its_last_words(
    tmp_path: Path, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fleet, "_store_spec", lambda *_: "http://127.0.0.1:1/spec")
    monkeypatch.setattr(Fleet, "_await_address", lambda *_: "127.0.0.1")
    with pytest.raises(TransientError, match=r"left no result(.|\n)*Connection refused"):
        fleet.run(load_test(tmp_path, "http://127.0.0.1:1"), 1)


def test_what_the_scenario_names_is_sent_with_it(tmp_path: Path) -> None:
    from loadtest.fleet.task_spec import TaskSpec

    (tmp_path / "seen.txt").write_text("/iiif/3/a/info.json\n")
    path = tmp_path / "scenario.toml"
    path.write_text('users = [2]\n[model]\nkind = "url-list"\nfile = "seen.txt"\n')
    test = LoadTest(scenario=path, url="http://x", seed=9)
    other = tmp_path / "there"
    sent, images = TaskSpec.from_json(TaskSpec.of(test).to_json()).unpack(other)
    assert (other / "seen.txt").read_text() == (tmp_path / "seen.txt").read_text()
    assert (sent.scenario, sent.seed, images) == (other / "scenario.toml", 9, None)


def test_the_address_of_a_specification_is_signed_for_its_region() -> None:
    address = AwsAccess(region="eu-west-1", dummy_credentials=True).presign_read("runs", "k", 60)
    assert address.startswith("https://runs.s3.eu-west-1.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC")


def test_a_file_from_elsewhere_is_not_sent(tmp_path: Path) -> None:
    from loadtest.fleet.task_spec import TaskSpec

    (tmp_path / "seen.txt").write_text("/iiif/3/a/info.json\n")
    path = tmp_path / "below" / "scenario.toml"
    path.parent.mkdir()
    path.write_text('[model]\nkind = "url-list"\nfile = "../seen.txt"\n')
    with pytest.raises(InvalidScenario, match="only files next to their scenario"):
        TaskSpec.of(LoadTest(scenario=path, url="http://x"))


def test_without_an_environment_nothing_is_started(
    tmp_path: Path, start_server: StartServer
) -> None:
    server = start_server(IMAGES)
    images = tmp_path / "images.csv"
    images.write_text("identifier,width,height\nsmall,3000,2000\n")
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO)
    words = ["run", str(path), "--url", server.url, "--images", str(images)]
    done = CliRunner().invoke(build_app(), [*words, "--on", "aws"])
    assert (done.exit_code, "--on aws needs --environment" in done.stderr) == (2, True)
    done = CliRunner().invoke(build_app(), [*words, "--on", "moon"])
    assert (done.exit_code, "give here or aws" in done.stderr) == (2, True)
