"""A folder with a file for each record of an OAI-PMH repository."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitrine.sources.harvest.kept_folder import (
    Harvest,
    KeptFolder,
    OnProgress,
    file_name,
    resumed,
    so_far,
)
from vitrine.sources.harvest.oai_pmh import OaiRecord, Repository, TokenLost

SUFFIX = ".xml"


@dataclass(frozen=True)
class RecordFolder:
    """`folder` has what was harvested of one repository, format and set."""

    folder: Path
    repository: Repository
    prefix: str
    set_name: str = ""

    def harvest(
        self, *, everything: bool = False, on_progress: OnProgress = lambda done: None
    ) -> Harvest:
        """Fetch what changed since the last harvest, or everything; go on where one was stopped.

        A record is a file, written whole or not at all. After everything was fetched, files of
        records that are no longer there are removed. Raises NotHarvested and OSError: what was
        fetched stays, and the same call again goes on.
        """
        kept = KeptFolder(
            self.folder, SUFFIX, (self.repository.address, self.prefix, self.set_name)
        )
        kept.prepare()
        state = {} if everything else kept.read_state()
        try:
            return self._harvest(kept, state, on_progress)
        except TokenLost:
            if "token" not in state:
                raise
            return self._harvest(kept, {**state, "token": ""}, on_progress)

    def _harvest(self, kept: KeptFolder, state: dict[str, Any], on_progress: OnProgress) -> Harvest:
        since, token = state.get("since", ""), state.get("token", "")
        result = resumed(state) if token else Harvest()
        begun = state.get("begun", "") if token else ""
        is_whole = not since and not token
        done = 0
        if since and not token:
            since = self.repository.day_or_second(since)
        pages = self.repository.pages(self.prefix, set_name=self.set_name, since=since, token=token)
        for page in pages:
            begun = begun or page.answered
            for number, record in enumerate(page.records, start=done + 1):
                self._keep(kept, record, number, result)
            done += len(page.records)
            kept.write_state(
                {"since": since, "begun": begun, "token": page.token, **so_far(result)}
            )
            on_progress(done)
        # The file of a record whose name cannot be read might be taken for one that is gone.
        if is_whole and file_name("", SUFFIX) not in result.seen:
            kept.remove_others(result)
        kept.write_state({"since": begun, "token": ""})
        return result

    def _keep(self, kept: KeptFolder, record: OaiRecord, number: int, result: Harvest) -> None:
        name = file_name(record.identifier, SUFFIX)
        if record.fault:
            called = (
                record.identifier or f"A record without a legible identifier, number {number:,}"
            )
            result.failures.append(
                f"{called} is left out: {record.fault}. A file that was harvested of it before "
                "stays as it is; the repository has to mend the record"
            )
            result.seen.add(name)
        elif record.body is None:
            kept.remove(name, result)
        else:
            kept.keep(name, record.body, result)
