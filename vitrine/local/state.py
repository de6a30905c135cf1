"""What is known of the service that runs on this machine: written by `vitrine up`, read by all."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
STATE_DIRECTORY = REPOSITORY / ".vitrine"
"""Everything the one-machine service keeps: data, logs, sockets, this file."""


@dataclass(frozen=True, kw_only=True)
class LocalService:
    """Addresses of the running one-machine service; `stage` is the deployed environment's name."""

    stage: str
    region: str
    edge_url: str
    origin_url: str
    emulator_url: str
    logs: str

    def save(self, directory: Path = STATE_DIRECTORY) -> None:
        """Write `service.json` into `directory`."""
        path = directory / "service.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, directory: Path = STATE_DIRECTORY) -> "LocalService | None":
        """The service that was last started here, or None."""
        path = directory / "service.json"
        return cls(**json.loads(path.read_text())) if path.exists() else None
