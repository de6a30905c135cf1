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

    def about(self, subject: str, authors: Collection[str] | None = None) -> Iterator[Statement]:
        with self._lock:
            found = sorted(self._subjects[subject].items())
        only = authors if authors is None else {*authors}
        return (one for _, one in found if only is None or one.author in only)

    def write(self, statements: Collection[Statement]) -> None:
        with self._lock:
            for one in statements:
                self._subjects[one.subject][one.author, one.revision] = one
