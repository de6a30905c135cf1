"""Reading an export back: first rules of access, then images, which go through ingest, and then
tombstones, objects and collections."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import msgspec

from vitrine.access.collection_rules import CollectionRule, CollectionRules
from vitrine.access.rules import combine_rules
from vitrine.catalogue import changes
from vitrine.catalogue.announced_uses import BATCH, AnnouncedUses
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import (
    Described,
    Item,
    ObjectRecord,
    Renamed,
    TakenDown,
    follow_renames,
    painted_images,
    rule_of,
    used_images,
)
from vitrine.catalogue.register import Edit
from vitrine.errors import IdentifierRefused, ObjectRefused
from vitrine.export.exported_lists import ExportedLists, readable_rule
from vitrine.identify.owners import has_other_owner
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import ImportOptions, plan_import, write_import
from vitrine.identify.redirects.csv_file import read_rows
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import IdentifierChange, Register
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.ingest.publish.curation import Curation
from vitrine.records import Gone, Record, Removed
from vitrine.store.clock import now


@dataclass
class ReadBack:
    """What became of the records of an export."""

    counts: Counter[str] = field(default_factory=Counter)
    """`rules`, `tombstones`, `redirects`, `objects` and `unchanged`."""
    refused: list[str] = field(default_factory=list)
    """Sentences about records that could not be read back."""


def restore_rules(
    curation: Curation,
    lists: ExportedLists,
    result: ReadBack,
    on_progress: Callable[[int], None],
    *,
    of_redirects: bool = False,
) -> None:
    """Set the rules of access: before any image is there, so that none is public for a moment.

    An image gets its own rule again, `open` included, or those of its collections. If it has a rule
    already, both hold together (`combine_rules`). Redirects get theirs when they are there, with
    `of_redirects`: a new one hands on the rule that it has, which its image may not have any more.
    Raises BagUnusable, TransientError.
    """

    def restore(saved: Record) -> IdentifierChange | str:
        try:
            return curation.restore_rule(saved)
        except IdentifierRefused as error:
            return str(error)

    with Workers() as workers:
        saved = lists.rules(of_redirects=of_redirects)
        for number, done in enumerate(workers.map(restore, saved), start=1):
            if isinstance(done, str):
                result.refused.append(done)
            else:
                result.counts["rules" if done.made else "unchanged"] += 1
            on_progress(number)


def restore_tombstones(
    register: Register, lists: ExportedLists, result: ReadBack, on_progress: Callable[[int], None]
) -> None:
    """Write the tombstones where there is nothing. Raises TransientError."""
    for number, tombstone in enumerate(lists.tombstones(), start=1):
        try:
            change = register.change(tombstone.identifier, _where_nothing_is(tombstone))
        except IdentifierRefused as error:
            result.refused.append(str(error))
        else:
            result.counts["tombstones" if change.made else "unchanged"] += 1
        on_progress(number)


def restore_redirects(register: Register, lists: ExportedLists, result: ReadBack) -> None:
    """Write the redirects of images where there is nothing. Raises TransientError.

    Their targets may be images that could not be published.
    """
    options = ImportOptions(replace_live=False, replace_withdrawn=False, allow_dangling=True)
    with open_import_plan() as plan, Workers() as workers:
        redirects = Redirects(register)
        plan_import(redirects, plan, read_rows(lists.redirects), options, workers)
        result.refused += [fault.sentence for fault in plan.faults()]
        written = write_import(redirects, plan, options, workers)
    result.refused += [fault.sentence for fault in written.refused]
    result.counts["redirects"] += written.counts["written"]


def announce_objects(publisher: Publisher, lists: ExportedLists) -> None:
    """Note the images of objects as theirs, and those of collections, before images are published.

    The rules of the collections come first. Raises BagUnusable and TransientError.
    """
    _restrict_collections(Objects(publisher), lists.objects())
    listing = defaultdict[str, set[str]](set)
    rules = dict[str, CollectionRule]()
    for record in lists.objects():
        match record:
            case Described(identifier=name, item=ObjectCollection(members=members, access=access)):
                for member in members:
                    listing[member.identifier].add(name)
                rule = readable_rule(access) if access else ""
                rules[name] = CollectionRule(rule=rule, owner=record.owner)
            case Renamed(identifier=name, target=target):
                rules[name] = CollectionRule(target=target)
    publisher.memberships.table.change(partial(_with_exported, rules, listing))
    uses, seen = AnnouncedUses(publisher), set[str]()
    for record in lists.objects():
        seen.add(record.identifier)
        match record:
            case Described(identifier=name, item=ObjectCollection()):
                publisher.memberships.join({image: {name} for image in used_images(record)})
            case Described(identifier=name, item=item):
                collections = {*listing.get(name, ()), *item.part_of}
                uses.add(name, painted_images(record), collections)
                images = dict.fromkeys(used_images(record), frozenset(collections))
                publisher.memberships.join(images)
    uses.finish()
    # What no record is of, is an image by itself.
    publisher.memberships.join({name: listing[name] for name in listing.keys() - seen})
    # A table that was being published had named its images before there were objects.
    named = lists.memberships()
    while batch := dict(islice(named, BATCH)):
        publisher.memberships.join(batch)


def _with_exported(
    exported: Mapping[str, CollectionRule],
    listing: Mapping[str, Collection[str]],
    rules: CollectionRules,
) -> Mapping[str, CollectionRule]:
    """Return the exported collections with their nesting, and rules if they are not here yet.

    What is here was restricted already, and is in the lists that come next.
    """
    changed = dict[str, CollectionRule]()
    for name, one in exported.items():
        known = rules.get(name)
        within = tuple(sorted({*known.within, *listing.get(name, ())}))
        if known.revision:
            changed[name] = msgspec.structs.replace(known, within=within)
        else:
            changed[name] = msgspec.structs.replace(
                one, within=within, has_untagged=known.has_untagged
            )
    return changed


def restore_objects(
    objects: Objects, lists: ExportedLists, result: ReadBack, on_progress: Callable[[int], None]
) -> None:
    """Publish objects and collections, redirects and tombstones of theirs. Raises TransientError.

    The images should be there: what shows one that is not, is published without it.
    """
    restricted = _restrict_collections(objects, lists.objects())
    for number, record in enumerate(_targets_first(lists.objects()), start=1):
        try:
            changed = _restore_record(objects, record)
        except ObjectRefused as error:
            result.refused.append(" ".join((str(error), *error.faults)))
        else:
            is_new = changed or record.identifier in restricted
            result.counts["objects" if is_new else "unchanged"] += 1
        on_progress(number)


def _restrict_collections(objects: Objects, records: Iterable[ObjectRecord]) -> set[str]:
    """Put collections that are here under the rules that they have in the export as well.

    Before any object: each that is put gets the rule that its collection has by then. Returns the
    identifiers, in the export, of those that had a weaker one.
    """
    restricted = set[str]()
    for record in records:
        if rule := rule_of(record):
            name, current = follow_renames(objects.publisher.journal, record.identifier)
            if current and current.owner != record.owner:
                continue  # putting it is refused
            edit = changes.restrict(partial(combine_rules, readable_rule(rule)), now())
            if current and edit(current):
                objects.change(name, edit)
                restricted.add(record.identifier)
    return restricted


def _targets_first(records: Iterable[ObjectRecord]) -> Iterator[ObjectRecord]:
    """Yield the records, and after all others the redirects, each after what it leads to."""
    redirects: dict[str, Renamed] = {}
    for record in records:
        if isinstance(record, Renamed):
            redirects[record.identifier] = record
        else:
            yield record
    while redirects:
        chain = [redirects.popitem()[1]]
        while following := redirects.pop(chain[-1].target, None):
            chain.append(following)
        yield from reversed(chain)


def _restore_record(objects: Objects, record: ObjectRecord) -> bool:
    match record:
        case Described(identifier=name, item=item, access=rule, owner=owner):
            ruled = _restrict(item, objects)
            changed = objects.put(ruled, keeps_closed=True, owner=owner).changed
            return objects.change(name, _remember(rule)).changed or changed if rule else changed
        case Renamed(identifier=old):
            return objects.change(old, _make_redirect(record, objects)).changed
        case TakenDown(identifier=name):
            return objects.change(name, _take_down(record)).changed


def _restrict(item: Item, objects: Objects) -> Item:
    """Return a collection under both its own rule and the one that its identifier has already."""
    match item:
        case ObjectCollection(access=access) if access:
            rule = rule_of(objects.publisher.journal.latest(item.identifier))
            return msgspec.structs.replace(item, access=combine_rules(access, rule))
    return item


def _remember(rule: str) -> Edit:
    """Return the edit that gives an object the rule that it had as a collection as well."""

    def edit(current: ObjectRecord | None) -> ObjectRecord | None:
        match current:
            case Described(item=PublishedObject(), access=known):
                both = combine_rules(known, rule)
                return msgspec.structs.replace(current, access=both) if both != known else None
        return None

    return edit


def _make_redirect(saved: Renamed, objects: Objects) -> Edit:
    """Return the edit that makes a redirect where there is nothing.

    A collection here may have a rule, and what redirects has none: so it replaces nothing. Refused,
    too, if it would lead to nothing or back.
    """
    old, new = saved.identifier, saved.target

    def edit(current: ObjectRecord | None) -> ObjectRecord | None:
        if isinstance(current, Renamed) and current.target == new:
            return None
        if current is not None:
            raise ObjectRefused(
                "identifier-taken",
                f'"{old}" redirects to "{new}" in the export, but is in use here: it stays as it '
                "is. Compare the two, and withdraw what nobody should see.",
            )
        if not _leads_to_object(new, objects):
            raise ObjectRefused(
                "no-object",
                f'"{old}" redirects to "{new}" in the export, where no object is here: it was not '
                "published. Import that object first.",
            )
        return msgspec.structs.replace(saved, revision=0)

    return edit


def _leads_to_object(identifier: str, objects: Objects) -> bool:
    """Return True if an identifier is, or redirects to, an object, even a withdrawn one."""
    passed: set[str] = set()
    while identifier not in passed:
        passed.add(identifier)
        match objects.publisher.journal.latest(identifier):
            case Renamed(target=target):
                identifier = target
            case found:
                return found is not None
    return False


def _take_down(tombstone: TakenDown) -> Edit:
    """Return the edit that makes a tombstone, also where there never was an object."""
    withdraw = changes.withdraw(tombstone.identifier, tombstone.reason, tombstone.changed_at)

    def edit(current: ObjectRecord | None) -> ObjectRecord | None:
        if current is None:
            return msgspec.structs.replace(tombstone, revision=0)
        changes.refuse_other_owner(current, tombstone.owner)
        return withdraw(current)

    return edit


def _where_nothing_is(tombstone: Gone) -> Callable[[Record | None], Record | None]:
    def edit(current: Record | None) -> Record | None:
        if not isinstance(current, Removed | None):
            return None
        if has_other_owner(current, tombstone.owner):
            assert current, "it has an owner"
            whose = f'the collection "{tombstone.owner}"' if tombstone.owner else "none"
            raise IdentifierRefused(
                "identifier-owned",
                f'"{current.identifier}" belongs to the collection "{current.owner}" here, and in '
                f"the export to {whose}: its tombstone was not written.",
            )
        return tombstone

    return edit
