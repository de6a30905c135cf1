"""What the Change Discovery API 1.0 asks of documents (https://iiif.io/api/discovery/1.0/).

Each broken rule is a finding with the section of the specification. MUST gives an error, SHOULD a
warning.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vitrine.site.discovery.properties import (
    Checker,
    Finding,
    is_http,
    link_of,
    moment_of,
    show,
)

COLLECTION, PAGE = "OrderedCollection", "OrderedCollectionPage"
CHANGES = ("Create", "Update", "Delete", "Move", "Add", "Remove")
REFRESH = "Refresh"
_OTHER_TYPES = frozenset(
    (
        *("Accept", "Announce", "Arrive", "Block", "Dislike", "Flag", "Follow", "Ignore"),
        *("Invite", "Join", "Leave", "Like", "Listen", "Offer", "Question", "Reject", "Read"),
        *("TentativeReject", "TentativeAccept", "Travel", "Undo", "View"),
    )
)
"""Types of Activity Streams 2.0 on which no harvester of IIIF acts."""
_ACTORS = ("Application", "Organization", "Person")


def check_collection(document: Any, address: str) -> Iterator[Finding]:
    """Yield what is wrong with the collection that was found at `address` (3.1)."""
    check = Checker(address, "3.1")
    yield from check.head(document, COLLECTION, address)
    yield from check.link(document, "last", PAGE, must=True)
    yield from check.link(document, "first", PAGE)
    yield from check.count(document, "totalItems")
    yield from check.data(document, "seeAlso")
    if "partOf" in document:
        yield from check.several(document, "partOf", COLLECTION)
    if not isinstance(document.get("rights", ""), str):
        yield check.error("rights", "is not a text")


def check_page(document: Any, address: str, collection: str) -> Iterator[Finding]:
    """Yield what is wrong with a page of the collection at that address (3.2)."""
    check = Checker(address, "3.2")
    yield from check.head(document, PAGE, address)
    yield from check.link(document, "partOf", COLLECTION, should=True)
    if (of := link_of(document, "partOf")) and of != collection:
        yield check.error("partOf", f"is {of}, and the page was reached from {collection}")
    for name in ("prev", "next"):
        yield from check.link(document, name, PAGE, should=False)
    yield from check.count(document, "startIndex")
    items = document.get("orderedItems")
    if not isinstance(items, list) or not items:
        yield check.error("orderedItems", "is not a list with at least one activity")
        return
    for number, activity in enumerate(items):
        yield from check_activity(activity, f"{address}#orderedItems[{number}]")


def check_activity(activity: Any, place: str) -> Iterator[Finding]:
    """Yield what is wrong with an activity (3.3, and 2.1.5 for Refresh)."""
    check = Checker(place, "3.3")
    if not isinstance(activity, dict):
        yield check.error("", "is not a JSON object")
        return
    if activity.get("type") == REFRESH:
        yield from _check_refresh(activity, check)
    else:
        yield from _check_change(activity, check)
    for name in ("endTime", "startTime"):
        if name in activity and not moment_of(activity, name):
            yield check.error(name, f"is {show(activity[name])}: not a xsd:dateTime in UTC")
    if "id" in activity and not is_http(activity["id"]):
        yield check.error("id", "is not an HTTP(S) URI")
    if not isinstance(activity.get("summary", ""), str):
        yield check.error("summary", "is not a text")
    actor = activity.get("actor", {"type": _ACTORS[0]})
    if not isinstance(actor, dict) or actor.get("type") not in _ACTORS:
        yield check.error("actor", f"has none of the types {', '.join(_ACTORS)}")


def _check_change(activity: Mapping[str, Any], check: Checker) -> Iterator[Finding]:
    kind = activity.get("type")
    if not isinstance(kind, str) or kind not in (*CHANGES, *_OTHER_TYPES):
        yield check.error("type", f"is {show(kind)}, which is no type of activity")
    elif kind in _OTHER_TYPES:
        yield check.warning("type", f"is {kind}: harvesters act on {', '.join(CHANGES)} only")
    yield from check.thing(activity, "object")
    if "endTime" not in activity:
        yield check.warning("endTime", "is missing, so the stream is of level 0 (2.1.2)")
    if kind == "Move":
        yield from check.thing(activity, "target")
        if link_of(activity, "target") == link_of(activity, "object") != "":
            yield check.error("target", "has the same id as the object, which did not move then")
    for name, needed in (("Add", "target"), ("Remove", "origin")):
        if kind == name and not link_of(activity, needed):
            yield check.warning(needed, f"is missing, so harvesters pass over this {name} (3.5.2)")


def _check_refresh(activity: Mapping[str, Any], check: Checker) -> Iterator[Finding]:
    for name in ("object", "target"):
        if name in activity:
            yield check.error(name, "has no place in a Refresh")
    if "startTime" not in activity:
        yield check.warning("startTime", "is missing: a Refresh is placed by it (2.1.5)")
