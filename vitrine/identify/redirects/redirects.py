"""Adding and removing redirects. Chains are collapsed as soon as they arise.

One write makes a change: that of the redirect itself. Then the redirects that point at it are
retargeted to its end. In between, and if the process dies there, they are chains, which readers
follow (`vitrine.identify.resolve`), so no address ever stops answering. Two processes that change
neighbouring redirects at the same time repair each other's chains: each looks at its target once
more after it has written.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from vitrine.errors import IdentifierRefused, PreconditionFailed, RevisionChanged
from vitrine.events import ImagePublished
from vitrine.identify.access_changes import take_over_rules
from vitrine.identify.changes import set_redirect
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.chains import follow_chain
from vitrine.identify.register import Edit, IdentifierChange, Register
from vitrine.records import Gone, Live, Record, Redirect, Removed
from vitrine.store.clock import now
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.revisions import check_revision


@dataclass(frozen=True, kw_only=True)
class AddedRedirect:
    """A redirect now in place. `collapsed` counts others that were retargeted to its target."""

    change: IdentifierChange
    target: str
    collapsed: int


@dataclass(frozen=True)
class Redirects:
    """The redirects of a register."""

    register: Register

    def add(
        self,
        old: str,
        new: str,
        *,
        note: str = "",
        owner: str = "",
        replace_live: bool = False,
        replace_withdrawn: bool = False,
        replace_owned: bool = True,
        allow_dangling: bool = False,
        over: int | None = None,
    ) -> AddedRedirect:
        """Redirect `old` to `new`, or to the end of the chain that begins there.

        `owner` is the collection on whose behalf it redirects. Raises IdentifierRefused with code
        `identifier-invalid`, `self`, `loop`, `live-image`, `withdrawn-image`, `identifier-owned`
        (without `replace_owned`, what another collection owns stays) or `dangling` (a target that
        is neither an image nor a tombstone answers 404, and is usually a typing error; with
        `allow_dangling` the image may come later), RevisionChanged if `old` has another revision
        than `over`, and TransientError.
        """
        old, new = parse_identifier(old), parse_identifier(new)
        if old == new:
            raise self_error(old)
        end, record = self.follow(new, away_from=old)
        if not (allow_dangling or isinstance(record, Live | Gone)):
            raise _dangling_error(end)
        redirect = Redirect(identifier=old, target=end, changed_at=now(), note=note, owner=owner)
        edit = set_redirect(
            redirect,
            replace_live=replace_live,
            replace_withdrawn=replace_withdrawn,
            keeps_owned=not replace_owned,
            over=over,
        )
        return self.change_and_collapse(old, edit)

    def remove(self, identifier: str, *, over: int | None = None) -> IdentifierChange:
        """Remove a redirect, and put the tombstone back that it took the place of, if any.

        Raises IdentifierRefused (`no-redirect`), RevisionChanged as above, TransientError. If an
        earlier try removed it, that is announced first: it may have died before it was.
        """
        identifier = parse_identifier(identifier)
        edit = _remove_redirect(identifier, now(), self._replaced_tombstone, over=over)
        try:
            return self.register.change(identifier, edit)
        except (IdentifierRefused, RevisionChanged):
            if isinstance(self.register.table.get(identifier), Gone | Removed):
                self.register.change(identifier, lambda current: None)
            raise

    def _replaced_tombstone(self, redirect: Redirect) -> Gone | None:
        record: Record | None = redirect
        while isinstance(record, Redirect):
            record = self.register.journal.entry(record.identifier, record.revision - 1)
        return record if isinstance(record, Gone) else None

    def change_and_collapse(self, name: str, edit: Edit) -> AddedRedirect:
        """Change `name` by `edit`, which may make it a redirect; then collapse the chains there.

        Raises what `edit` raises; IdentifierRefused with code `loop`, after reverting the change,
        if somebody redirected the target to `name` in the meantime; TransientError.
        """
        change = self.register.change(name, edit)
        if not isinstance(change.after, Redirect):
            return AddedRedirect(change=change, target="", collapsed=0)
        retargeted: set[str] = set()
        try:
            # First: if it breaks off after that, those who do it again find nothing to retarget.
            self.hand_on_rules(change)
            target = self._collapse_around(name, change.after.target, retargeted)
        except IdentifierRefused:
            if change.made:
                self.register.change(name, _revert_redirect(change.after, change.replaced, now()))
            for record in map(self.register.table.get, retargeted):
                if isinstance(record, Redirect):
                    self.collapse(record)
            raise
        return AddedRedirect(change=change, target=target, collapsed=len(retargeted))

    def hand_on_rules(self, change: IdentifierChange) -> None:
        """Put the image that a redirect leads to into the collections that it was in itself.

        What names the one now shows the other. The target may be yet to come. Raises
        IdentifierRefused with code `loop`, TransientError.
        """
        redirect = change.after

        def hand_on() -> None:
            nonlocal redirect
            if not isinstance(redirect, Redirect) or not (redirect.collections or redirect.kept):
                return
            end, _ = self.follow(redirect.target, away_from=redirect.identifier)
            ruled = self.register.change(end, take_over_rules(end, redirect, now()))
            if ruled.made and isinstance(ruled.after, Live):
                event = ImagePublished.of(ruled.after)
                self.register.events.publish(event.name(), event.detail())
            if ruled.made or isinstance(ruled.after, Redirect):
                # The end may have become a redirect, or the one have left collections.
                redirect = self.register.table.get(redirect.identifier)
                raise PreconditionFailed(end)

        retry_if_changed(hand_on, f'The target of "{redirect.identifier if redirect else ""}"')

    def collapse_around(self, name: str) -> None:
        """Collapse chains that begin at `name` or pass it; raises as `change_and_collapse` does."""
        record = self.register.table.get(name)
        if isinstance(record, Redirect):
            self._collapse_around(name, record.target, set())

    def _collapse_around(self, name: str, target: str, retargeted: set[str]) -> str:
        """Retarget `name` and what points at it to the end of the chain; return that end.

        The identifiers that pointed at `name` are added to `retargeted` as they are changed.
        """

        def collapse() -> str:
            nonlocal target
            before = target
            target, _ = self.follow(target, away_from=name)
            if target != before:
                self.register.change(name, _retarget_redirect(before, target, now()))
            others = self._retarget_all(name, target)
            retargeted.update(others)
            # Look once more after each write of ours: a change of our target before it is seen
            # here, and a process that changes it later sees what we wrote.
            if target != before or others:
                raise PreconditionFailed(name)
            return target

        return retry_if_changed(collapse, f'The target of "{name}"')

    def collapse(self, redirect: Redirect) -> bool:
        """Retarget a redirect to the end of its chain; return False if it points there already.

        Raises IdentifierRefused with code `loop`, TransientError.
        """
        end, _ = self.follow(redirect.target, away_from=redirect.identifier)
        if end == redirect.target:
            return False
        edit = _retarget_redirect(redirect.target, end, now())
        return self.register.change(redirect.identifier, edit).made

    def follow(self, identifier: str, *, away_from: str) -> tuple[str, Record | None]:
        """Return the end of the chain that begins at `identifier`, and the record there.

        Raises IdentifierRefused with code `loop` if there is no end, or the chain passes
        `away_from`.
        """
        return follow_chain(self.register.table.get, identifier, away_from=away_from)

    def _retarget_all(self, old: str, end: str) -> set[str]:
        at, retargeted = now(), set()
        for redirect in list(self.register.table.redirects_to(old)):
            if redirect.identifier == end:
                continue  # it pointed at `old` a moment ago, and is an image now
            if self.register.change(redirect.identifier, _retarget_redirect(old, end, at)).made:
                retargeted.add(redirect.identifier)
        return retargeted


def self_error(identifier: str) -> IdentifierRefused:
    """Return the error for an identifier that is its own target."""
    return IdentifierRefused(
        "self", f'"{identifier}" cannot redirect to itself; choose another target.'
    )


def _dangling_error(target: str) -> IdentifierRefused:
    return IdentifierRefused(
        "dangling",
        f'There is no image "{target}", and there never was. If it is still to be published, add '
        "--allow-dangling: until then the redirect answers 404.",
    )


def _retarget_redirect(target: str, end: str, at: str) -> Edit:
    """Change the target of a redirect from `target` to `end`; leave anything else as it is."""

    def edit(current: Record | None) -> Redirect | None:
        if isinstance(current, Redirect) and current.target == target:
            return replace(current, target=end, changed_at=at)
        return None

    return edit


def _revert_redirect(redirect: Redirect, before: Record | None, at: str) -> Edit:
    """Put `before` back in place of `redirect`, unless somebody has changed it since."""

    def edit(current: Record | None) -> Record | None:
        if not (isinstance(current, Redirect) and current.target == redirect.target):
            return None
        return before or Removed(identifier=redirect.identifier, changed_at=at)

    return edit


def _remove_redirect(
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
