"""The outcomes table in memory."""

from collections.abc import Collection
from threading import Lock

from vitrine.records import Outcome


class MemoryOutcomeTable:
    """A dictionary with the table's conditions."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}
        self._lock = Lock()

    def get(self, master_key: str) -> Outcome | None:
        return self._outcomes.get(master_key)

    def get_many(self, master_keys: Collection[str]) -> dict[str, Outcome]:
        return {key: self._outcomes[key] for key in master_keys if key in self._outcomes}

    def record(self, outcome: Outcome, over: str = "") -> bool:
        with self._lock:
            current = self._outcomes.get(outcome.master_key)
            kept = current is None or _replaces_outcome(outcome, current, over)
            if kept:
                self._outcomes[outcome.master_key] = outcome
            return kept

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        outcomes = [outcome for outcome in self._outcomes.values() if outcome.listed_as == state]
        return sorted(outcomes, key=lambda outcome: outcome.changed_at, reverse=True)[:limit]

    def count(self, state: str, limit: int) -> int:
        return len(self.by_state(state, limit))


def _replaces_outcome(outcome: Outcome, current: Outcome, over: str) -> bool:
    if outcome.master_version != current.master_version:
        if outcome.master_modified == current.master_modified:
            return current.master_version == over
        return outcome.master_modified > current.master_modified
    if outcome.state == "running":
        redriven = bool(outcome.redrives) and current.execution == outcome.redrives
        return current.state == "running" or (redriven and current.state != "published")
    return outcome.master_modified >= current.master_modified
