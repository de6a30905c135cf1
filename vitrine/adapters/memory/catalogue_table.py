"""The catalogue in memory."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from threading import Lock

from vitrine.ports import Statement


class MemoryCatalogueTable:
    """Dictionaries with the table's keys."""

    def __init__(self) -> None:
        self._subjects: dict[str, dict[tuple[str, int], Statement]] = defaultdict(dict)
        self._lock = Lock()

    def about(self, subject: str) -> Iterator[Statement]:
        with self._lock:
            found = sorted(self._subjects[subject].items())
        return (statement for _, statement in found)

    def write(self, statements: Collection[Statement]) -> None:
        with self._lock:
            for one in statements:
                self._subjects[one.subject][one.author, one.revision] = one
