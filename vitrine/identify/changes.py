"""What may become of an identifier, as pure functions of what it is: `Register.change` runs them.

Each returns a `Decide`: from the record that stands to the one that shall, None where all is well
already. What must not be is refused with a code and a sentence that says what to do.
"""

from dataclasses import replace

from vitrine.errors import IdentifierRefused
from vitrine.identify.register import Decide
from vitrine.records import Gone, Live, Record, Redirect, Removed


def redirected(
    redirect: Redirect, *, replace_live: bool = False, replace_withdrawn: bool = False
) -> Decide:
    """Let it be `redirect`: in place of nothing or another redirect.

    A live image only gives way with `replace_live` (code `live-image`): its addresses would change
    what they show. A tombstone only with `replace_withdrawn` (code `withdrawn-image`): somebody
    said why there is nothing to see, and the image could not be restored. A note that is not given
    leaves the one that stands.
    """

    def decide(there: Record | None) -> Redirect | None:
        if isinstance(there, Live) and not replace_live:
            raise live_image(there)
        if isinstance(there, Gone) and not replace_withdrawn:
            raise withdrawn_image(there)
        if not isinstance(there, Redirect):
            return redirect
        wanted = replace(redirect, note=redirect.note or there.note)
        return None if stands(there, redirect) else wanted

    return decide


def stands(there: Record | None, redirect: Redirect) -> bool:
    """Whether nothing is left to do for `redirect`."""
    return (
        isinstance(there, Redirect)
        and there.target == redirect.target
        and redirect.note in ("", there.note)
    )


def led_on(target: str, end: str, at: str) -> Decide:
    """Let a redirect to `target` lead to `end` instead; whatever else it is by now stays."""

    def decide(there: Record | None) -> Redirect | None:
        if isinstance(there, Redirect) and there.target == target:
            return replace(there, target=end, changed_at=at)
        return None

    return decide


def put_back(redirect: Redirect, before: Record | None, at: str) -> Decide:
    """Undo `redirect`, unless it is something else by now."""

    def decide(there: Record | None) -> Record | None:
        if not (isinstance(there, Redirect) and there.target == redirect.target):
            return None
        return before or Removed(identifier=redirect.identifier, changed_at=at)

    return decide


def removed(identifier: str, at: str) -> Decide:
    """Take a redirect back. Refused with code `no-redirect` where there is none."""

    def decide(there: Record | None) -> Removed:
        if not isinstance(there, Redirect):
            raise IdentifierRefused("no-redirect", f'"{identifier}" is not a redirect.')
        return Removed(identifier=identifier, changed_at=at)

    return decide


def withdrawn(identifier: str, reason: str, at: str) -> Decide:
    """A tombstone in place of a live image, or with another reason than the one that stands.

    Refused with code `no-image` for what is no image.
    """

    def decide(there: Record | None) -> Gone | None:
        match there:
            case Gone(reason=told) if told == reason:
                return None
            case Live() | Gone():
                return Gone(identifier=identifier, reason=reason, changed_at=at)
            case Redirect(target=target):
                raise IdentifierRefused(
                    "no-image", f'"{identifier}" redirects to "{target}": withdraw that one.'
                )
            case _:
                raise IdentifierRefused("no-image", f'There is no image "{identifier}".')

    return decide


def renamed(image: Live, former: str, at: str) -> Decide:
    """Let a former identifier of `image`'s master redirect to it.

    Only while it answers with that master's image, of this version or an older one.
    """

    def decide(there: Record | None) -> Redirect | None:
        if not isinstance(there, Live) or there.master_key != image.master_key:
            return None
        if there.master_modified > image.master_modified:
            return None
        return Redirect(identifier=former, target=image.identifier, changed_at=at, note=RENAMED)

    return decide


RENAMED = "renamed"
"""Note of a redirect that a renamed image left behind."""


def live_image(image: Live) -> IdentifierRefused:
    """The identifier answers with an image."""
    return IdentifierRefused(
        "live-image",
        f'"{image.identifier}" is a live image (of the master "{image.master_key}"). '
        "To let its addresses lead elsewhere all the same, say --replace-live.",
    )


def withdrawn_image(tombstone: Gone) -> IdentifierRefused:
    """The identifier answers that its image was withdrawn."""
    return IdentifierRefused(
        "withdrawn-image",
        f'"{tombstone.identifier}" is a withdrawn image ({tombstone.reason}). It can be restored '
        "as long as its tombstone stands; to give its address away all the same, say "
        "--replace-withdrawn.",
    )
