"""The one place where objects change: conditional writes, one journal entry per change.

The journal has the truth, in one write; what is published is made from it (`publisher.py`), and
made again as often as one likes. So nothing has to be undone after a crash.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import msgspec

from vitrine.catalogue.records import (
    ObjectRecord,
    inner_collections,
    listed_objects,
    used_images,
)
from vitrine.errors import ObjectRefused, PreconditionFailed, RevisionChanged
from vitrine.ports import VersionedStore
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import listing_key, outer_key, use_key
from vitrine.store.revisions import Revisions

THREADS = 16
"""Notes that are written at a time: a book may have 20,000 images."""

Prepare = Callable[[ObjectRecord | None, ObjectRecord], Mapping[str, int]]
Refuse = Callable[[ObjectRecord], None]
Edit = Callable[[ObjectRecord | None], ObjectRecord | None]
"""From the current record to the one that replaces it, or None if nothing has to change. May raise
the error that forbids the change."""


def _prepare_nothing(before: ObjectRecord | None, after: ObjectRecord) -> Mapping[str, int]:
    return {}


def _undo_nothing(prepared: ObjectRecord) -> None:
    return None


@dataclass(frozen=True)
class ObjectChange:
    """What an identifier is now, and whether this made it so."""

    record: ObjectRecord
    made: bool
    replaced: ObjectRecord | None = None
    """The record before, in this attempt or an earlier one."""
    seen: Mapping[str, int] = field(default_factory=dict)
    """Revisions that `prepare` returned."""


@dataclass(frozen=True)
class ObjectRegister:
    """The objects' journal, and next to it the notes which objects show an image, and which
    collections list an object."""

    store: VersionedStore
    journal: Revisions[ObjectRecord]
    prepare: Prepare = _prepare_nothing
    """Is called before each attempt to append a record in the place of another."""
    refuse: Refuse = _undo_nothing
    """Is called for a record that was prepared, and then refused."""

    def change(self, identifier: str, edit: Edit) -> ObjectChange:
        """Append what `edit` makes of the newest record; it may be called several times.

        The `revision` of what it returns is ignored. Raises what it raises, and TransientError if
        others keep changing the same object.
        """
        prepared: list[ObjectRecord] = []

        def attempt() -> ObjectChange:
            current = self.journal.latest(identifier)
            edited = edit(current)
            if edited is None:
                assert current, "nothing becomes something by an edit"
                before = self.journal.entry(identifier, current.revision - 1)
                return ObjectChange(current, made=False, replaced=before)
            revision = current.revision + 1 if current else 1
            owner = edited.owner or (current.owner if current else "")
            entry = msgspec.structs.replace(edited, revision=revision, owner=owner)
            # Before the entry: a note too many costs one look, one too few an outdated manifest.
            self._note(_notes(entry) - _notes(current))
            prepared.append(entry)
            seen = self.prepare(current, entry)
            self._append(entry)
            return ObjectChange(entry, made=True, replaced=current, seen=seen)

        try:
            return retry_if_changed(attempt, f'The object "{identifier}"')
        except (ObjectRefused, RevisionChanged):
            if prepared:
                self.refuse(prepared[-1])
            raise

    def note(self, identifier: str) -> None:
        """Write again which objects a collection lists: older ones were put without these notes.

        Those of images stay as old as they are: an image's page leads to the first that showed it.
        """
        record = self.journal.latest(identifier)
        listed = listed_objects(record)
        self._note({listing_key(object_, identifier) for object_ in listed})
        self._note(_notes_of_inner(record))

    def note_uses(self, objects: Mapping[str, str]) -> None:
        """Write the notes which object will show each image, before there is a record of it."""
        self._note({use_key(image, object_) for image, object_ in objects.items()})

    def _note(self, keys: set[str]) -> None:
        def note(key: str) -> None:
            self.store.put(key, b"", content_type="application/octet-stream")

        with ThreadPoolExecutor(THREADS, thread_name_prefix="notes") as threads:
            for _ in threads.map(note, sorted(keys)):
                pass

    def _append(self, entry: ObjectRecord) -> None:
        """Add `entry` to the journal. Raises PreconditionFailed if another took its revision."""
        try:
            self.journal.append(entry.identifier, entry.revision, entry)
        except PreconditionFailed:
            # The entry is ours if the response to a first attempt was lost.
            if self.journal.entry(entry.identifier, entry.revision) != entry:
                raise


def _notes(record: ObjectRecord | None) -> set[str]:
    """Return the keys of all notes that a record needs."""
    if record is None:
        return set()
    name = record.identifier
    return (
        {use_key(image, name) for image in used_images(record)}
        | {listing_key(object_, name) for object_ in listed_objects(record)}
        | _notes_of_inner(record)
    )


def _notes_of_inner(record: ObjectRecord | None) -> set[str]:
    """Return the keys of the notes which collections a collection lists."""
    return {outer_key(inner, record.identifier) for inner in inner_collections(record) if record}
