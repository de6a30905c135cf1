"""The one place where an identifier changes: first the journal, then the table, then the news.

The first to write an entry of the journal has made the change. Who comes second finds the entry
there, carries it into the table for the other (who may have died between the two writes), and
decides anew from what stands then. So a change is whole or not at all, whatever dies when.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from vitrine.errors import PreconditionFailed, TransientError
from vitrine.events import ImageChanged
from vitrine.identify.journal import Journal
from vitrine.ports import EventBus, IdentifierTable
from vitrine.records import Record

ATTEMPTS = 20

Decide = Callable[[Record | None], Record | None]
"""From what stands to what shall be; None where that is well already. Raises what forbids it."""


@dataclass(frozen=True)
class Change:
    """What an identifier answers now, and what that replaced, now or in an earlier try."""

    replaced: Record | None
    after: Record | None
    made: bool
    """False where it was well already."""


@dataclass(frozen=True)
class Register:
    """The identifiers and their journal."""

    table: IdentifierTable
    journal: Journal
    events: EventBus

    def change(self, identifier: str, decide: Decide) -> Change:
        """Let the identifier answer what `decide` makes of what it answers now.

        `decide` may be asked several times, its record's `revision` does not matter. The event
        is sent again when there is nothing to change: an earlier try may have died before it.
        Raises what `decide` raises, and TransientError.
        """
        for _ in range(ATTEMPTS):
            there = self.table.get(identifier)
            wanted = decide(there)
            if wanted is None:
                return self._tell(Change(self._before(there), there, made=False))
            entry = replace(wanted, revision=_revision(there) + 1)
            if not self._append(entry):
                self._catch_up(identifier, there)
                continue
            self._carry_over(entry, there)
            return self._tell(Change(there, entry, made=True))
        raise TransientError(f"{identifier} is being changed by others")

    def _before(self, record: Record | None) -> Record | None:
        if record is None or record.revision < 2:
            return None
        return self.journal.entry(record.identifier, record.revision - 1)

    def _append(self, entry: Record) -> bool:
        try:
            self.journal.append(entry)
        except PreconditionFailed:
            # Ours all the same when the answer of a first try was lost.
            return self.journal.entry(entry.identifier, entry.revision) == entry
        return True

    def _carry_over(self, entry: Record, replaces: Record | None) -> None:
        with suppress(PreconditionFailed):  # another caught up with our entry first
            self.table.write(entry, replaces)

    def _catch_up(self, identifier: str, there: Record | None) -> None:
        latest = self.journal.latest(identifier)
        if latest is not None:
            self._carry_over(latest, there)

    def _tell(self, change: Change) -> Change:
        if change.after is not None:
            event = ImageChanged.of(change.after)
            self.events.publish(event.name(), event.detail())
        return change


def _revision(record: Record | None) -> int:
    return record.revision if record else 0
