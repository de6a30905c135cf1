"""What each harvest of a folder brought, or why it brought nothing; the newest last."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vitrine.sources.harvest.kept_folder import Harvest

LOG = "harvest.log"
MAX_KEPT = 1_000
MAX_FAILURES = 100
"""Failures of one harvest that are kept by name."""


@dataclass(frozen=True)
class LoggedHarvest:
    """A harvest of some time ago."""

    at: str
    """End of the harvest, RFC 3339 UTC."""
    error: str = ""
    """Why it stopped; what was fetched before is kept."""
    counts: dict[str, int] = field(default_factory=dict)
    failures: Sequence[str] = ()
    failed: int = 0
    """Number of all failures."""
    published: dict[str, int] = field(default_factory=dict)
    """Numbers of objects by result, if they were published at once."""

    @property
    def is_complete(self) -> bool:
        """True if nothing was left out, neither of what changed nor of what was published."""
        left_out = self.published.get("refused", 0) + self.published.get("waiting", 0)
        return not (self.error or self.failed or left_out)


def log_harvest(folder: Path, at: str, result: Harvest | str) -> None:
    """Add a harvest, or the reason why it stopped. Raises OSError."""
    if isinstance(result, str):
        entry = LoggedHarvest(at, error=result)
    else:
        names = ("new", "changed", "unchanged", "deleted", "images")
        counts = {name: int(getattr(result, name)) for name in names}
        shown = tuple(result.failures[:MAX_FAILURES])
        entry = LoggedHarvest(at, "", counts, shown, len(result.failures))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, [*read_log(folder), entry])


def log_published(folder: Path, counts: dict[str, int]) -> None:
    """Add to the newest harvest what became of its objects. Raises OSError."""
    *before, newest = read_log(folder)
    _write(folder, [*before, replace(newest, published=counts)])


def _write(folder: Path, entries: Sequence[LoggedHarvest]) -> None:
    lines = [json.dumps(vars(entry), ensure_ascii=False) for entry in entries[-MAX_KEPT:]]
    beside = folder / f"{LOG}.part"
    beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(folder / LOG)


def read_log(folder: Path) -> list[LoggedHarvest]:
    """Return the harvests of a folder, the oldest first; lines that are damaged are passed over."""
    path = folder / LOG
    return parse_log(path.read_text(encoding="utf-8") if path.exists() else "")


def parse_log(text: str) -> list[LoggedHarvest]:
    """Return the harvests of a log, as `read_log` does."""
    return [LoggedHarvest(**entry) for line in text.split("\n") if (entry := _parse(line))]


def _parse(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    known = LoggedHarvest.__dataclass_fields__.keys()
    return entry if isinstance(entry, dict) and "at" in entry and entry.keys() <= known else {}
