"""Servers on cores of theirs, the generator on another: neither takes what the other needs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.errors import InvalidScenario


@dataclass(frozen=True, kw_only=True)
class Pinning:
    """Cores by their numbers; None: any core, as there are too few."""

    server: int | None = None
    """The first of the servers' cores."""
    generator: int | None = None
    servers: frozenset[int] = frozenset()
    """All of the servers' cores, which each of them may use."""

    def as_json(self) -> dict[str, Any]:
        return {
            "server_core": self.server,
            "server_cores": sorted(self.servers),
            "generator_core": self.generator,
        }

    def start_servers(self) -> None:
        """Keep what this thread starts from now on on the servers' cores, all of it together."""
        if self.servers:
            os.sched_setaffinity(0, self.servers)

    def start_generator(self) -> None:
        """Keep this process on the generator's core from now on."""
        if self.generator is not None:
            _keep_on({self.generator})


@contextmanager
def pin_cores(server_cores: int = 1) -> Iterator[Pinning]:
    """Yield the first cores that this thread may use, some for the servers and the next for the
    generator; at the end, let it use all again.

    Where none is left, the generator shares those of the servers. Raises InvalidScenario for more
    cores than there are.
    """
    cores = os.sched_getaffinity(0)
    ordered = sorted(cores)
    if server_cores > len(ordered):
        raise InvalidScenario(
            f"{server_cores} cores for the servers are more than the {len(ordered)} of this machine"
        )
    if len(ordered) < 2:
        yield Pinning()
        return
    own, left = ordered[:server_cores], ordered[server_cores:]
    try:
        yield Pinning(server=own[0], generator=left[0] if left else None, servers=frozenset(own))
    finally:
        _keep_on(cores)


def _keep_on(cores: set[int]) -> None:
    """Pin all threads: libvips keeps those that made the masters, and decodes answers with them."""
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), cores)
