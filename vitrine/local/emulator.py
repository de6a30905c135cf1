"""The AWS emulator as a process: S3, DynamoDB, SQS, EventBridge, Step Functions, Lambda, …"""

import json
import os
import shutil
import signal
import time
import urllib.request
from pathlib import Path

from vitrine.adapters.aws.access import AwsAccess
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, REPOSITORY
from vitrine.local import process
from vitrine.local.process import READY_SECONDS, Process, Running

NAME = "emulator"
PACKAGES = REPOSITORY / ".build" / "layers" / "x86_64" / "emulator"
"""Packages that its Lambdas import instead of the layers': `layers/build.py` builds them."""
UNPACKED = REPOSITORY / ".build" / "unpacked"
"""Functions and layers as its Lambdas import them, by contents."""
ACCOUNT = "000000000000"
CALLS = "VITRINE_EMULATOR_CALLS"
"""A folder in which the calls of roles are written down, for `make test`."""
STOP_SECONDS = 60.0
"""Stopping takes time: the emulator writes the state of all its services."""


def python() -> Path:
    """Return the interpreter of the emulator's own virtual environment."""
    return REPOSITORY / ".emulator" / "bin" / "python"


def url(port: int) -> str:
    """Return the URL at which every service of the emulator answers."""
    return f"http://127.0.0.1:{port}"


def access(region: str, port: int) -> AwsAccess:
    """Return access to the emulator by clients that never talk to AWS."""
    return AwsAccess(url(port), region, dummy_credentials=True)


def credentials(region: str, port: int) -> dict[str, str]:
    """Return the environment variables that point an AWS SDK at the emulator."""
    return {
        "AWS_ENDPOINT_URL": url(port),
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def distribution_arn(identifier: str) -> str:
    """Return the ARN of a deployed distribution, as its bucket's policy names it."""
    return f"arn:aws:cloudfront::{ACCOUNT}:distribution/{identifier}"


def task_credentials(region: str, port: int, role: str) -> dict[str, str]:
    """Return the variables by which an AWS SDK in a task finds the emulator, with a role's rights.

    `role` is the role's ARN.
    """
    address = f"{url(port)}/v2/credentials/{role.rpartition('/')[2]}"
    variables = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": address}
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    others = credentials(region, port).items()
    return variables | {name: value for name, value in others if name not in keys}


def start(
    directory: Path, port: int, region: str, without: str = "", reached_at: int | None = None
) -> Running:
    """Start the emulator on 127.0.0.1 and wait until it answers; its state is under `emulator/`.

    `without` names patches to leave out, for tests. If there is a proxy in front of the emulator,
    `reached_at` is its port, to which the emulator's Lambdas talk. Raises ProcessDied or
    TimeoutError.
    """
    home = directory / "emulator"
    shutil.rmtree(home / "tmp", ignore_errors=True)  # what a killed emulator's Lambdas left
    for folder in ("state", "objects", "tmp"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    _move_addresses(home, port)
    environment = _emulator_environment(home, port, region) | {
        "VITRINE_EMULATOR_WITHOUT": without,
        "AWS_ENDPOINT_URL": url(port if reached_at is None else reached_at),
    }
    running = process.start(
        Process(
            name=NAME,
            # -P: the launcher's folder must not shadow modules of the emulator.
            command=(str(python()), "-P", str(Path(__file__).with_name("emulator_launch.py"))),
            environment=environment,
            folder=home,
            stop_seconds=STOP_SECONDS,
        ),
        directory,
    )
    _wait_until_healthy(running, port)
    return running


def save(directory: Path) -> None:
    """Make the running emulator write the state of all its services now."""
    running = next((item for item in process.read_notes(directory) if item.name == NAME), None)
    if running is None or not running.alive:
        return
    marker = directory / "emulator" / "state" / "saved"
    marker.unlink(missing_ok=True)
    os.kill(running.pid, signal.SIGUSR1)
    deadline = time.monotonic() + READY_SECONDS
    while not marker.exists() and time.monotonic() < deadline:
        process.require_alive(running)
        time.sleep(0.05)


def _emulator_environment(home: Path, port: int, region: str) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": "127.0.0.1",
        "MINISTACK_REGION": region,
        "LOG_LEVEL": "INFO",
        "LAMBDA_EXECUTOR": "local",
        # Lambdas and tasks may do what their deployed roles allow, and nothing else.
        "AUTH": "true",
        CALLS: os.environ.get(CALLS, ""),
        # There is no engine to talk to: Lambdas are child processes.
        "DOCKER_HOST": "unix:///nonexistent",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "1",
        "STATE_DIR": str(home / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(home / "objects"),
        # Lambdas inherit it: the cache that they invalidate is not CloudFront's here but nginx's.
        DIRECTORY_VARIABLE: str(home.parent.resolve()),
        "VITRINE_EMULATOR_PACKAGES": str(PACKAGES),
        "VITRINE_EMULATOR_UNPACKED": str(UNPACKED),
        "VITRINE_EMULATOR_PARALLEL_TASKS": str(max(2, os.cpu_count() or 2)),
    } | {key: value for key, value in credentials(region, port).items() if "ENDPOINT" not in key}


def _move_addresses(home: Path, port: int) -> None:
    """Replace the port in the saved state by the current one: queues are known by their URL."""
    last = home / "port"
    old = last.read_text().strip() if last.exists() else str(port)
    if old != str(port):
        for path in (home / "state").glob("*.json"):
            text = path.read_text()
            path.write_text(text.replace(f"127.0.0.1:{old}/", f"127.0.0.1:{port}/"))
    last.write_text(str(port))


def _wait_until_healthy(running: Running, port: int) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        process.require_alive(running)
        try:
            with urllib.request.urlopen(f"{url(port)}/_ministack/health", timeout=2) as answer:
                json.load(answer)
            process.require_alive(running, process.STARTED_SECONDS)
            return
        except (OSError, ValueError):
            time.sleep(0.1)
    raise TimeoutError(f"the emulator did not answer within {READY_SECONDS:g} s: see {running.log}")
