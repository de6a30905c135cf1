"""The edits that an identifier can undergo: pure functions of its current record.

Each function returns an `Edit` for `Register.change`: it takes the current record and returns the
record that replaces it, or None if nothing has to change. What is not allowed raises
IdentifierRefused, with a code and a sentence that says what to do.
"""

from collections.abc import Callable
from dataclasses import replace
from shlex import quote

from vitrine.access.rules import INHERITED
from vitrine.errors import IdentifierRefused, TransientError
from vitrine.identify.owners import has_other_owner
from vitrine.identify.register import Edit
from vitrine.identify.share_links import is_shareable
from vitrine.identify.stated_rules import copy_rule
from vitrine.records import Gone, Live, Record, Redirect, Removed
from vitrine.store.revisions import check_revision

RENAMED = "renamed"
"""Note of a redirect that a renamed image left behind."""


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


def retarget_redirect(target: str, end: str, at: str) -> Edit:
    """Change the target of a redirect from `target` to `end`; leave anything else as it is."""

    def edit(current: Record | None) -> Redirect | None:
        if isinstance(current, Redirect) and current.target == target:
            return replace(current, target=end, changed_at=at)
        return None

    return edit


def revert_redirect(redirect: Redirect, before: Record | None, at: str) -> Edit:
    """Put `before` back in place of `redirect`, unless somebody has changed it since."""

    def edit(current: Record | None) -> Record | None:
        if not (isinstance(current, Redirect) and current.target == redirect.target):
            return None
        return before or Removed(identifier=redirect.identifier, changed_at=at)

    return edit


def remove_redirect(
    identifier: str,
    at: str,
    replaced_tombstone: Callable[[Redirect], Gone | None],
    *,
    over: int | None = None,
) -> Edit:
    """Remove a redirect. Refused with code `no-redirect` if it is not one.

    `replaced_tombstone` returns the tombstone that the redirect took the place of, if any: that one
    is put back, with its reason and date, so that the image does not come back unnoticed. `over` as
    in `set_redirect`.
    """

    def edit(current: Record | None) -> Gone | Removed:
        check_revision(identifier, current.revision if current else 0, over)
        if not isinstance(current, Redirect):
            raise IdentifierRefused(
                "no-redirect", f'"{identifier}" is not a redirect; check its spelling.'
            )
        return replaced_tombstone(current) or Removed(identifier=identifier, changed_at=at)

    return edit


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


def redirect_previous_identifier(image: Live, previous: Live, at: str) -> Edit:
    """Redirect a previous identifier of `image`'s master to the image.

    Does so only while that identifier answers with an image of the same master, of this version
    or an older one. The image has taken over the rules of `previous`; raises TransientError if it
    has others since.
    """

    def edit(current: Record | None) -> Redirect | None:
        if not isinstance(current, Live) or current.master_key != image.master_key:
            return None
        if current.master_modified > image.master_modified:
            return None
        name = previous.identifier
        if copy_rule(previous, current) != previous:
            raise TransientError(f'The rule of access of "{name}" was just changed.')
        return Redirect(identifier=name, target=image.identifier, changed_at=at, note=RENAMED)

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
