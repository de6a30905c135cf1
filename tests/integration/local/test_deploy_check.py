"""`vitrine deploy check` asks an account, here the emulator's, what templates need."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tests.integration.local.emulators import Emulated
from vitrine.bootstrap.local_service import REPOSITORY

OWN = """
[museum]
based_on = "staging"
region = "eu-north-1"
account = "000000000001"
new_account = true
alarm_address = "images@example.org"
"""
LEFT = {"eu-north-1": "api", "eu-central-1": "replica"}
"""Stages by regions, deployed when the environment still had an API and a replica."""
CHECK = "from vitrine.cli import main; main()"


def _deploy(emulated: Emulated, region: str, stage: str) -> None:
    """Deploy a stack of the environment with next to nothing in it."""
    topic = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
    replace(emulated.cloud, region=region).client("cloudformation").create_stack(
        StackName=f"vitrine-museum-{stage}", TemplateBody=json.dumps(topic)
    )


def test_the_check_lists_all_that_an_unprepared_account_lacks(
    patched: Emulated, tmp_path: Path
) -> None:
    for region, stage in LEFT.items():
        _deploy(patched, region, stage)
    file = tmp_path / "environments.toml"
    file.write_text(OWN)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, "deploy", "check", "--environment", "museum", "--json"],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "VITRINE_ENVIRONMENTS_FILE": str(file),
            "AWS_ENDPOINT_URL": patched.cloud.endpoint_url or "",
            "AWS_REGION": "us-west-2",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    findings = json.loads(done.stdout)["findings"]
    found = {item["subject"]: item for item in findings}
    assert "sign in to 000000000001" in found["credentials"]["remedy"]
    for region in ("eu-north-1", "us-east-1"):
        assert f"/{region}`" in found[f"bootstrap {region}"]["remedy"]
    assert found["Lambdas at once"]["well"]
    assert found["availability zones"]["found"] == "eu-north-1a, eu-north-1b"
    assert found["alarm address"]["found"] == "images@example.org"
    left = {item["found"]: item["remedy"] for item in findings if "runs on" in item["found"]}
    assert left == {
        f"vitrine-museum-{stage} in {region} runs on, and no template has it": (
            "run `vitrine deploy stacks -e museum --yes --delete`"
        )
        for region, stage in LEFT.items()
    }
    # The emulator has no quotas, and other prefix lists than AWS.
    assert not found["CloudFront"]["known"]
    assert not found["Fargate vCPUs"]["known"]
    assert "cloudfront_prefix_list_id" in found["prefix list"]["remedy"]
