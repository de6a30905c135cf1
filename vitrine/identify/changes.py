"""The edits that an identifier can undergo: pure functions of its current record.

Each function returns an `Edit` for `Register.change`: it takes the current record and returns the
record that replaces it, or None if nothing has to change. What is not allowed raises
IdentifierRefused, with a code and a sentence that says what to do.
"""

from dataclasses import replace
from shlex import quote

from vitrine.access.rules import INHERITED
from vitrine.errors import IdentifierRefused
from vitrine.identify.owners import has_other_owner
from vitrine.identify.register import Edit
from vitrine.identify.share_links import is_shareable
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.store.revisions import check_revision


def set_redirect(
    redirect: Redirect,
    *,
    replace_live: bool = False,
    replace_withdrawn: bool = False,
    keeps_owned: bool = False,
    over: int | None = None,
) -> Edit:
    """Set `redirect` where there is nothing, or in place of another redirect.

    A live image is replaced only with `replace_live` (code `live-image`), because its addresses
    would change what they show. A tombstone is replaced only with `replace_withdrawn` (code
    `withdrawn-image`), because somebody gave a reason for it, and the image could no longer be
    restored. With `keeps_owned`, nothing is replaced that another collection owns than the
    redirect's (code `identifier-owned`). A redirect without a note keeps the note of the one it
    replaces. `over` is the revision that it has to replace, if given; RevisionChanged is raised for
    another.
    """

    def edit(current: Record | None) -> Redirect | None:
        check_revision(redirect.identifier, current.revision if current else 0, over)
        if isinstance(current, Live) and not replace_live:
            raise live_image_error(current)
        if isinstance(current, Gone) and not replace_withdrawn:
            raise withdrawn_image_error(current)
        if has_redirect(current, redirect):
            return None
        if current and keeps_owned and has_other_owner(current, redirect.owner):
            whose = f'to the collection "{redirect.owner}"' if redirect.owner else "to none"
            raise IdentifierRefused(
                "identifier-owned",
                f'"{current.identifier}" belongs to the collection "{current.owner}", and this '
                f"redirect {whose}. To change that all the same, add --take-over, or run: vitrine "
                f"redirects add {quote(current.identifier)} {quote(redirect.target)}",
            )
        if not isinstance(current, Redirect):
            return redirect
        return replace(redirect, note=redirect.note or current.note)

    return edit


def has_redirect(current: Record | None, redirect: Redirect) -> bool:
    """Return True if `redirect` is already in place: same target, and its note, if it has one."""
    return (
        isinstance(current, Redirect)
        and current.target == redirect.target
        and redirect.note in ("", current.note)
    )


def withdraw_image(identifier: str, reason: str, at: str, *, over: int | None = None) -> Edit:
    """Replace a live image by a tombstone, or the reason of a tombstone by another.

    A tombstone with the same reason gets a new revision, which ends a restoration in progress.
    Refused with code `no-image` if the identifier is neither. `over` as in `set_redirect`.
    """

    def edit(current: Record | None) -> Gone:
        check_revision(identifier, current.revision if current else 0, over)
        match current:
            case Gone(reason=given) if given == reason:
                return replace(current, by_curator=True)
            case Live() | Gone():
                return Gone(identifier=identifier, reason=reason, changed_at=at)
            case Redirect(target=target):
                raise IdentifierRefused(
                    "no-image", f'"{identifier}" redirects to "{target}": withdraw that one.'
                )
            case _:
                raise IdentifierRefused(
                    "no-image", f'There is no image "{identifier}"; check its spelling.'
                )

    return edit


def end_links(identifier: str, *, over: int | None = None) -> Edit:
    """End all share links to an image; those that are made from then on hold.

    Refused with code `no-image` for what is no live image. `over` as in `set_redirect`.
    """

    def edit(current: Record | None) -> Live | None:
        check_revision(identifier, current.revision if current else 0, over)
        if not isinstance(current, Live):
            raise IdentifierRefused(
                "no-image", f'"{identifier}" is not a live image, so no link shows it.'
            )
        if current.access != INHERITED and not is_shareable(current):
            return None
        return replace(current, links_from=current.revision + 1)

    return edit


def live_image_error(image: Live) -> IdentifierRefused:
    """Return the error for an identifier that is a live image."""
    return IdentifierRefused(
        "live-image",
        f'"{image.identifier}" is a live image (of the master "{image.master_key}"). '
        "To redirect its addresses all the same, add --replace-live.",
    )


def withdrawn_image_error(tombstone: Gone) -> IdentifierRefused:
    """Return the error for an identifier whose image was withdrawn."""
    return IdentifierRefused(
        "withdrawn-image",
        f'"{tombstone.identifier}" is a withdrawn image ({tombstone.reason}). It can be restored '
        "as long as its tombstone exists; to use its identifier for something else all the same, "
        "add --replace-withdrawn.",
    )
