"""What collections are called, on the pages of what is in them."""

import time

from vitrine.iiif.presentation.model import Texts
from vitrine.present.objects.records import Described, ObjectRecord
from vitrine.store.revisions import Revisions

SECONDS = 60
"""How long a process may write pages with a title that was replaced."""


class CollectionTitles:
    """Reads the title of a collection from its newest record, again once in a while."""

    def __init__(self, journal: Revisions[ObjectRecord]) -> None:
        self._journal = journal
        self._announced: dict[str, Texts] = {}
        self._read: dict[str, tuple[float, Texts]] = {}

    def get(self, identifier: str) -> Texts:
        """Return the title; nothing for what has no record. Raises TransientError."""
        if identifier in self._announced:
            return self._announced[identifier]
        read_at, title = self._read.get(identifier, (0.0, {}))
        if not read_at or time.monotonic() - read_at > SECONDS:
            title = self._look_up(identifier)
            self._read[identifier] = time.monotonic(), title
        return title

    def announce(self, identifier: str, title: Texts) -> bool:
        """Use the title that a collection gets once its members are published.

        Returns whether its record has another one, or there is no record. Raises TransientError.
        """
        self._announced[identifier] = title
        return self._look_up(identifier) != title

    def _look_up(self, identifier: str) -> Texts:
        record = self._journal.latest(identifier)
        return record.item.label if isinstance(record, Described) else {}
