"""What collections are called, on the pages of what is in them."""

import logging
import time
from collections.abc import Iterable

from vitrine.catalogue.records import Described, ObjectRecord
from vitrine.iiif.presentation.model import Texts
from vitrine.store.omissions import FAULTS, RUNBOOK
from vitrine.store.revisions import Revisions

logger = logging.getLogger(__name__)

SECONDS = 60
"""Seconds for which a process may write pages with a title that was replaced."""


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
            return self._read_again(identifier)
        return title

    def get_all(self, identifiers: Iterable[str], *, again: bool = False) -> dict[str, Texts]:
        """Return titles; `again`, as they are now but for those announced. Raises as above."""
        return {
            name: self._read_again(name)
            if again and name not in self._announced
            else self.get(name)
            for name in identifiers
        }

    def announce(self, identifier: str, title: Texts) -> bool:
        """Use the title that a collection gets once its members are published.

        Returns whether its record has another one, or there is no record. Raises TransientError.
        """
        self._announced[identifier] = title
        return self._look_up(identifier) != title

    def is_announced(self, identifier: str, title: Texts) -> bool:
        """Return True if the pages that this process writes have this title already."""
        return self._announced.get(identifier) == title

    def _read_again(self, identifier: str) -> Texts:
        begun = time.monotonic()
        title = self._look_up(identifier)
        if begun >= self._read.get(identifier, (0.0, {}))[0]:
            self._read[identifier] = begun, title
        return title

    def _look_up(self, identifier: str) -> Texts:
        """Return the title; nothing if the record cannot be read, for its members' sake."""
        try:
            return title_of(self._journal.latest(identifier))
        except FAULTS as error:
            logger.error('The record of "%s" cannot be read (%s): %s', identifier, RUNBOOK, error)
            return {}


def title_of(record: ObjectRecord | None) -> Texts:
    """Return the title that a record gives; nothing for what is not to be seen."""
    return record.item.label if isinstance(record, Described) else {}
