"""Which collections list an object, and which show an image, as the newest records have it.

Notes next to the journal (`uses/`) lead from an image to what shows it, and from there to what
lists that. They say what is, or once was: so each is compared with the record that it names. A
collection may have 100,000 members, so its record is read again only if it has another revision.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    follow_renames,
    used_images,
)
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import IdentifierTable, VersionedStore
from vitrine.store.layout import listings_folder, outer_folder, user_of, uses_folder
from vitrine.store.omissions import FAULTS
from vitrine.store.revisions import Revisions, list_folder

THREADS = 16
MAX_KEPT = 8
"""Collections in memory."""


@dataclass(frozen=True)
class _Lister:
    """What lists others, or did, or a previous identifier of an object or collection."""

    revision: int
    members: frozenset[str] | None = frozenset()
    """None: nobody knows, since the record cannot be read; then it lists what it once did."""
    target: str = ""


@dataclass(frozen=True)
class CollectionsOf:
    """Looks collections up; what was read is kept for as long as it is the newest."""

    records: VersionedStore
    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable
    _kept: dict[str, _Lister] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def listing(self, identifier: str) -> set[str]:
        """Return the collections that list an object, a collection or an image by itself.

        Also by its previous identifiers. Raises TransientError.
        """
        found, passed, waiting = set[str](), {identifier}, [identifier]
        while waiting:
            child = waiting.pop()
            for name in self._notes(child):
                lister = self._get(name)
                if lister.target == child and name not in passed:
                    passed.add(name)
                    waiting.append(name)
                elif lister.members is None or child in lister.members:
                    found.add(name)
        return found

    def showing(self, image: str, *, with_named: bool = True) -> set[str]:
        """Return the collections that show an image, by itself, as a picture or by an object.

        Also by what redirects to it; and `with_named`, those that only the object names, in
        `part_of`. Raises TransientError.
        """
        redirects = self.identifiers.redirects_to(image)
        names = {image, *(redirect.identifier for redirect in redirects)}
        users = {
            user_of(key) for one in names for key in list_folder(self.records, uses_folder(one))
        }

        def read(user: str) -> set[str]:
            try:
                record = self.journal.latest(user)
            except FAULTS:
                return {user, *self.listing(user)}
            if not used_images(record) & names:
                return set()
            match record:
                case Described(item=ObjectCollection()):
                    return {user}
                case Described(item=item):
                    return {*self.listing(user), *(item.part_of if with_named else ())}
            return set()

        # Thousands of objects may have the same logo.
        with ThreadPoolExecutor(THREADS, thread_name_prefix="users") as threads:
            found = set().union(*threads.map(read, sorted(users)))
        for name in names:
            if any(self._notes(name)) and self.journal.latest(name) is None:
                found |= self.listing(name)
        return found

    def images_below(self, collection: str) -> Iterator[str]:
        """Yield what a collection shows, however deep, and what it lists without a record.

        An image may come more than once. Raises TransientError.
        """
        entered, level = {collection}, [collection]
        with ThreadPoolExecutor(THREADS, thread_name_prefix="below") as threads:
            while level:
                read = list(threads.map(lambda name: follow_renames(self.journal, name), level))
                level = []
                for name, record in read:
                    entered.add(name)
                    match record:
                        case Described(item=ObjectCollection(members=members)):
                            yield from sorted(used_images(record))
                            new = {one.identifier for one in members} - entered
                            entered |= new
                            level += sorted(new)
                        case Described():
                            yield from sorted(used_images(record))
                        case None:
                            yield name

    def _notes(self, identifier: str) -> set[str]:
        """Return what lists an object or collection, or once did, and its previous identifiers."""
        folders = listings_folder(identifier), outer_folder(identifier)
        return {user_of(key) for folder in folders for key in list_folder(self.records, folder)}

    def _get(self, identifier: str) -> _Lister:
        revision = self.journal.newest_revision(identifier)
        with self._lock:
            kept = self._kept.get(identifier)
        if kept is None or kept.revision != revision:
            kept = self._read(identifier, revision)
        with self._lock:
            self._kept.pop(identifier, None)
            self._kept[identifier] = kept
            while len(self._kept) > MAX_KEPT:
                del self._kept[next(iter(self._kept))]
        return kept

    def _read(self, identifier: str, revision: int) -> _Lister:
        try:
            record = self.journal.entry(identifier, revision)
        except FAULTS:
            return _Lister(revision, None)
        match record:
            case Described(item=ObjectCollection(members=members)):
                return _Lister(revision, frozenset(one.identifier for one in members))
            case Renamed(target=target):
                return _Lister(revision, target=target)
        return _Lister(revision)
