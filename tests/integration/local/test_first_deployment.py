"""A deployment that fails while it creates a stack leaves nothing in the way of the next one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from rigs.free_port import free_port
from stacks.designs import PROD
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.service import new_app
from stacks.store import StoreStack
from vitrine.adapters.aws.access import AwsAccess
from vitrine.local import emulator, process
from vitrine.local.deploy import DeployFailed, deploy

AGAIN = replace(PROD, region="us-east-1")
"""In that region, where the emulator makes buckets as `vitrine.local.deploy` asks for them."""
NOBODY = f"arn:aws:lambda:{AGAIN.region}:{AGAIN.account}:function:nobody"
"""A function that does not exist, so that the custom resource it is to make fails."""
FIRST = replace(AGAIN, first_deployment=True)


@pytest.fixture
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AwsAccess]:
    """An emulator of its own."""
    directory = tmp_path_factory.mktemp("first")
    port = free_port()
    try:
        emulator.start(directory, port, AGAIN.region)
        yield emulator.access(AGAIN.region, port)
    finally:
        process.stop_all(directory)


def _synthesize(environment: Environment, folder: Path, broken: bool) -> Path:
    app = new_app(outdir=str(folder), builtin_cloud_formation_validation=False)
    store = StoreStack(app, environment=environment)
    identify = IdentifyStack(app, environment=environment)
    if broken:
        for stack in (store, identify):
            last = cdk.CfnCustomResource(stack, "Last", service_token=NOBODY)
            for child in stack.node.children:
                if isinstance(child, cdk.Resource):
                    last.node.add_dependency(child)
    app.synth()
    return folder


def _left(cloud: AwsAccess) -> set[str]:
    """Return what of the data stacks exists: buckets and tables."""
    buckets = [item["Name"] for item in cloud.client("s3").list_buckets()["Buckets"]]
    tables = cloud.client("dynamodb").list_tables()["TableNames"]
    return {name for name in (*buckets, *tables) if name.startswith("vitrine-prod-")}


def _events(cloud: AwsAccess, name: str) -> list[Any]:
    return list(cloud.client("cloudformation").describe_stack_events(StackName=name)["StackEvents"])


def test_a_first_deployment_that_fails_leaves_nothing_and_can_be_repeated(
    cloud: AwsAccess, tmp_path: Path
) -> None:
    failing = _synthesize(FIRST, tmp_path / "failing", broken=True)
    with pytest.raises(DeployFailed, match="Last"):
        deploy(failing, cloud, print)
    created = {
        event["ResourceType"]
        for event in _events(cloud, "vitrine-prod-store")
        if event["ResourceStatus"] == "CREATE_COMPLETE"
    }
    assert "AWS::S3::Bucket" in created, "it must fail after the buckets were made"
    assert _left(cloud) == set()
    outputs = deploy(_synthesize(FIRST, tmp_path / "whole", broken=False), cloud, print)
    assert set(outputs["vitrine-prod-store"].values()) <= _left(cloud)
