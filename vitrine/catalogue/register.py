"""The one place where objects change: conditional writes, one journal entry per change.

The journal has the truth, in one write; what is published is made from it (`publisher.py`), and
made again as often as one likes. So nothing has to be undone after a crash.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from vitrine.access.collection_rules import CollectionRules
from vitrine.catalogue.records import ObjectRecord
from vitrine.catalogue.statements import Catalogue
from vitrine.errors import ObjectRefused, PreconditionFailed, RevisionChanged
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.revisions import Revisions


@dataclass(frozen=True)
class Seen:
    """What was read before a record was written, to be compared with what is there after it."""

    revisions: Mapping[str, int] = field(default_factory=dict)
    """Revisions of the members of a list."""
    rules: CollectionRules | None = None
    """The table of rules when what a list shows was first noted; None for what is no list."""


NOTHING_SEEN = Seen()
Prepare = Callable[[ObjectRecord | None, ObjectRecord], Seen]
Refuse = Callable[[ObjectRecord], None]
Edit = Callable[[ObjectRecord | None], ObjectRecord | None]
"""From the current record to the one that replaces it, or None if nothing has to change. May raise
the error that forbids the change."""


def _prepare_nothing(before: ObjectRecord | None, after: ObjectRecord) -> Seen:
    return NOTHING_SEEN


def _undo_nothing(prepared: ObjectRecord) -> None:
    return None


@dataclass(frozen=True)
class ObjectChange:
    """What an identifier is now, and whether this made it so."""

    record: ObjectRecord
    made: bool
    replaced: ObjectRecord | None = None
    """The record before, in this attempt or an earlier one."""
    seen: Seen = NOTHING_SEEN
    """Result of `prepare`."""


@dataclass(frozen=True)
class ObjectRegister:
    """The objects' journal, and the catalogue of what its records say of others."""

    catalogue: Catalogue
    prepare: Prepare = _prepare_nothing
    """Is called before each attempt to append a record in the place of another."""
    refuse: Refuse = _undo_nothing
    """Is called for a record that was prepared, and then refused."""

    def change(self, identifier: str, edit: Edit) -> ObjectChange:
        """Append what `edit` makes of the newest record; it may be called several times.

        The `revision` of what it returns is ignored. Raises what it raises, and TransientError if
        others keep changing the same object.
        """
        prepared, rules = list[ObjectRecord](), list[CollectionRules | None]()

        def attempt() -> ObjectChange:
            current = self._journal.latest(identifier)
            edited = edit(current)
            if edited is None:
                assert current, "nothing becomes something by an edit"
                before = self._journal.entry(identifier, current.revision - 1)
                return ObjectChange(current, made=False, replaced=before)
            revision = current.revision + 1 if current else 1
            owner = edited.owner or (current.owner if current else "")
            entry = msgspec.structs.replace(edited, revision=revision, owner=owner)
            self.catalogue.announce(current, entry)
            prepared.append(entry)
            seen = self.prepare(current, entry)
            rules.append(seen.rules)
            self._append(entry)
            self.catalogue.settle(current, entry)
            seen = Seen(seen.revisions, rules[0])
            return ObjectChange(entry, made=True, replaced=current, seen=seen)

        try:
            return retry_if_changed(attempt, f'The object "{identifier}"')
        except (ObjectRefused, RevisionChanged):
            if prepared:
                self.refuse(prepared[-1])
            raise

    @property
    def _journal(self) -> Revisions[ObjectRecord]:
        return self.catalogue.journal

    def _append(self, entry: ObjectRecord) -> None:
        """Add `entry` to the journal. Raises PreconditionFailed if another took its revision."""
        try:
            self._journal.append(entry.identifier, entry.revision, entry)
        except PreconditionFailed:
            # The entry is ours if the response to a first attempt was lost.
            if self._journal.entry(entry.identifier, entry.revision) != entry:
                raise
