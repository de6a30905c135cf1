"""The records of the journal of objects: what an identifier was made to answer, and when."""

from typing import NamedTuple

import msgspec

from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.ports import VersionedStore
from vitrine.store.layout import OBJECTS
from vitrine.store.revisions import Revisions

Item = PublishedObject | ObjectCollection


class _ObjectRecord(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="state", omit_defaults=True
):
    identifier: str
    revision: int = 0
    """Counts the changes of this identifier from 1; the journal has one entry for each."""
    changed_at: str
    """RFC 3339 UTC."""
    owner: str = ""
    """Collection that published it first; empty: it was made by itself."""


class Described(_ObjectRecord, frozen=True, kw_only=True, tag="described"):
    """An object or collection that is to be seen."""

    item: Item
    access: str = ""
    """Rule that the object had as a collection, in case it becomes one again."""


class Renamed(_ObjectRecord, frozen=True, kw_only=True, tag="redirect"):
    """A previous identifier of an object."""

    target: str


class TakenDown(_ObjectRecord, frozen=True, kw_only=True, tag="gone"):
    """A tombstone: a curator withdrew the object."""

    reason: str
    access: str = ""
    """The rule that the collection had: it holds again when the collection is back."""


ObjectRecord = Described | Renamed | TakenDown

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(ObjectRecord)


def objects_journal(store: VersionedStore, author: str = "") -> Revisions[ObjectRecord]:
    """Return the journal of objects in this store; `author` makes the changes."""
    return Revisions(store, OBJECTS, _encoder.encode, _decode, author)


def follow_renames(
    journal: Revisions[ObjectRecord], identifier: str, revision: int | None = None
) -> tuple[str, ObjectRecord | None]:
    """Return the present identifier of an object, and its newest record if it has one.

    However often it was renamed. Only a fault makes a circle of them, which ends at any of them.
    `revision` is that of its newest record, if that was just looked up.
    """
    if revision is None:
        record = journal.latest(identifier)
    else:
        record = journal.read_found(identifier, revision)
    passed = {identifier}
    while isinstance(record, Renamed) and record.target not in passed:
        identifier = record.target
        passed.add(identifier)
        record = journal.latest(identifier)
    return identifier, record


def last_described(
    journal: Revisions[ObjectRecord], withdrawn: ObjectRecord
) -> ObjectRecord | None:
    """Return the record with what a withdrawn object showed before."""
    earlier = journal.newest_first(withdrawn.identifier)
    is_before = (one for one in earlier if one.revision < withdrawn.revision)
    return next((one for one in is_before if isinstance(one, Described)), None)


class Shown(NamedTuple):
    """What an object or collection shows."""

    name: str
    """Its present identifier."""
    images: set[str]
    """An object's views and its thumbnail; what a collection shows is its own."""
    is_collection: bool = False
    revision: int = 0
    """Revision of the record that says so; 0: it has no record."""


def read_shown(
    journal: Revisions[ObjectRecord], identifier: str, revision: int, *, with_previous: bool = False
) -> Shown:
    """Return what a member of a collection shows; `with_previous`, what it did before as well.

    `revision` is that of its newest record. What has none is an image by itself, or an object that
    is yet to come.
    """
    name, record = follow_renames(journal, identifier, revision)
    if record is None:
        return Shown(name, {name})
    records = [record]
    if with_previous and (previous := journal.entry(name, record.revision - 1)):
        records.append(previous)
    lists = [one for one in records if is_list(one)]
    images = set().union(*(used_images(one) for one in records if one not in lists))
    return Shown(name, images, bool(lists), record.revision)


def is_list(record: ObjectRecord | None) -> bool:
    """Return True for the record of a collection that is to be seen."""
    return isinstance(record, Described) and isinstance(record.item, ObjectCollection)


def _decode(body: bytes) -> ObjectRecord:
    record: ObjectRecord = _decoder.decode(body)
    return record


def painted_images(record: ObjectRecord | None) -> set[str]:
    """Return the images that a record shows as canvases."""
    match record:
        case Described(item=PublishedObject(canvases=canvases)):
            return {canvas.image for canvas in canvases} - {""}
    return set()


def listed_objects(record: ObjectRecord | None) -> set[str]:
    """Return the objects that a collection lists; of a previous identifier, the present one."""
    match record:
        case Described(item=ObjectCollection(members=members)):
            return {member.identifier for member in members if not member.is_collection}
        case Renamed(target=target):
            return {target}
    return set()


def inner_collections(record: ObjectRecord | None) -> set[str]:
    """Return the collections that a collection lists."""
    match record:
        case Described(item=ObjectCollection(members=members)):
            return {member.identifier for member in members if member.is_collection}
    return set()


def rule_of(record: ObjectRecord | None) -> str:
    """Return the rule of access that a collection has, or had before it was withdrawn."""
    match record:
        case Described(item=ObjectCollection(access=access)):
            return access
        case Described(access=access) | TakenDown(access=access):
            return access
    return ""


def used_images(record: ObjectRecord | None) -> set[str]:
    """Return the identifiers of all images that a record names."""
    if not isinstance(record, Described):
        return set()
    item = record.item
    named = {item.thumbnail}
    match item:
        case PublishedObject(canvases=canvases):
            named |= {canvas.image for canvas in canvases}
        case ObjectCollection(members=members):
            named |= {member.image for member in members}
    return named - {""}
