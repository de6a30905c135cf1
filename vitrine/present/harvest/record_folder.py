"""A folder with a file for each record of a repository, and where the last harvest ended."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from vitrine.present.harvest.guarded_http import NotHarvested
from vitrine.present.harvest.oai_pmh import OaiRecord, Repository, TokenLost

STATE = "harvest.state"
LONGEST_NAME = 180


@dataclass
class Harvest:
    """What a harvest brought."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    seen: set[str] = field(default_factory=set, repr=False)
    """Names of the files."""

    def as_json(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in ("new", "changed", "unchanged", "deleted")}


@dataclass(frozen=True)
class RecordFolder:
    """`folder` has what was harvested of one repository, format and set."""

    folder: Path
    repository: Repository
    prefix: str
    set_name: str = ""

    def harvest(
        self, *, everything: bool = False, on_progress: Callable[[int], None] = lambda done: None
    ) -> Harvest:
        """Fetch what changed since the last harvest, or everything; go on where one was stopped.

        A record is a file, written whole or not at all. After everything was fetched, files of
        records that are no longer there are removed. Raises NotHarvested and OSError: what was
        fetched stays, and the same call again goes on.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / STATE).exists():
            if any(self._files()):
                raise NotHarvested(
                    f"{self.folder} has XML files that no harvest wrote: name another folder in "
                    "source.table"
                )
            self._write_state({})
        state = {} if everything else self._read_state()
        try:
            return self._harvest(state, on_progress)
        except TokenLost:
            if "token" not in state:
                raise
            return self._harvest({**state, "token": ""}, on_progress)

    def _harvest(self, state: dict[str, Any], on_progress: Callable[[int], None]) -> Harvest:
        result, since, token = Harvest(), state.get("since", ""), state.get("token", "")
        begun = state.get("begun", "") if token else ""
        is_whole = not since and not token
        done = 0
        if since and not token:
            since = self.repository.day_or_second(since)
        pages = self.repository.pages(self.prefix, set_name=self.set_name, since=since, token=token)
        for page in pages:
            begun = begun or page.answered
            for record in page.records:
                self._keep(record, result)
            done += len(page.records)
            on_progress(done)
            self._write_state({"since": since, "begun": begun, "token": page.token})
        if is_whole:
            self._remove_others(result)
        self._write_state({"since": begun, "token": ""})
        return result

    def _keep(self, record: OaiRecord, result: Harvest) -> None:
        path = self.folder / file_name(record.identifier)
        result.seen.add(path.name)
        if record.body is None:
            result.deleted += path.exists()
            path.unlink(missing_ok=True)
            return
        before = path.read_bytes() if path.exists() else None
        if before == record.body:
            result.unchanged += 1
            return
        _write(path, record.body)
        if before is None:
            result.new += 1
        else:
            result.changed += 1

    def _remove_others(self, result: Harvest) -> None:
        if not result.seen and any(self._files()):
            raise NotHarvested(
                f"{self.repository.address} has no records any more: if that is right, remove "
                f"{self.folder}"
            )
        for path in self._files():
            if path.name not in result.seen:
                path.unlink()
                result.deleted += 1

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.xml"))

    def _read_state(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = json.loads((self.folder / STATE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            raise NotHarvested(
                f"{self.folder / STATE} is damaged: remove it, and everything is fetched again"
            ) from None
        if state.get("of") != self._of():
            raise NotHarvested(
                f"{self.folder} has records of {' '.join(state.get('of', ['another source']))}: "
                "name another folder in source.table, or fetch all with --everything"
            )
        return state

    def _write_state(self, state: dict[str, Any]) -> None:
        text = json.dumps({"of": self._of(), **state}, indent=2)
        _write(self.folder / STATE, text.encode())

    def _of(self) -> list[str]:
        return [self.repository.address, self.prefix, self.set_name]


def file_name(identifier: str) -> str:
    """Return the name of a record's file: its identifier, with a digest if that is too long."""
    name = quote(identifier, safe="")
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}-{hashlib.sha256(identifier.encode()).hexdigest()[:16]}"
    return f"{name}.xml"


def _write(path: Path, body: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f"{path.name}.part")
    beside.write_bytes(body)
    beside.replace(path)
