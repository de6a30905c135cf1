"""The task definition as processes: nothing is taken from a second list."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local import task

DEFINITION: dict[str, Any] = {
    "taskRoleArn": "arn:aws:iam::000000000000:role/serves-images",
    "containerDefinitions": [
        {
            "name": "nginx",
            "command": ["containers/nginx/start"],
            "environment": [
                {"name": "VITRINE_WORK_DIRECTORY", "value": "/var/vitrine"},
                {"name": "VITRINE_CACHE", "value": "/var/vitrine/cache"},
                {"name": "VITRINE_MEMORY_DIRECTORY", "value": "/var/vitrine-memory"},
                {"name": "VITRINE_OTHER", "value": "/var/vitrinery"},
                {"name": "VITRINE_ORIGIN_PORT", "value": "8080"},
                {"name": "VITRINE_CACHE_MEBIBYTES", "value": "15360"},
            ],
            "mountPoints": [{"sourceVolume": "work", "containerPath": "/var/vitrine"}],
            "linuxParameters": {"tmpfs": [{"containerPath": "/var/vitrine-memory", "size": 64}]},
            "stopTimeout": 75,
            "dependsOn": [{"containerName": "gateway", "condition": "START"}],
        },
        {
            "name": "gateway",
            "command": ["containers/gateway/start"],
            "environment": [{"name": "VITRINE_MEMORY_DIRECTORY", "value": "/var/vitrine-memory"}],
            "healthCheck": {"command": ["CMD-SHELL", "test -S gateway.sock"]},
        },
    ],
}


@pytest.fixture(autouse=True)
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for this machine's memory."""
    monkeypatch.setattr(task, "MEMORY", tmp_path / "shm")
    return tmp_path / "shm"


def made(tmp_path: Path) -> dict[str, Any]:
    found = task.container_processes(
        DEFINITION,
        directory=tmp_path,
        region="eu-west-1",
        emulator_port=4567,
        changes={"VITRINE_ORIGIN_PORT": "8181"},
    )
    return {item.name: item for item in found}


def test_command_and_stop_timeout_are_those_of_the_definition(tmp_path: Path) -> None:
    nginx = made(tmp_path)["nginx"]
    assert nginx.command == ("containers/nginx/start",)
    assert nginx.folder == REPOSITORY
    assert nginx.stop_seconds == 75


def test_nginx_and_gateway_find_finished_answers_in_an_empty_folder_in_memory(
    tmp_path: Path, memory: Path
) -> None:
    folders = {
        Path(item.environment["VITRINE_MEMORY_DIRECTORY"]) for item in made(tmp_path).values()
    }
    (folder,) = folders
    assert folder.is_relative_to(memory)
    (folder / "left-over").touch()
    made(tmp_path)
    assert list(folder.iterdir()) == []


def test_a_container_without_stop_timeout_gets_the_default_of_ecs(tmp_path: Path) -> None:
    assert made(tmp_path)["gateway"].stop_seconds == 30


def test_a_volume_becomes_a_folder_and_values_under_it_move_there(tmp_path: Path) -> None:
    environment = made(tmp_path)["nginx"].environment
    assert (tmp_path / "work").is_dir()
    assert environment["VITRINE_WORK_DIRECTORY"] == str(tmp_path / "work")
    assert environment["VITRINE_CACHE"] == str(tmp_path / "work" / "cache")
    assert environment["VITRINE_OTHER"] == "/var/vitrinery"


def test_changes_win_over_the_definition(tmp_path: Path) -> None:
    assert made(tmp_path)["nginx"].environment["VITRINE_ORIGIN_PORT"] == "8181"


def test_every_process_talks_to_the_emulator_and_never_to_aws(tmp_path: Path) -> None:
    for item in made(tmp_path).values():
        assert item.environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:4567"
        assert item.environment["AWS_REGION"] == "eu-west-1"


def test_every_process_has_the_rights_of_the_task_and_no_others(tmp_path: Path) -> None:
    for item in made(tmp_path).values():
        assert item.environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] == (
            "http://127.0.0.1:4567/v2/credentials/serves-images"
        )
        assert "AWS_ACCESS_KEY_ID" not in item.environment


def test_a_container_starts_after_those_it_depends_on(tmp_path: Path) -> None:
    assert list(made(tmp_path)) == ["gateway", "nginx"]


def test_the_health_check_is_that_of_the_definition(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert found["gateway"].health_check == ("sh", "-c", "test -S gateway.sock")
    assert found["nginx"].health_check == ()


def test_a_new_task_finds_its_volume_empty(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "work" / "stale.sock").touch()
    made(tmp_path)
    assert not list((tmp_path / "work").iterdir())


@pytest.mark.parametrize(("free_gibibytes", "expected"), [(10, "5120"), (1000, "15360")])
def test_the_cache_takes_at_most_half_of_the_free_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_gibibytes: int, expected: str
) -> None:
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: SimpleNamespace(free=free_gibibytes * 2**30)
    )
    assert made(tmp_path)["nginx"].environment["VITRINE_CACHE_MEBIBYTES"] == expected
