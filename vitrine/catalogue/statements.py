"""What records say of others, as the catalogue has it: who is shown, and who is listed where.

A change is written in three steps: first that the record is about to say something else, then the
record, then what it says. So a settled statement is a fact about a record that exists, and anyone
who meets another one looks the record up, whichever process died when. Of the statements of one
author about one subject, that of the newest revision counts; so they may arrive in any order.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event

from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    TakenDown,
    inner_collections,
    listed_objects,
    used_images,
)
from vitrine.errors import ServiceRefused
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import CatalogueTable, Statement
from vitrine.store.clock import now
from vitrine.store.layout import (
    LISTS,
    MOVED,
    NAMES,
    PICTURES,
    SHOWS,
    image_subject,
    member_subject,
    named_subject,
)
from vitrine.store.omissions import FAULTS
from vitrine.store.revisions import Revisions

KINDS, COLLECTION, WITHDRAWN = "kinds", "collection", "withdrawn"
"""Subject of what all but objects say: collections, what is withdrawn, and previous identifiers,
which say `MOVED` and where they lead; and the words of the others. There may be 100,000 of them, so
they are read by author."""
UNREADABLE = "unreadable"
"""Nobody knows: the author's record cannot be read, or is about to be written."""
NOTHING: tuple[str, ...] = ()
CANARY = "canary"
"""Subject of a statement by which writers tell a catalogue that was lost from a new one."""

Said = Mapping[str, tuple[str, ...]]
"""All that one record says, by subject."""
LOST = (
    "The catalogue has lost what records say of others: bring it back with "
    "`vitrine object rebuild`. Until then no object or collection can be changed."
)


def said_by(record: ObjectRecord | None) -> Said:
    """Return what a record says, by subject."""
    if record is None:
        return {}
    shows, lists = SHOWS, LISTS
    named: tuple[str, ...] = ()
    match record:
        case Described(item=ObjectCollection()):
            shows = PICTURES
        case Described(item=item):
            named = item.part_of
        case Renamed():
            lists = MOVED
    members = listed_objects(record) | inner_collections(record)
    return {
        **{image_subject(image): (shows,) for image in used_images(record)},
        **{member_subject(member): (lists,) for member in members},
        **({member_subject(record.identifier): (NAMES, *named)} if named else {}),
        **{named_subject(collection): (NAMES,) for collection in named},
        **_said_of_kind(record),
    }


def _said_of_kind(record: ObjectRecord) -> Said:
    match record:
        case TakenDown():
            return {KINDS: (WITHDRAWN,)}
        case Renamed(target=target):
            return {KINDS: (MOVED, target)}
        case Described(item=ObjectCollection()):
            return {KINDS: (COLLECTION,)}
    return {}


Kinds = Mapping[str, tuple[str, ...]]
"""Statements about kinds, by identifier; objects make none."""


def kind_at_end(kinds: Kinds, identifier: str) -> str:
    """Return the kind of what an identifier leads to; "" for an object, and for nothing."""
    passed = set[str]()
    while (says := kinds.get(identifier)) and says[0] == MOVED and identifier not in passed:
        passed.add(identifier)
        identifier = says[1]
    return says[0] if says else ""


@dataclass(frozen=True)
class Catalogue:
    """The statements of all records of a journal."""

    table: CatalogueTable
    journal: Revisions[ObjectRecord]
    _checked: Event = field(default_factory=Event)

    def announce(self, before: ObjectRecord | None, after: ObjectRecord) -> None:
        """Write that a record is about to say something else, before it is.

        Raises ServiceRefused if the catalogue was lost.
        """
        self._check()
        self._write(after, dict.fromkeys(_changed(before, after)))

    def settle(self, before: ObjectRecord | None, after: ObjectRecord) -> None:
        """Write what is said otherwise by a record that has taken the place of another."""
        said = said_by(after)
        self._write(after, {one: said.get(one, NOTHING) for one in _changed(before, after)})

    def announce_uses(self, objects: Mapping[str, str]) -> None:
        """Write which object is going to show each image, before there is a record of it."""
        self._check()
        at = now()
        self.table.write(
            [
                Statement(
                    subject=image_subject(image), author=object_, revision=0, said_at=at, says=None
                )
                for image, object_ in objects.items()
            ]
        )

    def plant_canary(self) -> None:
        """Write that nothing is missing."""
        self.table.write(
            [Statement(subject=CANARY, author=CANARY, revision=0, said_at=now(), says=NOTHING)]
        )

    def authors(self, subject: str) -> set[str]:
        """Return whose records say something of a subject, or once did, or were about to."""
        return {one.author for one in self.table.about(subject)}

    def listers(self, member: str) -> set[str]:
        """Return the collections that list an object, or once did; and its previous identifiers."""
        found, names = set[str](), [member]
        while names:
            name = names.pop()
            fresh = self.authors(member_subject(name)) - found - {name}
            found |= fresh
            names += fresh
        return found

    def kinds(self, identifiers: Collection[str]) -> Kinds:
        """Return the kinds of those that are no object's, and of what they lead to.

        `UNREADABLE` if its record cannot be read, and did not say before what it says now. Raises
        TransientError.
        """
        found, waiting = dict[str, tuple[str, ...]](), {*identifiers}
        while waiting:
            said = dict(self.said_of(KINDS, authors=waiting))
            found |= said
            waiting = {says[1] for says in said.values() if says[0] == MOVED} - found.keys()
        return found

    def said_since(self, subject: str) -> dict[str, str]:
        """Return the same authors, each with the time since when it says something, or last did."""
        since, ended = dict[str, str](), set[str]()
        for one in self.table.about(subject):
            if one.says == NOTHING:
                ended.add(one.author)
            elif one.author not in since or one.author in ended:
                since[one.author] = one.said_at
                ended.discard(one.author)
        return since

    def said_of(
        self,
        subject: str,
        *,
        authors: Collection[str] | None = None,
        without: str = "",
        with_announced: bool = False,
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield what records say of a subject now, with their identifiers. Raises TransientError.

        `UNREADABLE` for a record that was about to say something, and cannot be read; and
        `with_announced`, for one that is about to say something and says nothing yet. What the
        record `without` says is left out; with `authors`, so is what others say.
        """
        newest = dict[str, Statement]()
        for one in self.table.about(subject, authors):
            if one.author == without:
                continue
            known = newest.get(one.author)
            if known is None or known.revision < one.revision:
                newest[one.author] = one
        for author, statement in newest.items():
            says = statement.says
            if says is None:
                says = self._look_up(statement, with_announced=with_announced)
            if says:
                yield author, says

    def _check(self) -> None:
        """Raise ServiceRefused without a canary, unless nothing was ever said."""
        if self._checked.is_set():
            return
        if not self.authors(CANARY):
            # Who says something for the first time plants it before that.
            if any(self.journal.identifiers()) and not self.authors(CANARY):
                raise ServiceRefused(LOST)
            self.plant_canary()
        self._checked.set()

    def _look_up(self, statement: Statement, *, with_announced: bool) -> tuple[str, ...]:
        """Return what the author's newest record says.

        It is not written down: many who read may not write.
        """
        try:
            record = self.journal.latest(statement.author)
        except FAULTS:
            return (UNREADABLE,)
        says = said_by(record).get(statement.subject, NOTHING)
        is_ahead = record is None or record.revision < statement.revision
        return (UNREADABLE,) if with_announced and is_ahead and not says else says

    def _write(self, record: ObjectRecord, said: Mapping[str, tuple[str, ...] | None]) -> None:
        self.table.write(
            [
                Statement(
                    subject=subject,
                    author=record.identifier,
                    revision=record.revision,
                    said_at=record.changed_at,
                    says=says,
                )
                for subject, says in sorted(said.items(), key=lambda one: one[0])
            ]
        )


def _changed(before: ObjectRecord | None, after: ObjectRecord) -> Collection[str]:
    """Return the subjects of which a record says something else than the one before."""
    was, said = said_by(before), said_by(after)
    return {one for one in was.keys() | said.keys() if was.get(one) != said.get(one)}
