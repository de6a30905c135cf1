"""A Lambda's image in a container as confined as Lambda's, next to a Runtime API.

Nothing of AWS answers there: what the Lambda asks of it is refused at once.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rigs.free_port import free_port
from tests.integration.containers.container_engine import build, podman
from tests.rigs.runtime_api import SECONDS, RuntimeServer
from vitrine.bootstrap.local_service import REPOSITORY

NO_AWS = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_MAX_ATTEMPTS": "1",
    "POWERTOOLS_TRACE_DISABLED": "1",
    "POWERTOOLS_METRICS_NAMESPACE": "Vitrine/test",
}
CONFINED = ("--network=host", "--read-only", "--cap-drop=ALL", "--tmpfs=/tmp:rw,mode=1777")


@dataclass(frozen=True)
class ContainedFunction:
    """A started container, which has asked its Runtime API for the first event."""

    name: str
    api: RuntimeServer

    def run(self, *command: str) -> str:
        """Run a command in the container, as its user; return what it prints."""
        return podman("exec", self.name, *command).stdout

    def list_ways_to_root(self) -> str:
        """Return the files that give their user another one's rights, a line each."""
        search = ("find", "/", "-xdev", "-type", "f", "-perm", "/6000")
        done = podman("exec", self.name, *search, check=False)
        # 1 is for folders that the user may not read; anything else says nothing.
        assert done.returncode in (0, 1), done.stderr
        return done.stdout


@contextmanager
def started_function(
    image: str, variables: Mapping[str, str], volumes: Sequence[str] = ()
) -> Iterator[ContainedFunction]:
    """Build the image `localhost/vitrine-<image>` and start it; remove the container afterwards."""
    build({image: REPOSITORY})
    server = RuntimeServer()
    environment = {
        **NO_AWS,
        **variables,
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}",
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}",
    }
    options = [*CONFINED, *(f"--volume={volume}" for volume in volumes)]
    options += [f"--env={name}={value}" for name, value in environment.items()]
    name = f"vitrine-{image}-{os.getpid()}"
    with server.running():
        podman("run", "--detach", f"--name={name}", *options, f"localhost/vitrine-{image}")
        try:
            server.idle.get(timeout=SECONDS)
            yield ContainedFunction(name, server)
        finally:
            podman("rm", "--force", "--time=5", name)
