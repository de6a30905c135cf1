"""The edits that an object can undergo: pure functions of its current record."""

import msgspec

from vitrine.errors import ObjectRefused
from vitrine.present.objects.records import Described, Item, ObjectRecord, Renamed, TakenDown
from vitrine.present.objects.register import Edit


def describe(
    item: Item, at: str, *, over: int | None = None, replace_withdrawn: bool = False
) -> Edit:
    """Let an identifier show `item`. `over` is the revision that it has to replace, if given.

    Refused for another revision, for a tombstone unless `replace_withdrawn`, and for the previous
    identifier of another object.
    """

    def edit(current: ObjectRecord | None) -> Described | None:
        found = current.revision if current else 0
        if over is not None and over != found:
            raise ObjectRefused(
                f'"{item.identifier}" has revision {found}, not {over}: somebody changed it. Look '
                "at it with `vitrine object show`, and put your change on top of that."
            )
        match current:
            case Described() if current.item == item:
                return None
            case TakenDown() if not replace_withdrawn:
                raise ObjectRefused(
                    f'"{item.identifier}" was withdrawn ({current.reason}). To show it again, add '
                    "--replace-withdrawn."
                )
            case Renamed():
                raise ObjectRefused(
                    f'"{item.identifier}" is the previous identifier of "{current.target}": its '
                    "addresses redirect there. Choose another one."
                )
        return Described(identifier=item.identifier, changed_at=at, item=item)

    return edit


def withdraw(identifier: str, reason: str, at: str) -> Edit:
    """Replace an object by a tombstone, or the reason of a tombstone by another."""

    def edit(current: ObjectRecord | None) -> TakenDown | None:
        match current:
            case TakenDown() if current.reason == reason:
                return None
            case Described() | TakenDown():
                return TakenDown(identifier=identifier, changed_at=at, reason=reason)
            case Renamed():
                raise ObjectRefused(
                    f'"{identifier}" redirects to "{current.target}": withdraw that one.'
                )
            case None:
                raise unknown_object(identifier)

    return edit


def move_to(old: str, new: str, at: str) -> Edit:
    """Let a previous identifier redirect to the one that shows its object now."""

    def edit(current: ObjectRecord | None) -> Renamed | None:
        if isinstance(current, Renamed) and current.target == new:
            return None
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
            raise ObjectRefused(f'"{old}" was renamed before, to "{current.target}": rename that.')
        case TakenDown():
            raise ObjectRefused(f'"{old}" was withdrawn ({current.reason}): it has no other name.')
        case None:
            raise unknown_object(old)


def shown_item(record: ObjectRecord) -> Item | None:
    """Return what a record shows; None for a redirect and a tombstone."""
    return record.item if isinstance(record, Described) else None


def unknown_object(identifier: str) -> ObjectRefused:
    """Return the error for an identifier that was never one of an object."""
    return ObjectRefused(
        f'There is no object "{identifier}"; check its spelling. `vitrine object list` has all.'
    )
