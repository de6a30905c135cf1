"""Masters sent to a service as a curator sends them, and what became of each."""

import time
from collections.abc import Sequence
from pathlib import Path

from loadtest.rigs.service_instance import Instance
from vitrine.errors import VitrineError
from vitrine.records import Outcome

POLL_SECONDS = 0.05
LIMIT_SECONDS = 900
_CONTENT_TYPES = {".jpg": "image/jpeg", ".tif": "image/tiff"}


def upload(running: Instance, path: Path, name: str) -> str:
    """Put the file into the masters bucket; its key, which no upload had before."""
    key = f"{name}-{time.time_ns()}-{path.name}"
    kind = _CONTENT_TYPES[path.suffix]
    running.service.masters.upload(path, key, content_type=kind, metadata={})
    return key


def ended(running: Instance, keys: Sequence[str]) -> dict[str, Outcome]:
    """Outcomes of those masters that nothing more will happen to."""
    found = running.service.outcomes.get_many(keys)
    return {key: outcome for key, outcome in found.items() if outcome.state != "running"}


def published(running: Instance, keys: Sequence[str]) -> list[Outcome]:
    """Wait for the outcomes and return them in the order of `keys`.

    Raises VitrineError when a master ends unpublished, or not within 15 minutes."""
    deadline = time.monotonic() + LIMIT_SECONDS
    missing = dict.fromkeys(keys)
    found: dict[str, Outcome] = {}
    while missing:
        for key, outcome in ended(running, list(missing)).items():
            if outcome.state != "published":
                raise VitrineError(f"{key} ended as {outcome.state}: {outcome.sentence}")
            found[key] = outcome
            del missing[key]
        if time.monotonic() > deadline:
            raise VitrineError(f"{len(missing)} masters are not published: {next(iter(missing))}")
        time.sleep(POLL_SECONDS)
    return [found[key] for key in keys]
