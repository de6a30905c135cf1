"""Redirects are added, taken back and led on here; chains are collapsed as soon as they come to be.

One write makes a change: that of the redirect itself. Then the redirects that pointed at it are
led on to its target. In between, and should we die there, they are chains, which readers follow
(`vitrine.identify.decide`); so no address ever stops answering. Two who change neighbouring
redirects at once look after one another: each looks at its target once more after it has written.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vitrine.errors import IdentifierRefused, MasterRejected, TransientError
from vitrine.identify.changes import led_on, put_back, redirected, removed
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.register import Change, Decide, Register
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.store.clock import now

ROUNDS = 20
"""So often in a row others may change our target while we lead to it."""


@dataclass(frozen=True, kw_only=True)
class Added:
    """A redirect that stands now. `collapsed` counts others that were led on to its target."""

    change: Change
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
        replace_live: bool = False,
        replace_withdrawn: bool = False,
        allow_dangling: bool = False,
    ) -> Added:
        """Let `old` lead to `new`, or where that leads.

        Raises IdentifierRefused with code `identifier-invalid`, `self`, `loop`, `live-image`,
        `withdrawn-image` or `dangling` (a target that is neither image nor tombstone answers 404:
        most often a slip of the pen; with `allow_dangling` the image may come later), and
        TransientError.
        """
        old, new = checked(old), checked(new)
        if old == new:
            raise IdentifierRefused("self", f'"{old}" cannot redirect to itself.')
        end, record = self.end(new, away_from=old)
        if not (allow_dangling or isinstance(record, Live | Gone)):
            raise dangling(end)
        redirect = Redirect(identifier=old, target=end, changed_at=now(), note=note)
        change = redirected(
            redirect, replace_live=replace_live, replace_withdrawn=replace_withdrawn
        )
        return self.settle(old, change)

    def remove(self, identifier: str) -> Change:
        """Take a redirect back. Raises IdentifierRefused (`no-redirect`), TransientError."""
        identifier = checked(identifier)
        return self.register.change(identifier, removed(identifier, now()))

    def settle(self, name: str, decide: Decide) -> Added:
        """Change by `decide`, which makes a redirect of it or nothing; then leave no chain behind.

        Raises what `decide` raises; IdentifierRefused with code `loop`, and all is as it was, when
        somebody let the target lead here meanwhile; TransientError.
        """
        change = self.register.change(name, decide)
        if not isinstance(change.after, Redirect):
            return Added(change=change, target="", collapsed=0)
        led: set[str] = set()
        try:
            target = self._leave_no_chain(name, change.after.target, led)
        except IdentifierRefused:
            if change.made:
                self.register.change(name, put_back(change.after, change.replaced, now()))
            for record in map(self.register.table.get, led):
                if isinstance(record, Redirect):
                    self.collapse(record)
            raise
        return Added(change=change, target=target, collapsed=len(led))

    def tidy(self, name: str) -> None:
        """Leave no chain that begins at `name` or passes it. Raises as `settle` does."""
        there = self.register.table.get(name)
        if isinstance(there, Redirect):
            self._leave_no_chain(name, there.target, set())

    def _leave_no_chain(self, name: str, target: str, led: set[str]) -> str:
        """Lead what points at `name` to where that leads in the end; `led` hears of each."""
        for _ in range(ROUNDS):
            end, _ = self.end(target, away_from=name)
            moved = end != target
            if moved:
                self.register.change(name, led_on(target, end, now()))
            target = end
            others = self._lead_on(name, end)
            led |= others
            # After each write of ours one more look: who changed our target before it is seen
            # here, who does so after it sees what we wrote.
            if not moved and not others:
                return target
        raise TransientError(f"{name}: its target is being changed by others")

    def collapse(self, redirect: Redirect) -> bool:
        """Lead a redirect that points at another one to the end of the chain; whether it did.

        Raises IdentifierRefused with code `loop`, TransientError.
        """
        end, _ = self.end(redirect.target, away_from=redirect.identifier)
        if end == redirect.target:
            return False
        change = led_on(redirect.target, end, now())
        return self.register.change(redirect.identifier, change).made

    def end(self, identifier: str, *, away_from: str) -> tuple[str, Record | None]:
        """Where an identifier leads in the end, and what is there.

        Raises IdentifierRefused with code `loop` when that is nowhere, or past `away_from`.
        """
        return chain_end(self.register.table.get, identifier, away_from=away_from)

    def _lead_on(self, old: str, end: str) -> set[str]:
        at, led = now(), set()
        for redirect in list(self.register.table.redirects_to(old)):
            if redirect.identifier == end:
                continue  # what led to us a moment ago, and is an image now
            if self.register.change(redirect.identifier, led_on(old, end, at)).made:
                led.add(redirect.identifier)
        return led


def chain_end(
    get: Callable[[str], Record | None], identifier: str, *, away_from: str
) -> tuple[str, Record | None]:
    """Follow redirects as `get` knows them. Raises IdentifierRefused with code `loop`."""
    passed: dict[str, Any] = {away_from: None}
    while identifier not in passed:
        record = get(identifier)
        if not isinstance(record, Redirect):
            return identifier, record
        passed[identifier] = None
        identifier = record.target
    raise loop([*passed, identifier])


def checked(text: str) -> str:
    """The identifier in its normal form. Raises IdentifierRefused with code identifier-invalid."""
    try:
        return normalise_identifier(text)
    except MasterRejected as error:
        rejection = error.rejection
        sentence = f'"{rejection.value}" cannot be an identifier. {rejection.sentence}'
        raise IdentifierRefused(rejection.code, sentence) from None


def loop(passed: list[str]) -> IdentifierRefused:
    """The way that leads back into itself."""
    way = " to ".join(f'"{identifier}"' for identifier in passed)
    return IdentifierRefused("loop", f"The redirects would lead in a circle: {way}.")


def dangling(target: str) -> IdentifierRefused:
    """Nothing is there."""
    return IdentifierRefused(
        "dangling",
        f'There is no image "{target}", and never was. '
        "If it is still to come, say --allow-dangling: until then the redirect answers 404.",
    )
