"""Deployment of a cloud assembly to the emulator by change sets, as `cdk deploy` does on AWS."""

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from vitrine.adapters.aws.access import AwsAccess
from vitrine.local import emulator
from vitrine.local.assembly import (
    FileAsset,
    Outputs,
    Stack,
    fill_in_outputs,
    read_assembly,
    zip_folder,
)

STACK_SECONDS = 120.0
DEFAULT_REGION = "us-east-1"
BOOTSTRAP_PARAMETER = "BootstrapVersion"
DONE = ("CREATE_COMPLETE", "UPDATE_COMPLETE")


class DeployFailed(RuntimeError):
    """A stack could not be deployed; the message names the resource and the reason."""


def deploy(folder: Path, access: AwsAccess, say: Callable[[str], None]) -> dict[str, Outputs]:
    """Deploy every stack of the assembly in `folder` that is not deployed with this template.

    Returns the outputs of each stack. Raises DeployFailed.
    """
    outputs: dict[str, Outputs] = {}
    stacks = read_assembly(folder, emulator.ACCOUNT, access.region or DEFAULT_REGION)
    regions = {region: replace(access, region=region) for region in {one.region for one in stacks}}
    for stack in stacks:
        current = regions[stack.region]
        formation = current.client("cloudformation")
        template = fill_in_outputs(json.loads(stack.template.read_text()), outputs)
        if not _is_current(formation, stack.name, template):
            say(f"deploying {stack.name}")
            for asset in stack.assets:
                _upload_asset(current.client("s3"), asset, folder)
            address = _put_template(current, stack, template)
            _write_bootstrap_version(current.client("ssm"), template)
            _deploy_stack(formation, stack.name, address)
        outputs[stack.name] = _stack_outputs(_describe_stack(formation, stack.name) or {})
    return outputs


def _describe_stack(formation: Any, name: str) -> dict[str, Any] | None:
    try:
        stack: dict[str, Any] = formation.describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise
    return stack


def _stack_outputs(stack: dict[str, Any]) -> Outputs:
    return {item["OutputKey"]: item["OutputValue"] for item in stack.get("Outputs", ())}


def _is_current(formation: Any, name: str, template: dict[str, Any]) -> bool:
    """Return True if this very template is deployed, and so its assets, named by hash."""
    current = _describe_stack(formation, name)
    if current is None or current["StackStatus"] not in DONE:
        return False
    body = formation.get_template(StackName=name)["TemplateBody"]
    deployed = json.loads(body) if isinstance(body, str) else body
    return bool(deployed == template)


def _upload_asset(storage: Any, asset: FileAsset, folder: Path) -> None:
    buckets = {item["Name"] for item in storage.list_buckets()["Buckets"]}
    if asset.bucket not in buckets:
        storage.create_bucket(Bucket=asset.bucket)
    if storage.list_objects_v2(Bucket=asset.bucket, Prefix=asset.key)["KeyCount"]:
        return
    file = _archive_asset(asset, folder) if asset.zipped else asset.source
    storage.upload_file(str(file), asset.bucket, asset.key)


def _archive_asset(asset: FileAsset, folder: Path) -> Path:
    """Return the asset's archive in `folder`, which is named by its contents and so made once."""
    archive = folder / asset.key
    if not archive.exists():
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            zip_folder(asset.source, made := Path(scratch, archive.name))
            made.rename(archive)
    return archive


def _put_template(access: AwsAccess, stack: Stack, template: dict[str, Any]) -> dict[str, str]:
    """Return the argument that names the template: by its object, if it is uploaded as one.

    A request may contain 51,200 bytes of template, an object 1,000,000.
    """
    text = json.dumps(template)
    for asset in stack.assets:
        if asset.source == stack.template:
            access.client("s3").put_object(Bucket=asset.bucket, Key=asset.key, Body=text.encode())
            return {"TemplateURL": f"{access.endpoint_url}/{asset.bucket}/{asset.key}"}
    return {"TemplateBody": text}


def _deploy_stack(formation: Any, name: str, template: dict[str, str]) -> None:
    _delete_failed(formation, name)
    update = _describe_stack(formation, name) is not None
    change = f"vitrine-{int(time.time() * 1000)}"
    formation.create_change_set(
        StackName=name,
        ChangeSetName=change,
        ChangeSetType="UPDATE" if update else "CREATE",
        **template,
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
    )
    ready = _poll_stack(
        lambda: formation.describe_change_set(StackName=name, ChangeSetName=change),
        lambda answer: answer["Status"] in ("CREATE_COMPLETE", "FAILED"),
        name,
    )
    if ready["Status"] == "FAILED":
        raise DeployFailed(f"{name}: {ready.get('StatusReason', 'the change set failed')}")
    formation.execute_change_set(StackName=name, ChangeSetName=change)
    current = _poll_stack(
        lambda: _describe_stack(formation, name) or {"StackStatus": "DELETE_COMPLETE"},
        lambda answer: not answer["StackStatus"].endswith("IN_PROGRESS"),
        name,
    )
    if current["StackStatus"] not in DONE:
        raise DeployFailed(f"{name}: {_first_failure(formation, name)}")


def _write_bootstrap_version(parameters: Any, template: dict[str, Any]) -> None:
    """Write the parameter of `cdk bootstrap`, if the template checks it."""
    if checked := template.get("Parameters", {}).get(BOOTSTRAP_PARAMETER):
        parameters.put_parameter(Name=checked["Default"], Value="30", Type="String", Overwrite=True)


def _delete_failed(formation: Any, name: str) -> None:
    """Delete a stack whose creation failed: nothing else can be done with it, on AWS too."""
    current = _describe_stack(formation, name)
    if current and current["StackStatus"] in (
        "ROLLBACK_COMPLETE",
        "CREATE_FAILED",
        "ROLLBACK_FAILED",
    ):
        formation.delete_stack(StackName=name)
        _poll_stack(lambda: _describe_stack(formation, name) or {}, lambda answer: not answer, name)


def _poll_stack(
    ask: Callable[[], dict[str, Any]], done: Callable[[dict[str, Any]], bool], name: str
) -> dict[str, Any]:
    deadline = time.monotonic() + STACK_SECONDS
    while time.monotonic() < deadline:
        answer = ask()
        if done(answer):
            return answer
        time.sleep(0.1)
    raise DeployFailed(f"{name}: not done after {STACK_SECONDS:g} s")


def _first_failure(formation: Any, name: str) -> str:
    """Return the oldest failed resource; later ones are only cancelled because of it."""
    events = formation.describe_stack_events(StackName=name)["StackEvents"]
    for event in reversed(events):
        if event["ResourceStatus"].endswith("FAILED"):
            kind, reason = event["ResourceType"], event.get("ResourceStatusReason", "no reason")
            return f"{event['LogicalResourceId']} ({kind}): {reason}"
    return "failed without a failed resource"
