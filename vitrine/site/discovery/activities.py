"""What a stream says of each change of a manifest or collection (Change Discovery 1.0, 3.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vitrine.iiif.presentation.addresses import NEWEST, Addresses

if TYPE_CHECKING:  # what reads publications is not in the layer of the Lambda that tells changes
    from vitrine.store.publications import Kind

Json = dict[str, Any]

CREATED, UPDATED, MOVED, DELETED = "created", "updated", "moved", "deleted"
ACTIVITY_TYPES: Mapping[str, str] = {
    CREATED: "Create",
    UPDATED: "Update",
    MOVED: "Move",
    DELETED: "Delete",
}
REFRESH = "Refresh"
_RESOURCE_TYPES: Mapping["Kind", str] = {"manifest": "Manifest", "collection": "Collection"}


@dataclass(frozen=True, kw_only=True)
class Change:
    """Something that was published changed for those who harvest it."""

    change: str
    """CREATED, UPDATED, MOVED or DELETED."""
    kind: "Kind"
    """Kind of the thing, or its kind before it was moved or deleted."""
    identifier: str
    target: str = ""
    """The identifier that it was moved to."""
    changed_at: str
    """RFC 3339 UTC."""


def describe_change(change: Change, base: str) -> Json:
    """Return the activity of a change, but for the time at which it joins a stream.

    It names the newest version of the manifest, whose addresses begin with `base`.
    """
    activity = {
        "type": ACTIVITY_TYPES[change.change],
        "object": _resource(change.identifier, change.kind, base),
        "startTime": change.changed_at,
    }
    if change.change == MOVED:
        activity["target"] = _resource(change.target, change.kind, base)
    return activity


def describe_refresh(started_at: str) -> Json:
    """Return the activity after which a stream names everything again (2.1.5)."""
    return {"type": REFRESH, "startTime": started_at}


def _resource(identifier: str, kind: "Kind", base: str) -> Json:
    addresses = Addresses(base, NEWEST)
    address = addresses.manifest if kind == "manifest" else addresses.collection
    return {"id": address(identifier), "type": _RESOURCE_TYPES[kind]}
