"""The saved runs that documents quote, by their names in results/index.toml."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
INDEX = "index.toml"


@dataclass(frozen=True, kw_only=True)
class SavedRun:
    """One entry of the index."""

    name: str
    path: Path
    """Its folder."""
    shows: str
    commands: tuple[str, ...]
    quoted_by: tuple[str, ...]
    """Paths from the repository's root."""
    busy: bool = False
    """True if other work ran on the machine: ratios within the run hold, milliseconds do not."""

    def read(self) -> dict[str, Any]:
        """Return the raw result."""
        run: dict[str, Any] = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        return run


def read_index(results: Path = RESULTS) -> dict[str, SavedRun]:
    """Return every entry of the index in that folder, by name and in the index's order."""
    entries = tomllib.loads((results / INDEX).read_text(encoding="utf-8"))
    return {
        name: SavedRun(
            name=name,
            path=results / entry["folder"],
            shows=entry["shows"],
            commands=tuple(entry["commands"]),
            quoted_by=tuple(entry["quoted_by"]),
            busy=entry.get("busy", False),
        )
        for name, entry in entries.items()
    }
