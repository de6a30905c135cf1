"""A collection is put back: what it lists is made what it was at an earlier moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import msgspec

from vitrine.access.rules import read_rule
from vitrine.catalogue.objects import ChangeResult
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Described, Item, ObjectRecord, Renamed, TakenDown, rule_of
from vitrine.errors import ObjectRefused, RevisionChanged
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.store.revisions import Revisions

THREADS = 16
REASON = "It was withdrawn when its collection was put back to what it was before."


@dataclass(frozen=True, order=True)
class KeptRule:
    """The rule of access of a collection that was put back, which had another one then."""

    identifier: str
    rule: str
    then: str
    """Empty: nobody had set one, so it was open."""


@dataclass
class Rollback:
    """What became of the objects of a collection."""

    restored: list[str] = field(default_factory=list)
    """They show again what they showed then."""
    withdrawn: list[str] = field(default_factory=list)
    """They were withdrawn or not there yet, and are withdrawn now."""
    unchanged: int = 0
    left: list[str] = field(default_factory=list)
    """Sentences about those that could not be put back."""
    kept_rules: list[KeptRule] = field(default_factory=list)


class ChangedObjects(Protocol):
    """What changes objects; its methods are those of `Objects`."""

    @property
    def publisher(self) -> Publisher:
        """What reads them."""
        ...

    def put(
        self, item: Item, *, over: int | None = None, replace_withdrawn: bool = False
    ) -> ChangeResult:
        """Let an identifier show this object or collection."""
        ...

    def withdraw(self, identifier: str, reason: str) -> ChangeResult:
        """Take an object off the web."""
        ...


def roll_back(
    objects: ChangedObjects,
    collection: str,
    at: str,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Rollback:
    """Put a collection, and all that it lists now or has listed since, back to `at` (as stored).

    Nothing is deleted: each change is one more revision, and the same call again goes on where an
    earlier one was stopped. Raises ObjectRefused if it never was a collection, TransientError.
    """
    # What was no collection yet is withdrawn first: nothing joins it by what is put back.
    parts = _below(objects.publisher.journal, collection, at)
    newest = objects.publisher.journal.latest(collection)
    owner = newest.owner if newest else ""
    result = Rollback()
    with ThreadPoolExecutor(THREADS, thread_name_prefix="objects") as threads:
        # The collection goes last: until then the same call finds all that it has listed.
        revert = partial(_put_back, objects, owner=owner, at=at, kept_rules=result.kept_rules)
        outcomes = (
            (name, one)
            for part in parts
            for name, one in zip(part, threads.map(revert, part), strict=True)
        )
        for done, (name, outcome) in enumerate(outcomes, start=1):
            _count(result, name, outcome)
            on_progress(done)
    _count(result, collection, revert(collection))
    result.kept_rules.sort()
    return result


def _record_at(journal: Revisions[ObjectRecord], identifier: str, at: str) -> ObjectRecord | None:
    """Return what an identifier was at a time; None if it was nothing yet."""
    newest = journal.newest_first(identifier)
    return next((record for record in newest if record.changed_at <= at), None)


def _below(
    journal: Revisions[ObjectRecord], collection: str, at: str
) -> tuple[list[str], list[str]]:
    """Return all that it and the collections in it listed then or since, and those collections.

    Those that did not exist at that time come first, the others with all objects after them. A
    collection in itself is entered once. Raises ObjectRefused if it never was a collection.
    """
    objects, collections, waiting = set[str](), {collection}, [collection]
    while waiting:
        name = waiting.pop()
        try:
            listed = _listed_since(journal, name, at)
        except ObjectRefused:
            if name == collection:
                raise
            continue  # it is listed, and was never published
        objects |= {one.identifier for one in listed if not one.is_collection}
        inner = {one.identifier for one in listed if one.is_collection} - collections
        collections |= inner
        waiting += inner
    inside = collections - {collection}
    new = {one for one in inside if not isinstance(_record_at(journal, one, at), Described)}
    return sorted(new), [*sorted(objects - collections), *sorted(inside - new)]


def _listed_since(journal: Revisions[ObjectRecord], collection: str, at: str) -> list[Member]:
    """Return what it listed at that time or has listed since. Raises ObjectRefused."""
    lists: list[ObjectCollection] = []
    for record in journal.newest_first(collection):
        if isinstance(record, Described) and isinstance(record.item, ObjectCollection):
            lists.append(record.item)
        if record.changed_at <= at:
            break
    if not lists:
        raise ObjectRefused(
            "no-collection",
            f'"{collection}" has been no collection since {at}. `vitrine object history '
            f"{collection}` shows what it was.",
        )
    return [one for item in lists for one in item.members]


def _put_back(
    objects: ChangedObjects, identifier: str, owner: str, at: str, kept_rules: list[KeptRule]
) -> ObjectRecord | str | None:
    """Return the record that was made, None if nothing had to change, or why it could not be.

    Add to `kept_rules` if the collection has another rule than it had.
    """
    journal = objects.publisher.journal
    then, current = _record_at(journal, identifier, at), journal.latest(identifier)
    if current is None or current == then or _says_same(current, then):
        return None
    if current.owner not in ("", owner):
        return f'"{identifier}" belongs to "{current.owner}" now, and stays as it is.'
    try:
        result = _revert(objects, identifier, then, current)
    except (ObjectRefused, RevisionChanged) as error:
        return str(error)
    if not isinstance(result, ChangeResult):
        return result
    kept = KeptRule(identifier, rule_of(result.record), rule_of(then))
    if isinstance(then, Described) and read_rule(kept.rule) != read_rule(kept.then):
        kept_rules.append(kept)
    return result.record if result.changed else None


def _revert(
    objects: ChangedObjects, identifier: str, then: ObjectRecord | None, current: ObjectRecord
) -> ChangeResult | str | None:
    """Put an object back, and return the result, None for nothing, or why it cannot be.

    Raises ObjectRefused, RevisionChanged and TransientError.
    """
    match then, current:
        case _, Renamed(target=target):
            return f'"{identifier}" was renamed to "{target}", and keeps that name.'
        case Described(item=item), _:
            if isinstance(item, ObjectCollection):
                # The rule of today stays: nothing opens because a list was wrong.
                item = msgspec.structs.replace(item, access="")
            return objects.put(item, over=current.revision, replace_withdrawn=True)
        case TakenDown(reason=reason), _:
            return objects.withdraw(identifier, reason)
        case Renamed(target=target), _:
            return f'"{identifier}" redirected to "{target}" then, and is an object of its own now.'
        case _:
            if isinstance(current, TakenDown):
                return None
            return objects.withdraw(identifier, REASON)


def _says_same(current: ObjectRecord, then: ObjectRecord | None) -> bool:
    """Return whether two records differ in time, revision and owner only."""
    if then is None:
        return False
    without = [
        msgspec.structs.replace(one, revision=0, changed_at="", owner="") for one in (current, then)
    ]
    return without[0] == without[1]


def _count(result: Rollback, identifier: str, outcome: ObjectRecord | str | None) -> None:
    match outcome:
        case None:
            result.unchanged += 1
        case Described():
            result.restored.append(identifier)
        case str():
            result.left.append(outcome)
        case _:
            result.withdrawn.append(identifier)
