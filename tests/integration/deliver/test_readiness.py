"""A task serves once it has been ready, and stays when what it needs fails later."""

import asyncio
import subprocess
import time

import requests

from rigs.free_port import free_port
from tests.integration.deliver.deliver_rig import REPOSITORY, Rig, StartRig, wait_until_ready

HEALTHY = str(REPOSITORY / "containers/gateway/healthy")


def check(rig: Rig) -> subprocess.CompletedProcess[str]:
    """Ask as ECS does."""
    return subprocess.run([HEALTHY], env=rig.environment(), capture_output=True, text=True)


def test_a_revision_that_cannot_read_its_bucket_never_becomes_healthy(start_rig: StartRig) -> None:
    rig = start_rig()
    rig.stop("gateway")
    rig.variables |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    rig.start("gateway")
    while requests.get(rig.url + "/healthz", timeout=30).status_code == 502:
        time.sleep(0.1)
    assert requests.get(rig.url + "/healthz", timeout=30).status_code == 200
    for _ in range(3):
        done = check(rig)
        assert done.returncode != 0
        time.sleep(0.5)


def test_the_check_says_what_is_not_ready_and_passes_once_it_is(start_rig: StartRig) -> None:
    rig = start_rig()
    rig.stop("iipsrv")
    time.sleep(2.1)
    done = check(rig)
    assert done.returncode != 0
    assert "503" in done.stderr
    assert '"iipsrv":' in done.stderr
    rig.start("iipsrv")
    asyncio.run(wait_until_ready(rig))
    assert check(rig).returncode == 0


def test_a_task_that_was_ready_stays_healthy_while_a_part_fails(start_rig: StartRig) -> None:
    rig = start_rig()
    assert check(rig).returncode == 0
    rig.stop("iipsrv")
    time.sleep(2.1)
    assert requests.get(rig.url + "/readyz", timeout=30).status_code == 503
    assert check(rig).returncode == 0
