"""What is known of the service that runs on this machine: written by `vitrine up`, read by all."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from vitrine.errors import VitrineError

REPOSITORY = Path(__file__).resolve().parents[2]
DIRECTORY_VARIABLE = "VITRINE_LOCAL_DIRECTORY"


class NotRunning(VitrineError):
    """The environment was never started on this machine, or is not deployed."""


def local_directory() -> Path:
    """Everything the one-machine service keeps: data, logs, sockets, `service.json`.

    `.vitrine` in the repository unless the variable VITRINE_LOCAL_DIRECTORY names another.
    """
    return Path(os.environ.get(DIRECTORY_VARIABLE) or REPOSITORY / ".vitrine").resolve()


@dataclass(frozen=True, kw_only=True)
class LocalService:
    """Addresses of the running one-machine service; `stage` is the deployed environment's name."""

    stage: str
    region: str
    edge_url: str
    origin_url: str
    emulator_url: str
    logs: str
    image_function: str = ""
    """Name of the Lambda that serves the images; empty: nginx, gateway and iipsrv of a task."""
    doors: tuple[str, ...] = ()
    """Doors of `vitrine.local.synth.synthesize` with which the service was started."""
    flavour: str = ""
    """The same; empty: dev as it comes."""

    def save(self, directory: Path | None = None) -> None:
        """Write `service.json` into `directory`."""
        path = (directory or local_directory()) / "service.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, directory: Path | None = None) -> "LocalService | None":
        """Return the service that `up` started here and `down` has not stopped, or None."""
        path = (directory or local_directory()) / "service.json"
        if not path.exists():
            return None
        read = json.loads(path.read_text())
        return cls(**read | {"doors": tuple(read.get("doors", ()))})


def local_service() -> LocalService:
    """Return the service of this machine. Raises NotRunning."""
    service = LocalService.load()
    if service is None:
        raise NotRunning("The service has not been started on this machine; run `make up` first.")
    return service
