"""The members of a collection with their records, as a table of them shows it."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from vitrine.api.object_operations import get_newest_record
from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.resources import Moved
from vitrine.catalogue.live_images import live_images, missing_images
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    TakenDown,
    used_images,
)
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject

MAX_MEMBERS = 100
MAX_RECORD_BYTES = 2 << 20
"""Bytes of the records in one answer. An answer may be twice as long."""
THREADS = 16


class MembersQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of the members of a collection."""

    after: Annotated[
        int,
        Meta(ge=0, le=10_000_000, description="How many members are before these: `next`, or 0."),
    ] = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_MEMBERS, description="How many to list at most.")] = (
        MAX_MEMBERS
    )


class MemberRecord(Struct, frozen=True, kw_only=True):
    """A member of a collection, as it is now."""

    identifier: str
    revision: Annotated[int, Meta(ge=0, description="Of its record; 0: it has none.")]
    state: Annotated[
        Literal["described", "redirect", "gone", "absent"],
        Meta(description="`absent`: an image by itself, or an object that is yet to come."),
    ]
    record: Annotated[
        PublishedObject | ObjectCollection | None,
        Meta(description="Null also for one that is too large for a list: read it by itself."),
    ]
    missing_images: Annotated[
        tuple[str, ...], Meta(description="Images of an object that are not published yet.")
    ] = ()


class MemberList(Struct, frozen=True, kw_only=True):
    """Some members of a collection, in its order."""

    members: tuple[MemberRecord, ...]
    next: Annotated[
        str, Meta(description="The value of `after` for the next page; empty: this is the last.")
    ]


def list_members(call: Call) -> OperationResult:
    """Return members of a collection, fewer than requested if their records are long."""
    query: MembersQuery = call.query
    found = get_newest_record(call, ObjectCollection)
    collection = found.content
    if not isinstance(collection, ObjectCollection):
        return found
    requested = [
        one.identifier for one in collection.members[query.after : query.after + query.limit]
    ]
    journal = call.services.publisher.journal
    with ThreadPoolExecutor(THREADS, thread_name_prefix="members") as threads:
        records = [*threads.map(journal.latest, requested)]
    shown = [*_describe_members(call, requested, records)]
    end = query.after + len(shown)
    is_last = end >= len(collection.members)
    content = MemberList(members=tuple(shown), next="" if is_last else str(end))
    return OperationResult(content=content)


def _describe_members(
    call: Call, names: Sequence[str], records: Sequence[ObjectRecord | None]
) -> Iterator[MemberRecord]:
    """Yield the first members whose records are not too long together, but one at least."""
    shown = call.services.publisher.shown
    images = {name: _shown_images(record) for name, record in zip(names, records, strict=True)}
    everything = set[str]().union(*images.values())
    missing = missing_images(shown, everything, live_images(shown, everything))
    left = MAX_RECORD_BYTES
    for name, record in zip(names, records, strict=True):
        item = record.item if isinstance(record, Described) else None
        size = len(msgspec.json.encode(item))
        if size > left and left < MAX_RECORD_BYTES:
            return
        left -= min(size, left)
        yield MemberRecord(
            identifier=name,
            revision=record.revision if record else 0,
            state=_name_state(record),
            record=None if size > MAX_RECORD_BYTES else item,
            missing_images=tuple(sorted(images[name] & missing)),
        )


def _shown_images(record: ObjectRecord | None) -> set[str]:
    """Return the images of an object; of a collection none, which may have 100,000."""
    match record:
        case Described(item=PublishedObject()):
            return used_images(record)
    return set()


def _name_state(
    record: ObjectRecord | None,
) -> Literal["described", "redirect", "gone", "absent"]:
    match record:
        case Described():
            return "described"
        case Renamed():
            return "redirect"
        case TakenDown():
            return "gone"
        case None:
            return "absent"


OPERATIONS = (
    Operation(
        name="listMembers",
        method="GET",
        path="/members/{identifier}",
        summary="List the members of a collection with their records.",
        act=list_members,
        query=MembersQuery,
        answers={200: MemberList, 301: Moved},
        problems=("no-object", "object-gone"),
    ),
)
