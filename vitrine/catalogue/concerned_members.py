"""What a change of an object or collection concerns: current members, and members that left."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from vitrine.access.rules import combine_rules
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    inner_collections,
    member_pictures,
    rule_of,
    used_images,
)
from vitrine.catalogue.register import MemberListing
from vitrine.catalogue.ruled_collections import Look
from vitrine.catalogue.shown_since import (
    MAX_ENTRIES,
    read_all_shown_since,
    read_below_since,
)
from vitrine.identify.access_changes import restrict_inherited
from vitrine.identify.current_names import follow_redirects
from vitrine.identify.identifier import is_identifier
from vitrine.identify.redirects.bulk import BATCH
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.ports import IdentifierTable
from vitrine.records import readable
from vitrine.store.revisions import Revisions

T = TypeVar("T")


@dataclass
class Left:
    """What an object or collection showed, and does not show any more."""

    pictures: dict[str, str] = field(default_factory=dict)
    """Images, each with the rule that the collection had when it showed this last."""
    rule: str | None = None
    """The rule that the collection had when it listed this member last; None if it still does."""

    def is_any(self) -> bool:
        """Return True if anything left."""
        return bool(self.pictures) or self.rule is not None

    def without(self, other: "Left") -> "Left":
        """Return what has not the same rule there."""
        pictures = dict(self.pictures.items() - other.pictures.items())
        return Left(pictures, None if self.rule == other.rule else self.rule)

    def before(self, later: "Left") -> "Left":
        """Return what had no other rule later."""
        pictures = {
            image: rule
            for image, rule in self.pictures.items()
            if later.pictures.get(image, rule) == rule
        }
        return Left(pictures, self.rule if later.rule in (None, self.rule) else None)


class Concerned(NamedTuple):
    """What a change concerns, by member; what an object or collection shows itself by its name."""

    listed: dict[str, list[MemberListing]]
    """Members that are shown now, each with the collections that list it."""
    left: dict[str, Left]
    """Members that left after the change, and may still have to be updated for it."""
    gone: dict[str, Left]
    """Members from before the change that had no other rule since, and left."""
    at: str
    """The moment of the change, in RFC 3339 UTC."""

    def names_after(self, name: str) -> list[str]:
        """Return the members behind one, in order."""
        return sorted(one for one in {*self.listed, *self.left, *self.gone} if one > name)

    def pick(self, names: Iterable[str]) -> "Concerned":
        """Return what these members are concerned with."""
        kept = set(names)
        listed, left = _pick(self.listed, kept), _pick(self.left, kept)
        return Concerned(listed, left, _pick(self.gone, kept), self.at)


def find_concerned(
    journal: Revisions[ObjectRecord], look: Look, identifier: str, since: int, record: ObjectRecord
) -> Concerned:
    """Return what the change after the revision `since` concerns; 0 is before all of them.

    `record` is the present one, perhaps of another identifier.
    """
    is_same = identifier == record.identifier
    before = journal.entry(identifier, since) if since else None
    listed, left = dict[str, list[MemberListing]](), dict[str, Left]()
    if isinstance(record, Described):
        is_next = is_same and since + 1 == record.revision
        is_same_rule = rule_of(before) == rule_of(record)
        listed = changed_members(record, before if is_next and is_same_rule else None, look)
    is_newest = is_same and since + 1 >= record.revision
    change = None if is_newest else journal.entry(identifier, since + 1)
    at = (change or record).changed_at
    if since:
        entries = _entries_since(journal, identifier, since, record)
        left = find_left(journal, record, entries, at)
    was_there = find_left(journal, record, [before], at)
    # What had the same rule before the change does not wait for it.
    waiting = {name: one.without(was_there.get(name, Left())) for name, one in left.items()}
    gone = {name: one.before(left.get(name, Left())) for name, one in was_there.items()}
    return Concerned(listed, _any_of(waiting), _any_of(gone), at)


def _entries_since(
    journal: Revisions[ObjectRecord], identifier: str, since: int, record: ObjectRecord
) -> Iterator[ObjectRecord | None]:
    """Yield the entries before a record, newest first, down to the change after `since`.

    Those of its own identifier, if that is another one now, are newer than those of the previous.
    """
    name, first = record.identifier, since if identifier == record.identifier else 0
    own = ((name, one) for one in range(record.revision - 1, first, -1))
    newest = 0 if identifier == name else journal.newest_revision(identifier)
    previous = ((identifier, one) for one in range(newest, since, -1))
    for entry in islice(chain(own, previous), MAX_ENTRIES):
        yield journal.entry(*entry)


def changed_members(
    record: Described, before: ObjectRecord | None, look: Look
) -> dict[str, list[MemberListing]]:
    """Return the members that a record has beyond the one before, each with what lists it.

    An object concerns itself. What is below a member is concerned with it.
    """
    if not isinstance(record.item, ObjectCollection):
        return {record.identifier: []}
    known, entered = member_pictures(before), inner_collections(before)
    found = dict[str, list[MemberListing]]()
    for member in record.item.members:
        is_known = member.identifier in known
        is_known &= member.identifier in entered or not member.is_collection
        if is_known and member.image in ("", *known[member.identifier]):
            continue
        own = MemberListing(record.identifier, member.identifier, member.is_collection)
        is_entered = member.is_collection and not is_known
        for one in (own, *(look.below(own.member) if is_entered else ())):
            found.setdefault(one.member, []).append(one)
    return found


def find_left(
    journal: Revisions[ObjectRecord],
    record: ObjectRecord,
    entries: Iterable[ObjectRecord | None],
    at: str,
) -> dict[str, Left]:
    """Return what is in one of the entries before a record, newest first, and not in the record.

    By member, and by the record's identifier what it showed itself. What was below a member that is
    a collection, at the moment `at` or since, left with it.
    """
    name = record.identifier
    now = _shown_by(record, name)
    left, inner = dict[str, Left](), dict[str, str]()
    for entry in entries:
        rule = _rule_in_force(entry)
        for member, images in _shown_by(entry, name).items():
            gone = images - now.get(member, set())
            has_left = member not in now and member != name
            if not gone and not has_left:
                continue
            one = left.setdefault(member, Left())
            if has_left and one.rule is None:
                one.rule = rule
            for image in gone:
                one.pictures.setdefault(image, rule)
        for member in inner_collections(entry) - now.keys():
            inner.setdefault(member, rule)
    for outer, rule in inner.items():
        for member, pictures in read_below_since(journal, outer, at):
            one = left.setdefault(member, Left(rule=rule))
            for image in pictures:
                one.pictures.setdefault(image, rule)
    return left


def rules_of_left(
    journal: Revisions[ObjectRecord], left: Mapping[str, Left], at: str
) -> dict[str, str]:
    """Return the images of what left, each with the rule that the collection had then.

    Of a member, all that it showed at the moment `at` or since.
    """
    rules = dict[str, str]()

    def add(images: Iterable[str], rule: str) -> None:
        for image in filter(is_identifier, images):
            rules[image] = combine_rules(rules.get(image, ""), rule)

    members = [name for name, one in left.items() if one.rule is not None]
    for name, images in read_all_shown_since(journal, members, at).items():
        add(images, left[name].rule or "")
    for one in left.values():
        for image, rule in one.pictures.items():
            add([image], rule)
    return rules


def find_lacking(
    identifiers: IdentifierTable,
    meant: Mapping[str, Mapping[str, str]],
    at: str,
    owners: Mapping[str, str],
) -> Iterator[dict[str, dict[str, str]]]:
    """Yield the rules of collections that images lack, some images at a time, by image.

    `meant` has the rules by a name that leads to the image, `owners` the owners of the collections.
    With `at`, those are left out that somebody gave back to their collections after that moment.
    Raises TransientError.
    """
    names = [image for image, rules in meant.items() if rules]
    for start in range(0, len(names), BATCH):
        lacking = dict[str, dict[str, str]]()
        batch = names[start : start + BATCH]
        given_back = _given_back(identifiers, batch, at)
        for name, (image, record) in follow_redirects(identifiers, batch).items():
            if name in given_back or not restrict_inherited(image, meant[name], at, owners)(record):
                continue
            rules = lacking.setdefault(image, {})
            for collection, rule in meant[name].items():
                rules[collection] = combine_rules(rules.get(collection, ""), rule)
        yield lacking


def _given_back(identifiers: IdentifierTable, names: Sequence[str], at: str) -> set[str]:
    """Return the names that were given back after a moment, if any is given.

    Not those that lead to an image that was: somebody may have redirected them there since.
    """
    records = readable(identifiers.get_many(names, consistent=True)) if at else {}
    return {name for name, record in records.items() if record.given_back_at > at}


def _any_of(part: Mapping[str, Left]) -> dict[str, Left]:
    return {name: one for name, one in part.items() if one.is_any()}


def _pick(part: Mapping[str, T], names: Container[str]) -> dict[str, T]:
    return {name: one for name, one in part.items() if name in names}


def _shown_by(record: ObjectRecord | None, name: str) -> Mapping[str, set[str]]:
    """Return the images by which a record shows its members, and under `name` its own."""
    if not isinstance(record, Described):
        return {}
    if not isinstance(record.item, ObjectCollection):
        return {name: used_images(record)}
    shown = {member: set(images) for member, images in member_pictures(record).items()}
    shown.setdefault(name, set()).update({record.item.thumbnail} - {""})
    return shown


def _rule_in_force(record: ObjectRecord | None) -> str:
    """Return the rule of a collection; an object has none, whatever it remembers."""
    match record:
        case Described(item=ObjectCollection(access=access)):
            return access
    return ""
