"""Functions of images behind URLs on the emulator: AWS's behaviour holds with our patches only.

When `test_still_needed_<patch>` fails, ministack does as AWS does by now: drop the patch.
"""

import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.integration.local.emulators import ROLE, Emulated, packed_program
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local import emulator

PROGRAM = """
import os
from vitrine.deliver.function.runtime_api import RuntimeApi
api = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"])
while True:
    event = api.next()
    if event.event.get("rawPath") == "/fails":
        api.fail(event.request_id, ValueError("as it was asked"))
        continue
    prelude = b'{"statusCode": 201, "headers": {"content-type": "image/jpeg"}}' + bytes(8)
    folder = os.environ.get("VITRINE_WORK_DIRECTORY", "").encode()
    api.respond(event.request_id, prelude, bytes(range(256)), folder)
"""
"""A custom runtime that streams what is no text."""
BYTES = bytes(range(256))
DISTRIBUTION = emulator.distribution_arn("E123")
ACTIONS = ("lambda:InvokeFunctionUrl", "lambda:InvokeFunction")


def make_image_function(cloud: Any) -> str:
    name = f"image-{time.time_ns()}"
    cloud.client("lambda").create_function(
        FunctionName=name,
        Role=ROLE,
        PackageType="Image",
        Code={"ImageUri": "000000000000.dkr.ecr.us-east-1.amazonaws.com/any:any"},
        ImageConfig={"Command": ["python3", "-c", PROGRAM]},
        Environment={"Variables": {"VITRINE_WORK_DIRECTORY": "/tmp/vitrine"}},
        Timeout=30,
    )
    return name


def make_custom_runtime(cloud: Any) -> str:
    """A function of a package with the same program, which runs without any patch."""
    name = f"custom-{time.time_ns()}"
    python = REPOSITORY / ".venv" / "bin" / "python3"
    lines = ["#!/bin/sh", f"cd {REPOSITORY}", f"exec {python} - <<'END'", PROGRAM, "END", ""]
    cloud.client("lambda").create_function(
        FunctionName=name,
        Role=ROLE,
        Runtime="provided.al2023",
        Handler="bootstrap",
        Code={"ZipFile": packed_program("bootstrap", "\n".join(lines))},
        Timeout=30,
    )
    return name


def publish(cloud: Any, name: str, auth: str = "AWS_IAM", actions: tuple[str, ...] = ()) -> str:
    """Give a function a URL, and CloudFront these rights; its address on the emulator."""
    functions = cloud.client("lambda")
    made = functions.create_function_url_config(
        FunctionName=name, AuthType=auth, InvokeMode="RESPONSE_STREAM"
    )
    for number, action in enumerate(actions):
        functions.add_permission(
            FunctionName=name,
            StatementId=f"edge-{number}",
            Action=action,
            Principal="cloudfront.amazonaws.com",
            SourceArn=DISTRIBUTION,
        )
    identifier = made["FunctionUrl"].split("//")[1].partition(".")[0]
    return f"{cloud.endpoint_url}/_aws/lambda-url/{identifier}"


def ask(address: str, distribution: str = "") -> tuple[int, bytes]:
    headers = {"X-Edge-Distribution": distribution} if distribution else {}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address, headers=headers), timeout=30
        ) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_the_edge_gets_the_streamed_bytes_of_an_image_function(patched: Emulated) -> None:
    name = make_image_function(patched.cloud)
    address = publish(patched.cloud, name, actions=ACTIONS)
    status, body = ask(f"{address}/any", DISTRIBUTION)
    assert (status, body[:256]) == (201, BYTES)
    # Each environment has a /tmp of its own.
    assert body[256:].decode().endswith("/vitrine")
    assert "/image." in str(Path(body[256:].decode()).resolve())


def test_who_is_not_the_edge_or_not_allowed_gets_403(patched: Emulated) -> None:
    name = make_image_function(patched.cloud)
    address = publish(patched.cloud, name, actions=ACTIONS)
    assert ask(f"{address}/any")[0] == 403
    assert ask(f"{address}/any", emulator.distribution_arn("EOTHER"))[0] == 403
    for action in ACTIONS:
        half = publish(patched.cloud, make_image_function(patched.cloud), actions=(action,))
        assert ask(f"{half}/any", DISTRIBUTION)[0] == 403, action


def test_an_event_that_fails_is_a_502_and_the_next_is_answered(patched: Emulated) -> None:
    address = publish(patched.cloud, make_image_function(patched.cloud), actions=ACTIONS)
    assert ask(f"{address}/fails", DISTRIBUTION)[0] == 502
    assert ask(f"{address}/any", DISTRIBUTION)[0] == 201


def test_still_needed_run_images(bare: Emulated) -> None:
    answer = bare.cloud.client("lambda").invoke(
        FunctionName=make_image_function(bare.cloud), Payload=json.dumps({})
    )
    assert answer["FunctionError"]


def test_still_needed_let_the_edge_invoke(bare: Emulated) -> None:
    address = publish(bare.cloud, make_custom_runtime(bare.cloud), actions=ACTIONS)
    assert ask(f"{address}/any", DISTRIBUTION)[0] == 403


def test_still_needed_keep_streamed_bytes(bare: Emulated) -> None:
    address = publish(bare.cloud, make_custom_runtime(bare.cloud), auth="NONE")
    assert ask(f"{address}/any") != (201, BYTES)
