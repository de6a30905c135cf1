"""The one place where an identifier changes: first the journal, then the table, then the event.

The first to write a journal entry has made the change. A second writer finds that entry, copies it
into the table (its author may have died between the two writes), and decides again from the record
that is current then. So a change is made completely or not at all, whichever process dies when.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from vitrine.errors import PreconditionFailed, RecordDamaged
from vitrine.events import ImageChanged
from vitrine.identify.journal import Journal
from vitrine.identify.share_links import renew_links
from vitrine.identify.stated_rules import copy_rule
from vitrine.ports import EventBus, IdentifierTable
from vitrine.records import Record, Redirect, Removed
from vitrine.store.conditional_writes import retry_if_changed

Edit = Callable[[Record | None], Record | None]
"""Takes the current record and returns the one that replaces it, None if nothing has to change.
Raises the error that forbids the change."""


@dataclass(frozen=True)
class IdentifierChange:
    """What an identifier answers now, and what that replaced, in this attempt or an earlier one."""

    replaced: Record | None
    after: Record | None
    made: bool
    """False if nothing had to change."""


@dataclass(frozen=True)
class Register:
    """The identifiers and their journal."""

    table: IdentifierTable
    journal: Journal
    events: EventBus
    owner: str = ""
    """Collection that an identifier belongs to which is used for the first time."""

    def change(self, identifier: str, edit: Edit) -> IdentifierChange:
        """Replace the record of `identifier` by what `edit` makes of it, and announce it.

        `edit` may be called several times; the `revision` of the record it returns is ignored, and
        one without a rule of access, or an owner, keeps that of the record it replaces. The event
        is sent even if nothing has to change, because an earlier attempt may have died before
        sending it. A damaged record is written again from the journal first. Raises what `edit`
        raises, RecordDamaged if the journal has no entry, and TransientError.
        """
        return self._announce_change(self.change_silently(identifier, edit))

    def change_silently(
        self, identifier: str, edit: Edit, known: Sequence[Record | None] = ()
    ) -> IdentifierChange:
        """Do the same, and send no event: it answers as before, or the caller sends one.

        `known` has the record, or None for none, if it was just read: if that has changed since,
        it is read again.
        """
        what = f'The identifier "{identifier}"'
        waiting = list(known)

        def write() -> IdentifierChange:
            current = waiting.pop() if waiting else self._read(identifier)
            return self._change(identifier, edit, current)

        return retry_if_changed(write, what)

    def _read(self, identifier: str) -> Record | None:
        try:
            return self.table.get(identifier)
        except RecordDamaged as damaged:
            if not self._catch_up(identifier, damaged):
                raise
            return self.table.get(identifier)

    def _change(self, identifier: str, edit: Edit, current: Record | None) -> IdentifierChange:
        edited = edit(current)
        if edited is None:
            return IdentifierChange(self._previous_record(current), current, made=False)
        entry = replace(edited, revision=_record_revision(current) + 1)
        if current and not entry.access:
            # A rule holds until it is replaced by another, whatever the identifier becomes.
            entry = copy_rule(entry, current)
        if not entry.owner:
            entry = replace(entry, owner=self._owner_after(current))
        entry = renew_links(_note_target(entry, current), current)
        self._append_entry(entry, current)
        self._write_table(entry, current)
        return IdentifierChange(current, entry, made=True)

    def _owner_after(self, current: Record | None) -> str:
        if current is None or (isinstance(current, Removed) and not current.owner):
            return self.owner
        return current.owner

    def _previous_record(self, record: Record | None) -> Record | None:
        if record is None or record.revision < 2:
            return None
        return self.journal.entry(record.identifier, record.revision - 1)

    def _append_entry(self, entry: Record, replaces: Record | None) -> None:
        """Add `entry` to the journal. Raises PreconditionFailed if another took its revision."""
        try:
            self.journal.append(entry)
        except PreconditionFailed:
            # The entry is ours if the response to a first attempt was lost.
            if self.journal.entry(entry.identifier, entry.revision) != entry:
                self._catch_up(entry.identifier, replaces)
                raise

    def _write_table(self, entry: Record, replaces: Record | RecordDamaged | None) -> None:
        with suppress(PreconditionFailed):  # another process copied our entry first
            self.table.write(entry, replaces)

    def _catch_up(self, identifier: str, current: Record | RecordDamaged | None) -> bool:
        """Copy the newest entry of the journal into the table; return False if it has no entry."""
        latest = self.journal.latest(identifier)
        if latest is None:
            return False
        self._write_table(latest, current)
        return True

    def _announce_change(self, change: IdentifierChange) -> IdentifierChange:
        if change.after is not None:
            event = ImageChanged.of(change.after, change.replaced)
            self.events.publish(event.name(), event.detail())
        return change


def _note_target(entry: Record, current: Record | None) -> Record:
    """Return the entry with what a redirect that it takes the place of led to."""
    if not isinstance(current, Redirect):
        return entry
    passed = {*entry.previous_targets, current.target}
    if isinstance(entry, Redirect):
        passed.discard(entry.target)
    return replace(entry, previous_targets=tuple(sorted(passed)))


def _record_revision(record: Record | None) -> int:
    return record.revision if record else 0
