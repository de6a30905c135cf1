"""The real history of each master, by the answers of S3; the audit compares with it."""

import threading
from dataclasses import dataclass, field

from loadtest.drills.ingest.drill_masters import DrillPicture, Master


@dataclass
class KeyHistory:
    """One key. `masters` in the order of their uploads, the last one last; None is a deletion."""

    key: str
    masters: list[Master] = field(default_factory=list)

    @property
    def last(self) -> Master:
        """Current content of the key."""
        return self.masters[-1]

    @property
    def pictures(self) -> list[DrillPicture]:
        """All that could ever be published of it."""
        return [master for master in self.masters if isinstance(master, DrillPicture)]


class DrillLedger:
    """Histories by key, written by the uploaders' threads."""

    def __init__(self) -> None:
        self._histories: dict[str, KeyHistory] = {}
        self._lock = threading.Lock()

    def note(self, key: str, master: Master) -> None:
        """S3 said that this was done."""
        with self._lock:
            self._histories.setdefault(key, KeyHistory(key)).masters.append(master)

    def histories(self) -> list[KeyHistory]:
        """Return all histories, by key."""
        with self._lock:
            return [self._histories[key] for key in sorted(self._histories)]
