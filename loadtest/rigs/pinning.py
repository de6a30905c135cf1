"""Servers on one core, the generator on another, so that neither takes what the other needs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Pinning:
    """Cores by their numbers; None: any core, as there are fewer than two."""

    server: int | None = None
    generator: int | None = None

    def as_json(self) -> dict[str, int | None]:
        return {"server_core": self.server, "generator_core": self.generator}

    def start_servers(self) -> None:
        """Keep what this thread starts from now on on the servers' core."""
        if self.server is not None:
            os.sched_setaffinity(0, {self.server})

    def start_generator(self) -> None:
        """Keep this process on the generator's core from now on."""
        if self.generator is not None:
            _keep_on({self.generator})


@contextmanager
def pinned() -> Iterator[Pinning]:
    """Yield the first two cores that this thread may use; at the end, let it use all again."""
    cores = os.sched_getaffinity(0)
    ordered = sorted(cores)
    if len(ordered) < 2:
        yield Pinning()
        return
    try:
        yield Pinning(server=ordered[0], generator=ordered[1])
    finally:
        _keep_on(cores)


def _keep_on(cores: set[int]) -> None:
    """Pin all threads: libvips keeps those that made the masters, and decodes answers with them."""
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), cores)
