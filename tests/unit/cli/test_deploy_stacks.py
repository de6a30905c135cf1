"""`vitrine deploy stacks` says its order, keeps to it, and deletes only if it is asked to."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.account.account_needs import BEGUN, NEEDS, ready
from tests.unit.cli.conftest import Run
from vitrine.account.ports import DeployedStack
from vitrine.adapters.memory.account import MemoryAccount

API = ("eu-central-1", "vitrine-prod-api")
ORDER = ["vitrine-prod-store", "vitrine-prod-edge", "vitrine-prod-watch"]


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MemoryAccount:
    """An account with a stack too many; `npx` writes down what it is called with."""
    account = ready()
    account.deployed[API[0]] = (DeployedStack(name=API[1], created=BEGUN),)
    kept = {"Type": "AWS::S3::Bucket", "DeletionPolicy": "RetainExceptOnCreate"}
    account.templates[API] = {"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}, "Store": kept}}
    for name in ("synthesize", "read_needs", "read_templates"):
        values = {"synthesize": tmp_path, "read_needs": NEEDS}
        value = values.get(name, {place: {} for place in NEEDS.stacks})
        monkeypatch.setattr(f"vitrine.cli.deploy.{name}", lambda *_, _value=value, **__: _value)
    monkeypatch.setattr("vitrine.cli.deploy.account_of", lambda environment: account)
    npx = tmp_path / "npx"
    npx.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n'
        f'cp "$4/$6.template.json" {tmp_path}/$(wc -l < {tmp_path}/calls).json 2>/dev/null\n'
        f"[ ! -e {tmp_path}/broken ]\n"
    )
    npx.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    monkeypatch.setattr("vitrine.cli.deploy.node_environment", lambda: environment)
    monkeypatch.setenv("PATH", environment["PATH"])
    return account


def _calls(folder: Path) -> list[str]:
    file = folder / "calls"
    return [line.split()[-1] for line in file.read_text().splitlines()] if file.exists() else []


def test_nothing_is_done_without_yes(run: Run, account: MemoryAccount, tmp_path: Path) -> None:
    result = run("deploy", "stacks", "--environment", "prod", "--delete")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[:3] for line in lines[:4]] == [
        *([str(number), "deploy", name] for number, name in enumerate(ORDER, start=1)),
        ["4", "delete", API[1]],
    ]
    assert lines[3].endswith("; loses AWS::SQS::Queue; keeps AWS::S3::Bucket")
    assert "Nothing was changed" in lines[-1]
    assert _calls(tmp_path) == []
    assert account.deployed[API[0]]


def test_stacks_are_deployed_one_by_one_and_what_is_left_is_deleted(
    run: Run, account: MemoryAccount, tmp_path: Path
) -> None:
    result = run("deploy", "stacks", "--environment", "prod", "--yes", "--delete")
    assert result.exit_code == 0, result.stderr
    assert _calls(tmp_path) == ORDER
    assert not account.deployed[API[0]]


def test_what_is_left_stays_unless_its_deletion_is_asked_for(
    run: Run, account: MemoryAccount, tmp_path: Path
) -> None:
    result = run("deploy", "stacks", "--environment", "prod", "--yes")
    assert result.exit_code == 0
    assert f"{API[1]} in {API[0]} runs on: --delete deletes it" in result.stdout
    assert account.deployed[API[0]]


def test_a_stack_that_fails_ends_it(run: Run, account: MemoryAccount, tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    result = run("deploy", "stacks", "--environment", "prod", "--yes", "--delete")
    assert result.exit_code == 1
    assert _calls(tmp_path) == ORDER[:1]
    assert "vitrine-prod-store was not deployed" in result.stderr
    assert account.deployed[API[0]]


def test_a_stack_with_old_and_new_exports_is_deployed_twice(
    run: Run, account: MemoryAccount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, edge, _ = NEEDS.stacks
    account.deployed[edge[0]] += (DeployedStack(name=edge[1], created=BEGUN),)

    def reading(export: str) -> Any:
        topic = {"Type": "AWS::SNS::Topic", "Properties": {"Name": {"Fn::ImportValue": export}}}
        return {"Resources": {"Topic": topic}}

    def exporting(attribute: str) -> Any:
        value = {"Fn::GetAtt": ["Bucket", attribute]}
        output = {attribute: {"Value": value, "Export": {"Name": attribute}}}
        return {"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}, "Outputs": output}

    account.templates |= {store: exporting("Arn"), edge: reading("Arn")}
    new = {store: exporting("DomainName"), edge: reading("DomainName")}
    monkeypatch.setattr("vitrine.cli.deploy.read_templates", lambda folder: new)
    write_assembly(tmp_path, new)
    result = run("deploy", "stacks", "--environment", "prod", "--yes")
    assert result.exit_code == 0, result.stderr
    assert "with 1 exports that others still import" in result.stdout.splitlines()[0]
    assert _calls(tmp_path) == [store[1], edge[1], store[1]]
    first, _, last = (json.loads((tmp_path / f"{n}.json").read_text()) for n in (1, 2, 3))
    assert (first["Outputs"].keys(), last["Outputs"].keys()) == (
        {"Arn", "DomainName"},
        {"DomainName"},
    )


def write_assembly(folder: Path, templates: Any) -> None:
    """Write what the CDK's command line reads of these stacks."""
    artifacts = {}
    for _, name in templates:
        address = {"templateFile": f"{name}.template.json"}
        address["stackTemplateAssetObjectUrl"] = f"s3://assets/{name}-hash.json"
        artifacts[name] = {"type": "aws:cloudformation:stack", "properties": address}
        listed = {"type": "cdk:asset-manifest", "properties": {"file": f"{name}.assets.json"}}
        artifacts[f"{name}.assets"] = listed
    (folder / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
    for (_, name), template in templates.items():
        (folder / f"{name}.template.json").write_text(json.dumps(template))
        (folder / f"{name}.assets.json").write_text(json.dumps({"files": {f"{name}-hash": {}}}))


def test_where_no_order_works_nothing_is_begun_and_the_reason_is_said(
    run: Run, account: MemoryAccount, tmp_path: Path
) -> None:
    store, loadtest = NEEDS.stacks[0], (NEEDS.region, "vitrine-prod-loadtest")
    output = {"Value": {"Ref": "Bucket"}, "Export": {"Name": "bucket"}}
    account.templates[store] = {"Outputs": {"Bucket": output}}
    account.templates[loadtest] = json.loads('{"Resources": {"A": {"Fn::ImportValue": "bucket"}}}')
    result = run("deploy", "stacks", "--environment", "prod", "--yes")
    assert result.exit_code == 1
    assert "vitrine-prod-store: bucket is in use by vitrine-prod-loadtest" in result.stderr
    assert _calls(tmp_path) == []
