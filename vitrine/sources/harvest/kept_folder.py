"""A folder with a file for each record of others, and where the last harvest ended."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, unquote

from vitrine.sources.harvest.guarded_http import NotHarvested

STATE = "harvest.state"
SO_FAR = "so_far"
MAX_NAME_LENGTH = 180

OnProgress = Callable[[int], None]


class AnotherSource(NotHarvested):
    """A folder has the records of another source than the one that is to be harvested."""


@dataclass
class Harvest:
    """What a harvest brought."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    images: int = 0
    failures: list[str] = field(default_factory=list)
    """Failures of single records and images; the others were fetched."""
    notes: list[str] = field(default_factory=list)
    """Notes on records that were fetched, but not as a curator might expect them."""
    seen: set[str] = field(default_factory=set, repr=False)
    """Names of the files."""

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "seen"}


def so_far(result: Harvest) -> dict[str, Any]:
    """Return what the state says of a harvest that was stopped."""
    return {SO_FAR: result.as_json()}


def resumed(state: dict[str, Any]) -> Harvest:
    """Return what a harvest had brought that was stopped, to go on counting."""
    return Harvest(**state.get(SO_FAR, {}))


class HarvestSource(Protocol):
    """Records of others that are kept in a folder: an OAI-PMH repository, a IIIF collection."""

    def harvest(
        self, *, everything: bool = False, on_progress: OnProgress = lambda done: None
    ) -> Harvest:
        """Fetch what changed since the last harvest, or everything; go on where one was stopped.

        Raises NotHarvested and OSError: what was fetched stays, and the same call again goes on.
        """
        ...


@dataclass(frozen=True)
class KeptFolder:
    """`folder` has files of one suffix that were harvested of one source."""

    folder: Path
    suffix: str
    of: tuple[str, ...]
    """Identity of the source: its address, and the request for its records."""

    def prepare(self) -> None:
        """Make the folder. Raises NotHarvested if it has files that no harvest wrote."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if (self.folder / STATE).exists():
            return
        if any(self.files()):
            raise NotHarvested(
                f"{self.folder} has {self.suffix[1:].upper()} files that no harvest wrote: name "
                "another folder in source.table"
            )
        self.write_state({})

    def keep(self, name: str, body: bytes, result: Harvest) -> None:
        """Write a record's file, whole or not at all, unless it is like that already."""
        path = self.folder / name
        result.seen.add(name)
        before = path.read_bytes() if path.exists() else None
        if before == body:
            result.unchanged += 1
            return
        _write(path, body)
        if before is None:
            result.new += 1
        else:
            result.changed += 1

    def remove(self, name: str, result: Harvest) -> None:
        """Remove the file of a record that was deleted."""
        path = self.folder / name
        result.seen.add(name)
        result.deleted += path.exists()
        path.unlink(missing_ok=True)

    def remove_others(self, result: Harvest) -> None:
        """Remove files of records that are no longer there. Raises NotHarvested if all would go."""
        if not result.seen and any(self.files()):
            raise NotHarvested(
                f"{self.of[0]} has no records any more: if that is right, remove {self.folder}"
            )
        for path in self.files():
            if path.name not in result.seen:
                path.unlink()
                result.deleted += 1

    def files(self) -> list[Path]:
        """Return the files of records."""
        return sorted(self.folder.glob(f"*{self.suffix}"))

    def read_state(self) -> dict[str, Any]:
        """Return what the last harvest left. Raises NotHarvested, AnotherSource among it."""
        state = read_state(self.folder)
        if state and tuple(state.get("of", ())) != self.of:
            raise AnotherSource(
                f"{self.folder} has records of {' '.join(state.get('of', ['another source']))}: "
                "name another folder in source.table, or fetch all with --everything"
            )
        return state

    def write_state(self, state: dict[str, Any]) -> None:
        """Write what the next harvest has to know."""
        text = json.dumps({"of": self.of, **state}, indent=2)
        _write(self.folder / STATE, text.encode())


def read_state(folder: Path) -> dict[str, Any]:
    """Return what the last harvest left in a folder, nothing without one. Raises NotHarvested."""
    try:
        state: dict[str, Any] = json.loads((folder / STATE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise NotHarvested(
            f"{folder / STATE} is damaged: remove it, and everything is fetched again"
        ) from None
    return state


def file_name(identifier: str, suffix: str) -> str:
    """Return the name of a record's file: its identifier, with a digest if that is too long."""
    name = quote(identifier, safe="")
    if len(name) > MAX_NAME_LENGTH:
        name = f"{name[:MAX_NAME_LENGTH]}-{hashlib.sha256(identifier.encode()).hexdigest()[:16]}"
    return f"{name}{suffix}"


def record_name(file: str) -> str:
    """Return what people call the record in a harvested file: its identifier or address."""
    stem, dot, suffix = file.rpartition(".")
    name = stem if dot else suffix
    shown = name[:MAX_NAME_LENGTH]
    return unquote(shown) + ("…" if len(name) > MAX_NAME_LENGTH else "")


def _write(path: Path, body: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f"{path.name}.part")
    beside.write_bytes(body)
    beside.replace(path)
