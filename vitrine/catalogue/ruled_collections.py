"""Collections that have a rule of access, and what is in them, as their newest records have it.

A collection may have 100,000 members, so a record is read again only if it has another revision.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    member_pictures,
    rule_of,
)
from vitrine.catalogue.register import MemberListing
from vitrine.identify.inherited_rules import rules_for
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import VersionedStore
from vitrine.store.layout import RULED, listings_folder, outer_folder, user_of
from vitrine.store.revisions import Revisions, list_folder

THREADS = 16
"""Collections in one that are read at a time."""
MAX_KEPT = 8
"""Collections in memory."""


@dataclass(frozen=True)
class KeptCollection:
    """What is known of a collection, or of its previous identifier."""

    revision: int
    rule: str = ""
    owner: str = ""
    members: Mapping[str, bool] = field(default_factory=dict)
    """Its members, and whether each is a collection."""
    pictures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The images that it shows of members."""
    target: str = ""
    """Identifier that a previous identifier redirects to."""


class RuledCollections:
    """Reads them; what was read is kept for as long as it is the newest."""

    def __init__(self, records: VersionedStore, journal: Revisions[ObjectRecord]) -> None:
        self._records = records
        self._journal = journal
        self._kept: dict[str, KeptCollection] = {}
        self._lock = Lock()

    def names(self) -> set[str]:
        """Return the collections that have a rule, or once had one. Raises TransientError."""
        return set(map(user_of, list_folder(self._records, RULED)))

    def get(self, identifier: str) -> KeptCollection:
        """Return what a collection is now. Raises TransientError."""
        revision = self._journal.newest_revision(identifier)
        with self._lock:
            kept = self._kept.get(identifier)
        if kept is None or kept.revision != revision:
            kept = _keep(self._journal.entry(identifier, revision), revision)
        with self._lock:
            self._kept.pop(identifier, None)
            self._kept[identifier] = kept
            while len(self._kept) > MAX_KEPT:
                del self._kept[next(iter(self._kept))]
        return kept

    def is_newest(self, identifier: str, kept: KeptCollection) -> bool:
        """Return True if a collection did not change since. Raises TransientError."""
        return self._journal.newest_revision(identifier) == kept.revision

    def notes(self, identifier: str) -> set[str]:
        """Return what lists an object or collection, or once did, and its previous identifiers."""
        folders = listings_folder(identifier), outer_folder(identifier)
        return {user_of(key) for folder in folders for key in list_folder(self._records, folder)}


@dataclass(frozen=True)
class Holders:
    """The rules that an object's images have from collections."""

    rules: dict[str, str] = field(default_factory=dict)
    """Rules by collection; `open` where a rule ends."""
    previous: set[str] = field(default_factory=set)
    """Previous identifiers of these collections."""
    owners: dict[str, str] = field(default_factory=dict)
    """The owners of those that have one, by collection."""

    def add(self, other: "Holders") -> None:
        """Add those of another object that shows the same image."""
        self.rules.update(other.rules)
        self.previous.update(other.previous)
        self.owners.update(other.owners)

    def note(self, name: str, kept: KeptCollection) -> None:
        """Add the rule of a collection, if it has one."""
        if kept.rule:
            self.rules[name] = kept.rule
            if kept.owner:
                self.owners[name] = kept.owner

    def rules_for(self, owner: str) -> dict[str, str]:
        """Return the rules for images of this owner: not those of other owners' collections."""
        return rules_for(self.rules, self.owners, owner)


def restrictions(rules: Mapping[str, str]) -> dict[str, str]:
    """Return those of the rules by which an image is not open."""
    return {name: rule for name, rule in rules.items() if rule not in ("", "open")}


class Look:
    """One look at the collections: each is read once, and it knows if a rule changed since."""

    def __init__(self, collections: RuledCollections) -> None:
        self._collections = collections
        self._seen: dict[str, KeptCollection] = {}
        self._notes: dict[str, set[str]] = {}

    @cached_property
    def _ruled(self) -> set[str]:
        return self._collections.names()

    def ruled(self, name: str) -> tuple[str, str]:
        """Return the present identifier of a collection, and the rule that it has or had last."""
        present, kept = self._follow(name)
        return present, kept.rule

    def is_current(self) -> bool:
        """Return True if the collections that were read have the same rules and identifiers now.

        Their members may be others: who puts one more announces it, and what left keeps its rule.
        """
        return all(self._has_same_rule(name, seen) for name, seen in self._seen.items())

    def has_rules_of_now(self, table: str) -> bool:
        """Return True if the collections that had rules have the same ones now, and `table` has.

        Their members may be others. Raises TransientError.
        """
        return all(
            self._has_same_rule(name, seen)
            for name, seen in self._seen.items()
            if seen.rule or seen.target or name == table
        )

    def may_hold(self, identifier: str, named: Collection[str] = ()) -> bool:
        """Return True if an object or collection has a rule, or is in one that has, or once was.

        `named` are collections that it says to be part of.
        """
        if not self._ruled:
            return False
        names = [identifier, *named, *(self._follow(name)[0] for name in named)]
        return bool(self._ruled & {*names, *self._noted(names)})

    def holders(
        self, identifier: str, named: Collection[str] = (), *, is_collection: bool = False
    ) -> Holders:
        """Return the rules of all collections that an object or collection is in, however deep.

        `named` are collections that it says to be part of, whether they list it or not.
        """
        holders, own = Holders(), {identifier}
        if self.may_hold(identifier, named):
            for name, kept, is_previous in self._outer(identifier, named):
                holders.note(name, kept)
                if is_previous and kept.target in own and not is_collection:
                    own.add(name)  # what it closed as a collection, it has no rule for now
                elif is_previous:
                    holders.previous.add(name)
        return holders

    def is_within(self, identifier: str, collection: str) -> bool:
        """Return True if a collection is that one, or in it, however deep."""
        return identifier == collection or collection in self.outer(identifier)

    def outer(self, identifier: str) -> set[str]:
        """Return the collections that an object or collection is in, however deep."""
        return {name for name, *_ in self._outer(identifier)}

    def holders_within(self, collection: str) -> Holders:
        """Return the rules of what a collection itself shows: its own, and those of its outer ones.

        What it says to be part of is not looked at, as for its members.
        """
        present, kept = self._follow(collection)
        holders = self.holders(present, is_collection=True)
        holders.note(present, kept)
        return holders

    def pictures(self, collection: str, member: str) -> tuple[str, ...]:
        """Return the images by which a collection shows a member."""
        return self._get(collection).pictures.get(member, ())

    def below(self, identifier: str) -> Iterator[MemberListing]:
        """Yield all members of a collection and of those in it."""
        entered, level = {identifier}, [identifier]
        with ThreadPoolExecutor(THREADS, thread_name_prefix="below") as threads:
            while level:
                read = list(zip(level, threads.map(self._get, level), strict=True))
                level = []
                for outer, kept in read:
                    inner = [kept.target] if kept.target else []
                    for member, is_collection in kept.members.items():
                        yield MemberListing(outer, member, is_collection)
                        inner += [member] if is_collection else []
                    level += [name for name in dict.fromkeys(inner) if name not in entered]
                    entered.update(inner)

    def _outer(
        self, identifier: str, named: Iterable[str] = ()
    ) -> Iterator[tuple[str, KeptCollection, bool]]:
        """Yield all collections that an object is in, and True for previous identifiers of them."""
        entered, waiting = {identifier}, [identifier]
        found = [(*self._follow(name), False) for name in named]
        while found or waiting:
            for name, kept, is_previous in found:
                entered.add(name)
                waiting.append(name)
                yield name, kept, is_previous
            found = []
            child = waiting.pop()
            for name in self._read_notes(child) - entered:
                kept = self._get(name)
                if kept.target == child or child in kept.members:
                    found.append((name, kept, kept.target == child))

    def _follow(self, name: str) -> tuple[str, KeptCollection]:
        passed, kept = {name}, self._get(name)
        while kept.target and kept.target not in passed:
            name = kept.target
            passed.add(name)
            kept = self._get(name)
        return name, kept

    def _has_same_rule(self, name: str, seen: KeptCollection) -> bool:
        if self._collections.is_newest(name, seen):
            return True
        kept = self._collections.get(name)
        return (kept.rule, kept.target) == (seen.rule, seen.target)

    def _get(self, name: str) -> KeptCollection:
        if name in self._seen:
            return self._seen[name]
        # Another thread may have read it meanwhile: what all use is what is compared at the end.
        return self._seen.setdefault(name, self._collections.get(name))

    def _read_notes(self, name: str) -> set[str]:
        if name not in self._notes:
            self._notes[name] = self._collections.notes(name)
        return self._notes[name]

    def _noted(self, identifiers: Iterable[str]) -> set[str]:
        found, waiting = set[str](), [*identifiers]
        while waiting:
            fresh = self._read_notes(waiting.pop()) - found
            found |= fresh
            waiting += fresh
        return found


def _keep(record: ObjectRecord | None, revision: int) -> KeptCollection:
    match record:
        case Described(item=ObjectCollection(members=members)):
            listed = {member.identifier: member.is_collection for member in members}
            pictures = {name: shown for name, shown in member_pictures(record).items() if shown}
            return KeptCollection(revision, rule_of(record), record.owner, listed, pictures)
        case Renamed(target=target):
            return KeptCollection(revision, target=target)
    return KeptCollection(revision, rule_of(record), record.owner if record else "")
