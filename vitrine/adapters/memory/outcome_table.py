"""The outcomes table in memory."""

from threading import Lock

from vitrine.ingest.outcome import Outcome


class MemoryOutcomeTable:
    """A dictionary with the table's conditions."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}
        self._lock = Lock()

    def get(self, master_key: str) -> Outcome | None:
        return self._outcomes.get(master_key)

    def record(self, outcome: Outcome) -> None:
        with self._lock:
            there = self._outcomes.get(outcome.master_key)
            if there is None or _replaces(outcome, there):
                self._outcomes[outcome.master_key] = outcome

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        found = [outcome for outcome in self._outcomes.values() if outcome.state == state]
        return sorted(found, key=lambda outcome: outcome.changed_at, reverse=True)[:limit]


def _replaces(outcome: Outcome, there: Outcome) -> bool:
    if outcome.state == "running" and outcome.master_version == there.master_version:
        return there.state == "running"
    return outcome.master_modified >= there.master_modified
