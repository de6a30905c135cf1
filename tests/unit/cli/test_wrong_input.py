"""Wrong input is answered by a sentence, whatever the command."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.build.command_tree import Command, read_commands
from vitrine.adapters.memory.edge_cache import MemoryEdgeCache
from vitrine.adapters.memory.foreign_objects import MemoryForeignObjects
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.local_service import NotRunning
from vitrine.catalogue.publisher import Publisher
from vitrine.edge.invalidation import InvalidateServices
from vitrine.migrate.services import MigrationServices

Run = Callable[..., Any]
NOTHING = "nothing/there.tif"
OPTIONS = {
    "vitrine up": ("--masters", NOTHING, "--edge-port", "1"),
    "vitrine status": ("--html", f"{NOTHING}/page.html"),
    "vitrine image withdraw": ("--reason", "r"),
    "vitrine object withdraw": ("--reason", "r"),
    "vitrine statistics": ("--from", NOTHING),
    "vitrine collection rollback": ("--to", "2026-11-23"),
    "vitrine redirects import": ("--faults", NOTHING),
}
"""Options and arguments that a command needs before its input is read."""
WITHOUT_INPUT = {
    "vitrine access rotate-keys",
    "vitrine access sync",
    "vitrine api document",
    "vitrine api show",
    "vitrine collection dump",
    "vitrine collection index",
    "vitrine deploy check",
    "vitrine deploy stacks",
    "vitrine discovery refresh",
    "vitrine down",
    "vitrine failures list",
    "vitrine identifiers rebuild",
    "vitrine masters reconcile",
    "vitrine object list",
    "vitrine object rebuild",
    "vitrine photos new-key",
    "vitrine photos sign",
    "vitrine redirects list",
    "vitrine access rights show",
    "vitrine redirects check",
    "vitrine site publish",
}


def _commands() -> Iterator[Command]:
    for words, command in read_commands().items():
        if words[0] == "vitrine" and not command.names:
            yield command


def _arguments(command: Command) -> list[str]:
    words = " ".join(command.words)
    given = [] if words == "vitrine status" else [NOTHING] * len(command.arguments)
    return [*command.words[1:], *given, *OPTIONS.get(words, ())]


COMMANDS = {" ".join(command.words): command for command in _commands()}


@pytest.fixture
def service_with_all(
    service: Deployment, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What `vitrine edge`, `vitrine masters migrate` and `vitrine object` need as well."""
    masters: Any = service.masters
    migration = MigrationServices(
        ingest=masters.services,
        masters_bucket="masters",
        foreign=MemoryForeignObjects(masters),
        region="us-east-1",
    )
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path))
    monkeypatch.setattr(
        "vitrine.cli.masters.migrate.migration_services", lambda environment: migration
    )
    monkeypatch.setattr(
        "vitrine.cli.edge.deployed_invalidate_services",
        lambda environment: InvalidateServices(edge=MemoryEdgeCache()),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(COMMANDS) - WITHOUT_INPUT))
def test_what_does_not_exist_is_answered_by_a_sentence(
    run_program: Run, service_with_all: None, name: str
) -> None:
    result = run_program(*_arguments(COMMANDS[name]))
    printed = result.stdout + result.stderr
    assert result.exit_code in ((0,) if name == "vitrine image list" else (1, 2)), printed
    assert "nothing" in printed
    assert "Traceback" not in printed
    assert "Errno" not in printed


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name, command in COMMANDS.items() if "--environment" in command.options]
)
def test_an_environment_that_cannot_be_found_is_named(
    run_program: Run, monkeypatch: pytest.MonkeyPatch, picture: Path, tmp_path: Path, name: str
) -> None:
    monkeypatch.undo()
    for variable in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    command = COMMANDS[name]
    needed = [str(picture) for argument in command.arguments if not argument.startswith("[")]
    if name in ("vitrine masters migrate", "vitrine redirects import"):
        needed = [str(picture)]
    needed += ["--reason", "r"] if name.endswith(" withdraw") else []
    needed += ["--to", "2026-11-23"] if name.endswith(" rollback") else []
    needed += ["--all"] if name in ALL else []
    result = run_program(*command.words[1:], *needed, "--environment", "narnia")
    assert result.exit_code == 2, result
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line == (
        "vitrine: environments.toml has no environment 'narnia', only dev, staging, prod."
    )


ALL = ("vitrine failures redrive", "vitrine masters dismiss", "vitrine edge invalidate")


def test_an_environment_that_is_not_deployed_is_named(
    run_program: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(environment: str) -> Deployment:
        raise NotRunning("the stack vitrine-narnia-store is not deployed.")

    monkeypatch.setattr("vitrine.cli.console.environment.deployment", find)
    result = run_program("status", "--environment", "narnia")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'There is no environment "narnia" in this AWS account and region' in result.stderr
