"""The deployed task definition as processes: what ECS does with it, without containers.

Command, environment, stop timeout and mount points are read back from the emulator, so there
is no second list of them. Only what needs a container changes: a volume becomes a folder, a file
system in memory one below /dev/shm, values
that lie under its mount point move there, and the cache takes at most half of the free disk.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local import emulator
from vitrine.local.process import Process

DEFAULT_STOP_SECONDS = 30
"""Seconds that ECS waits if a container definition has no stopTimeout."""
CACHE = "VITRINE_CACHE_MEBIBYTES"
MEMORY = Path("/dev/shm")
"""The file system in memory that every process of this machine may use (shm_overview(7))."""
CACHE_SHARE = 0.5
"""Share of the free disk: unlike a Fargate task, this machine has other work."""


def setting_overrides(*, edge_port: int, origin_port: int) -> dict[str, str]:
    """Return the settings that differ because viewers, edge and origin share one machine."""
    return {
        "VITRINE_ORIGIN_ADDRESS": "127.0.0.1",
        "VITRINE_ORIGIN_PORT": str(origin_port),
        "VITRINE_PUBLIC_BASE_URL": f"http://127.0.0.1:{edge_port}",
        # No load balancer has to hear of a stop.
        "VITRINE_DRAIN_SECONDS": "0",
    }


def search_path() -> str:
    """Return PATH with our virtual environment first, and with /usr/sbin, where nginx is."""
    return f"{REPOSITORY / '.venv' / 'bin'}:{os.environ.get('PATH', os.defpath)}:/usr/sbin"


def memory_folder(directory: Path) -> Path:
    """Return the folder in memory of the task in `directory`, of this user alone."""
    name = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:16]
    return MEMORY / f"vitrine-{os.geteuid()}-{name}"


def container_processes(
    definition: Mapping[str, Any],
    *,
    directory: Path,
    region: str,
    emulator_port: int,
    changes: Mapping[str, str],
) -> list[Process]:
    """Return a process for each container of the definition, after those that it depends on.

    Volumes become folders in `directory`, emptied, as every new task finds them.
    """
    memory = memory_folder(directory)
    for folder in (directory, memory):
        shutil.rmtree(folder, ignore_errors=True)
    place = next(folder for folder in directory.parents if folder.exists())
    largest_cache = int(shutil.disk_usage(place).free / 2**20 * CACHE_SHARE)
    rights = emulator.task_credentials(region, emulator_port, definition["taskRoleArn"])
    base = rights | {
        "PATH": search_path(),
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
    }
    containers = _sort_by_dependency(definition["containerDefinitions"])
    # All see it: here others use that memory too, so that the gateway has to watch it.
    in_memory = {
        mount["containerPath"]: memory / mount["containerPath"].strip("/").replace("/", "-")
        for container in containers
        for mount in container.get("linuxParameters", {}).get("tmpfs", ())
    }
    return [
        _make_process(container, directory, base, changes, largest_cache, in_memory)
        for container in containers
    ]


def _make_process(
    container: Mapping[str, Any],
    directory: Path,
    base: Mapping[str, str],
    changes: Mapping[str, str],
    largest_cache: int,
    in_memory: Mapping[str, Path],
) -> Process:
    mounts = {
        mount["containerPath"]: directory / mount["sourceVolume"]
        for mount in container.get("mountPoints", ())
    } | dict(in_memory)
    for folder in mounts.values():
        folder.mkdir(parents=True, exist_ok=True)
    declared = {
        item["name"]: _move_into_folders(item["value"], mounts)
        for item in container.get("environment", ())
    }
    if CACHE in declared:
        declared[CACHE] = str(min(int(declared[CACHE]), largest_cache))
    return Process(
        name=container["name"],
        command=(*container.get("entryPoint", ()), *container.get("command", ())),
        environment={**base, **declared, **changes},
        folder=REPOSITORY,
        stop_seconds=float(container.get("stopTimeout") or DEFAULT_STOP_SECONDS),
        health_check=_health_check(container.get("healthCheck", {}).get("command", [])),
    )


def _health_check(command: list[str]) -> tuple[str, ...]:
    """Return the command of a health check: as for ECS, CMD runs it, CMD-SHELL uses a shell."""
    match command:
        case ["CMD", *words]:
            return tuple(words)
        case ["CMD-SHELL", text]:
            return ("sh", "-c", text)
        case _:
            return ()


def _move_into_folders(value: str, mounts: Mapping[str, Path]) -> str:
    for path, folder in mounts.items():
        if value == path or value.startswith(f"{path}/"):
            return f"{folder}{value[len(path) :]}"
    return value


def _sort_by_dependency(containers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_name = {container["name"]: container for container in containers}
    ordered: dict[str, dict[str, Any]] = {}

    def visit(name: str) -> None:
        for dependency in by_name[name].get("dependsOn", ()):
            visit(dependency["containerName"])
        ordered.setdefault(name, by_name[name])

    for name in by_name:
        visit(name)
    return list(ordered.values())
