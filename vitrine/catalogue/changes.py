"""The edits that an object can undergo: pure functions of its current record."""

from collections.abc import Callable
from shlex import quote

import msgspec

from vitrine.access.rules import CLOSED, combine_rules, read_rule
from vitrine.catalogue.records import (
    Described,
    Item,
    ObjectRecord,
    Renamed,
    TakenDown,
    rule_of,
)
from vitrine.catalogue.register import Edit
from vitrine.errors import ObjectRefused
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.store.revisions import check_revision


def describe(
    item: Item,
    at: str,
    *,
    over: int | None = None,
    replace_withdrawn: bool = False,
    keeps_closed: bool = False,
    remembered: str = "",
    owner: str | None = None,
    takes_over: bool = False,
) -> Edit:
    """Let an identifier show `item`. `over` is the revision that it has to replace, if given.

    With `keeps_closed`, a collection that is closed stays so, whatever the item says. `remembered`
    is the rule that an object had as a collection under another identifier. `owner` is the
    collection on whose behalf this is done; None: a person's, who changes this one by its name.
    Refused for what another owner has, unless `takes_over`; for a tombstone unless
    `replace_withdrawn`; and for the previous identifier of another object. Raises RevisionChanged
    for another revision.
    """

    def edit(current: ObjectRecord | None) -> Described | None:
        check_revision(item.identifier, current.revision if current else 0, over)
        described = _with_rule(
            Described(
                identifier=item.identifier,
                changed_at=at,
                item=item,
                access=remembered,
                owner=owner or (current.owner if current else ""),
            ),
            current,
            keeps_closed,
        )
        if current and owner is not None and not takes_over:
            refuse_other_owner(current, owner)
        match current:
            case Described() if (current.item, current.access, current.owner) == (
                described.item,
                described.access,
                described.owner,
            ):
                return None
            case TakenDown() if not replace_withdrawn:
                raise ObjectRefused(
                    "object-withdrawn",
                    f'"{item.identifier}" was withdrawn ({current.reason}). To show it again, add '
                    "--replace-withdrawn to `vitrine object put`, or --replace-withdrawn "
                    f"{item.identifier} to `vitrine collection publish`.",
                )
            case Renamed():
                raise ObjectRefused(
                    "object-renamed",
                    f'"{item.identifier}" is the previous identifier of "{current.target}": its '
                    "addresses redirect there. Choose another one.",
                )
        return described

    return edit


def refuse_other_owner(current: ObjectRecord, owner: str) -> None:
    """Raise ObjectRefused for what another collection has, or a person published by itself."""
    if current.owner == owner or not (current.owner or isinstance(current, Described)):
        return  # redirects and tombstones that nobody owns have rules of their own
    match current:
        case Described(owner="", identifier=name, item=ObjectCollection()) if name == owner:
            return  # a collection that a person made becomes that of its table
    whose = f'belongs to the collection "{current.owner}"'
    if not current.owner:
        whose = "was published by itself, with `vitrine object put` or by the API"
    taker = f'the collection "{owner}"' if owner else "what is published by itself"
    raise ObjectRefused(
        "identifier-taken",
        f'"{current.identifier}" {whose}, so {taker} cannot have it. Give this one another '
        "identifier, or let its collection take that one over: vitrine collection publish FILE "
        f"--take-over {quote(current.identifier)}",
    )


def _with_rule(described: Described, current: ObjectRecord | None, keeps_closed: bool) -> Described:
    """Return the record with the rule of a collection that it replaces, unless it says one.

    A rule holds until it is replaced by another, so that nothing opens because a record that was
    written elsewhere does not know of it.
    """
    rule = rule_of(current)
    match described.item:
        case ObjectCollection(access=said) as item if rule and (
            not said or (keeps_closed and read_rule(rule) == CLOSED)
        ):
            return msgspec.structs.replace(
                described, item=msgspec.structs.replace(item, access=rule)
            )
        case ObjectCollection():
            return msgspec.structs.replace(described, access="")
    return msgspec.structs.replace(described, access=combine_rules(rule, described.access))


def restrict(combine: Callable[[str], str], at: str) -> Edit:
    """Let a collection have what `combine` makes of its rule; leave a redirect as it is.

    What was a collection, or is withdrawn, has the rule once it is one again.
    """

    def edit(current: ObjectRecord | None) -> ObjectRecord | None:
        known = rule_of(current)
        rule = combine(known)
        if read_rule(rule) == read_rule(known):
            return None
        match current:
            case Described(item=ObjectCollection() as item):
                item = msgspec.structs.replace(item, access=rule)
                return msgspec.structs.replace(current, changed_at=at, item=item)
            case Described() | TakenDown():
                return msgspec.structs.replace(current, changed_at=at, access=rule)
        return None

    return edit


def withdraw(identifier: str, reason: str, at: str, *, over: int | None = None) -> Edit:
    """Replace an object by a tombstone, or the reason of a tombstone by another.

    `over` is the revision that it has to replace, if given. Raises RevisionChanged for another.
    """

    def edit(current: ObjectRecord | None) -> TakenDown | None:
        check_revision(identifier, current.revision if current else 0, over)
        match current:
            case TakenDown() if current.reason == reason:
                return None
            case Described() | TakenDown():
                return TakenDown(
                    identifier=identifier, changed_at=at, reason=reason, access=rule_of(current)
                )
            case Renamed():
                raise ObjectRefused(
                    "object-renamed",
                    f'"{identifier}" redirects to "{current.target}": withdraw that one.',
                )
            case None:
                raise unknown_object(identifier)

    return edit


def move_to(old: str, new: str, at: str, *, over: int | None = None) -> Edit:
    """Let a previous identifier redirect to the one that shows its object now.

    `over` is the revision that it has to replace, if given. Raises RevisionChanged for another.
    """

    def edit(current: ObjectRecord | None) -> Renamed | None:
        if isinstance(current, Renamed) and current.target == new:
            return None
        check_revision(old, current.revision if current else 0, over)
        return Renamed(identifier=old, changed_at=at, target=new)

    return edit


def renamed_item(current: ObjectRecord | None, old: str, new: str) -> Item | None:
    """Return the item that `new` is to show; None if `old` redirects there already.

    Refused if `old` is no object.
    """
    match current:
        case Described():
            return msgspec.structs.replace(current.item, identifier=new)
        case Renamed() if current.target == new:
            return None
        case Renamed():
            sentence = f'"{old}" was renamed before, to "{current.target}": rename that.'
            raise ObjectRefused("object-renamed", sentence)
        case TakenDown():
            sentence = f'"{old}" was withdrawn ({current.reason}): it has no other name.'
            raise ObjectRefused("object-withdrawn", sentence)
        case None:
            raise unknown_object(old)


def shown_item(record: ObjectRecord) -> Item | None:
    """Return what a record shows; None for a redirect and a tombstone."""
    return record.item if isinstance(record, Described) else None


def unknown_object(identifier: str) -> ObjectRefused:
    """Return the error for an identifier that was never one of an object."""
    return ObjectRefused(
        "no-object",
        f'There is no object "{identifier}"; check its spelling. `vitrine object list` has all.',
    )
