"""A task definition run as ECS would run it, by podman: nothing is taken from a second list.

Only what cannot be had here differs: the containers share this machine's 127.0.0.1 as those of
a task share theirs, and a limit is at most what root may set here.
"""

import resource
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.integration.containers.container_engine import podman

INIT = "/usr/bin/tini-static"
"""Program that Docker and ECS put before the command of a container with an init process."""


class ContainedTask:
    """The containers of one task; `changes` are variables that differ from the definition's."""

    def __init__(
        self, name: str, definition: Mapping[str, Any], changes: Mapping[str, str]
    ) -> None:
        self._name = name
        self._changes = changes
        self.definitions = {item["name"]: item for item in definition["containerDefinitions"]}

    def start(self) -> None:
        """Start each container once those it depends on are healthy."""
        podman("volume", "create", self._name)
        for name in self.order():
            podman("run", "--detach", "--name", self._full(name), *self._options(name))
            self._wait_until_healthy(name)

    def order(self) -> Iterator[str]:
        """The containers, each after those it depends on."""
        waiting = dict(self.definitions)
        while waiting:
            ready = next(
                name
                for name, item in waiting.items()
                if not {it["containerName"] for it in item.get("dependsOn", ())} & waiting.keys()
            )
            del waiting[ready]
            yield ready

    def inside(self, name: str, script: str) -> subprocess.CompletedProcess[str]:
        """Run a line of shell in a container, as its user."""
        return podman("exec", self._full(name), "sh", "-c", script, check=False)

    def healthy(self, name: str) -> bool:
        """Run the container's health check once."""
        kind, script = self.definitions[name]["healthCheck"]["command"]
        assert kind == "CMD-SHELL"
        return self.inside(name, script).returncode == 0

    def signal(self, name: str) -> None:
        """SIGTERM, as ECS begins to stop a container."""
        podman("kill", "--signal", "TERM", self._full(name))

    def wait(self, name: str) -> int:
        """The exit code of a container that was sent a stop signal. Raises TimeoutExpired."""
        limit = self.definitions[name]["stopTimeout"]
        return int(podman("wait", self._full(name), seconds=limit).stdout)

    def logs(self) -> str:
        """The last lines of all containers."""
        found = {
            name: podman("logs", "--tail", "20", self._full(name), check=False)
            for name in self.definitions
        }
        return "\n".join(f"{name}: {log.stdout}{log.stderr}" for name, log in found.items())

    def remove(self) -> None:
        """Kill and remove what is there."""
        for name in self.definitions:
            podman("rm", "--force", "--ignore", "--time", "0", self._full(name))
        podman("volume", "rm", "--force", self._name)

    def _full(self, name: str) -> str:
        return f"{self._name}-{name}"

    def _options(self, name: str) -> list[str]:
        item = self.definitions[name]
        variables = {it["name"]: it["value"] for it in item["environment"]} | self._changes
        options = ["--network=host", "--no-healthcheck", f"--user={item['user']}"]
        options += [f"--env={key}={value}" for key, value in variables.items()]
        options += [
            f"--volume={self._name}:{mount['containerPath']}" for mount in item["mountPoints"]
        ]
        if item["readonlyRootFilesystem"]:
            options += ["--read-only", "--read-only-tmpfs=false"]  # ECS adds no writable /tmp
        if item["linuxParameters"]["initProcessEnabled"]:
            options += ["--init", f"--init-path={INIT}"]
        options += [
            f"--tmpfs={one['containerPath']}:{','.join(one['mountOptions'])},size={one['size']}m"
            for one in item["linuxParameters"].get("tmpfs", ())
        ]
        dropped = item["linuxParameters"].get("capabilities", {}).get("drop", ())
        options += [f"--cap-drop={capability}" for capability in dropped]
        (files,) = item["ulimits"]
        allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        soft, hard = min(files["softLimit"], allowed), min(files["hardLimit"], allowed)
        # podman sets a limit of processes that root may not set here, unless given another.
        options += [
            f"--ulimit={files['name']}={soft}:{hard}",
            f"--ulimit=nproc={allowed}:{allowed}",
        ]
        return [*options, f"localhost/vitrine-{name}", *item["command"]]

    def _wait_until_healthy(self, name: str) -> None:
        check = self.definitions[name]["healthCheck"]
        deadline = time.monotonic() + check["startPeriod"] + check["retries"] * check["interval"]
        while not self.healthy(name):
            assert time.monotonic() < deadline, f"{name} is not healthy\n{self.logs()}"
            time.sleep(0.1)


@dataclass(frozen=True)
class Origin:
    """A running task, and the port of its front door."""

    task: ContainedTask
    port: int

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"
