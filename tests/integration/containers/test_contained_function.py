"""The image of the Lambda that serves images, in a container as confined as Lambda's."""

import json
import os
from collections.abc import Iterator

import pytest

from loadtest.rigs.function_environment import SECONDS, RuntimeServer, request_event
from tests.free_ports import free_ports
from tests.integration.containers.container_engine import build, podman
from vitrine.bootstrap.local_service import REPOSITORY

IMAGE = "localhost/vitrine-function"
NAME = f"vitrine-function-{os.getpid()}"
NO_AWS = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_DEFAULT_REGION": "us-east-1",
    "VITRINE_ACCESS_MASTERS_BUCKET": "nowhere",
    "VITRINE_SITE_BUCKET": "nowhere",
    "VITRINE_IDENTIFIERS_TABLE": "nowhere",
}


@pytest.fixture(scope="module")
def api(engine: None) -> Iterator[RuntimeServer]:
    """The Runtime API of a started container, which has asked for its first event."""
    build({"function": REPOSITORY})
    server = RuntimeServer()
    variables = NO_AWS | {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_ports(1)[0]}",
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}",
    }
    options = ["--network=host", "--read-only", "--cap-drop=ALL", "--tmpfs=/tmp:rw,mode=1777"]
    options += [f"--env={name}={value}" for name, value in variables.items()]
    with server.running():
        podman("run", "--detach", f"--name={NAME}", *options, IMAGE)
        try:
            server.idle.get(timeout=SECONDS)
            yield server
        finally:
            podman("rm", "--force", "--time=5", NAME)


def test_the_lambda_starts_with_tmp_alone_and_answers_through_the_runtime_api(
    api: RuntimeServer,
) -> None:
    # Nothing of AWS answers here, so neither table nor bucket does.
    api.events.put(json.dumps(request_event("/iiif/3/a/info.json")).encode())
    api.idle.get(timeout=SECONDS)
    answer = api.answers.get(timeout=SECONDS)
    assert answer.status == 503, answer.body
    assert "table of identifiers" in json.loads(answer.body)["reason"]
    assert not api.failure
    assert "iipsrv.sock" in podman("exec", NAME, "ls", "/tmp/vitrine/run").stdout


def test_nothing_in_it_runs_as_root_or_can_become_root(api: RuntimeServer) -> None:
    assert podman("exec", NAME, "id", "-u").stdout.strip() == "10001"
    found = podman("exec", NAME, "find", "/", "-xdev", "-type", "f", "-perm", "/6000", check=False)
    assert found.stdout == ""
