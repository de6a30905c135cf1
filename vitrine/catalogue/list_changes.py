"""What two records of a list differ in: its members, and the images that it shows no more."""

from collections.abc import Iterable, Mapping

from vitrine.access.collection_rules import CollectionRules
from vitrine.catalogue.records import Described, ObjectRecord, Renamed, Shown, is_list, used_images
from vitrine.iiif.presentation.model import Member, ObjectCollection


def _members(record: ObjectRecord | None) -> tuple[Member, ...]:
    match record:
        case Described(item=ObjectCollection(members=members)):
            return members
    return ()


def new_members(before: ObjectRecord | None, after: ObjectRecord) -> list[Member]:
    """Return the members that a list has beyond the one before, or shows by another picture."""
    known = {(one.identifier, one.is_collection, one.image) for one in _members(before)}
    return [
        one
        for one in _members(after)
        if (one.identifier, one.is_collection, one.image) not in known
    ]


def left_members(before: ObjectRecord | None, after: ObjectRecord) -> list[Member]:
    """Return the members that a list no longer has; a previous identifier has the current ones."""
    if isinstance(after, Renamed):
        return []
    present = {one.identifier for one in _members(after)}
    return [one for one in _members(before) if one.identifier not in present]


def listed_names(record: ObjectRecord, rules: CollectionRules) -> set[str]:
    """Return the identifiers of a list's members, and the present ones of its collections."""
    names = {one.identifier for one in _members(record)}
    return names | set(map(rules.present, names))


def lost_by_list(
    before: ObjectRecord, after: ObjectRecord, left: Mapping[str, Shown], *, stays: bool
) -> dict[str, set[str]]:
    """Return the images that a list shows no more, by themselves or by what left, with the list."""
    gone = set().union(*(one.images for one in left.values()))
    if not stays:
        gone |= used_images(before) - (used_images(after) if is_list(after) else set())
    return {image: {after.identifier} for image in gone}


def find_collections(members: Iterable[Member], shown: Mapping[str, Shown]) -> set[str]:
    """Return those of the members that are collections, by their identifiers of then and now.

    Whether the list marks them as such or not.
    """
    return {
        name
        for member in members
        for name in (member.identifier, shown[member.identifier].name)
        if member.is_collection or shown[member.identifier].is_collection
    }
