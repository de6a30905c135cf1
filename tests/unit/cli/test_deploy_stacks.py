"""`vitrine deploy stacks` says its order, keeps to it, and deletes only if it is asked to."""

import json
from pathlib import Path

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
    npx.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n[ ! -e {tmp_path}/broken ]\n')
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
