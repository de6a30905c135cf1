"""`vitrine deploy check` prints a line for each thing, and its exit code says whether to go on."""

import json
from pathlib import Path

import pytest

from tests.unit.account.account_needs import NEEDS, ready
from tests.unit.cli.conftest import Run
from vitrine.adapters.memory.account import MemoryAccount
from vitrine.local import container_engine
from vitrine.local.synth import SynthFailed


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MemoryAccount:
    """The account that the command asks, and templates whose needs it has."""
    account = ready()
    monkeypatch.setattr("vitrine.cli.deploy.synthesize", lambda *_, **__: tmp_path)
    monkeypatch.setattr("vitrine.cli.deploy.read_needs", lambda *_: NEEDS)
    monkeypatch.setattr("vitrine.cli.deploy.account_of", lambda environment: account)
    engine = ("docker", "")
    monkeypatch.setattr("vitrine.cli.deploy.find_engine_problem", lambda architecture: engine)
    return account


def test_an_account_that_is_ready_is_exit_code_0(run: Run, account: MemoryAccount) -> None:
    result = run("deploy", "check", "--environment", "prod")
    assert result.exit_code == 0
    assert all(line.startswith("ok  ") for line in result.stdout.splitlines())


def test_what_is_missing_is_exit_code_1_and_says_what_to_do(
    run: Run, account: MemoryAccount
) -> None:
    account.lambdas = 10
    result = run("deploy", "check", "--environment", "prod")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("to do"))
    assert "Lambdas at once" in lines[at]
    assert "new_account = true" in lines[at + 1]


def test_a_program_gets_one_document(run: Run, account: MemoryAccount) -> None:
    account.refused = frozenset({"quota"})
    result = run("deploy", "check", "-e", "prod", "--json")
    assert result.exit_code == 1
    findings = json.loads(result.stdout)["findings"]
    unwell = [(item["subject"], item["known"]) for item in findings if not item["well"]]
    assert unwell == [("CloudFront", False), ("Fargate vCPUs", False)]


def test_templates_that_cannot_be_made_are_exit_code_2(
    run: Run, account: MemoryAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Path:
        raise SynthFailed("[prod] in environments.toml: account cannot be 1.")

    monkeypatch.setattr("vitrine.cli.deploy.synthesize", fail)
    result = run("deploy", "check", "--environment", "prod")
    assert result.exit_code == 2
    assert "account cannot be 1" in result.stderr


def test_this_machine_needs_no_account(run: Run) -> None:
    result = run("deploy", "check", "--environment", "local")
    assert result.exit_code == 2
    assert "needs no account" in result.stderr


ENGINES = {
    "": ("there is no docker", "podman"),
    "exit 1": ("does not run", "start docker"),
    "exit 0": ("docker", ""),
}


@pytest.mark.parametrize("script", ENGINES)
def test_a_container_engine_is_found_only_if_it_runs(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if script else str(tmp_path))
    monkeypatch.delenv(container_engine.ENGINE_VARIABLE, raising=False)
    if script:
        program = tmp_path / "docker"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    found, remedy = container_engine.find_engine_problem("x86_64")
    assert ENGINES[script][0] in found
    assert ENGINES[script][1] in remedy


def test_images_for_another_machine_need_its_emulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr(container_engine, "REGISTERED", tmp_path)
    assert "binfmt --install arm64" in container_engine._missing_emulator("docker", "arm64")
    (tmp_path / "qemu-aarch64").touch()
    assert container_engine._missing_emulator("docker", "arm64") == ""
