"""The outcomes table in memory."""

from collections.abc import Collection
from threading import Lock

from vitrine.ingest.outcome import Outcome


class MemoryOutcomeTable:
    """A dictionary with the table's conditions."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}
        self._lock = Lock()

    def get(self, master_key: str) -> Outcome | None:
        return self._outcomes.get(master_key)

    def get_many(self, master_keys: Collection[str]) -> dict[str, Outcome]:
        return {key: self._outcomes[key] for key in master_keys if key in self._outcomes}

    def record(self, outcome: Outcome) -> None:
        with self._lock:
            there = self._outcomes.get(outcome.master_key)
            if there is None or _replaces(outcome, there):
                self._outcomes[outcome.master_key] = outcome

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        found = [outcome for outcome in self._outcomes.values() if outcome.state == state]
        return sorted(found, key=lambda outcome: outcome.changed_at, reverse=True)[:limit]

    def count(self, state: str, limit: int) -> int:
        return len(self.by_state(state, limit))


def _replaces(outcome: Outcome, there: Outcome) -> bool:
    if outcome.state == "running" and outcome.master_version == there.master_version:
        redriven = bool(outcome.redrives) and there.execution == outcome.redrives
        return there.state == "running" or (redriven and there.state != "published")
    return outcome.master_modified >= there.master_modified
