"""Whatever happens in whatever order, what curators decided holds after each step."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.unit.ingest.crashes import Crash
from tests.unit.ingest.publish.curated_museum import DAMAGED, CuratedMuseum
from tests.unit.ingest.publish.promises import KEYS, NAMES

names = st.sampled_from(NAMES)
keys = st.sampled_from(KEYS)
pictures = st.sampled_from([b"1", b"1", b"2", DAMAGED])
crashes = st.one_of(st.none(), st.builds(Crash, number=st.integers(1, 25), late=st.booleans()))
executions = precondition(lambda self: self.museum.executions)


class Curation(RuleBasedStateMachine):
    """Uploads, withdrawals, renames, restores, redrives, reconciles, crashes and deletions."""

    def __init__(self) -> None:
        super().__init__()
        self.museum = CuratedMuseum()
        self.before = {name: self.museum.record(name) for name in NAMES}

    @rule(key=keys, body=pictures, event=st.booleans())
    def upload(self, key: str, body: bytes, event: bool) -> None:
        self.museum.upload(key, body, "", replacing=False)
        if event:
            self.museum.start(key)

    @rule(key=keys, body=pictures, name=names, replacing=st.booleans(), event=st.booleans())
    def upload_as(self, key: str, body: bytes, name: str, replacing: bool, event: bool) -> None:
        self.museum.upload(key, body, name, replacing)
        if event:
            self.museum.start(key)

    @rule(key=keys)
    def publish(self, key: str) -> None:
        """An upload that nothing disturbs."""
        self.museum.upload(key, b"1", "", replacing=False)
        self.museum.start(key)
        self.museum.run_all()

    @rule(key=keys, old=names, new=names)
    def rename_a_damaged_master(self, key: str, old: str, new: str) -> None:
        """The rename ends rejected."""
        self.museum.upload(key, DAMAGED, "", replacing=False)
        self.museum.rename(old, new, replacing=False)
        self.museum.start(key)
        self.museum.run_all()

    @rule(name=names, end=names)
    def cover_a_tombstone(self, name: str, end: str) -> None:
        """A redirect takes its place, and is removed."""
        self.museum.withdraw(name, "Rights.")
        self.museum.redirect(name, end, replacing=True)
        self.museum.remove_redirect(name)

    @rule(key=keys, crash=crashes)
    def event(self, key: str, crash: Crash | None) -> None:
        self.museum.start(key, crash=crash)

    @rule()
    def a_second_passes(self) -> None:
        self.museum.tick()

    @executions
    @rule(number=st.integers(0, 9), crash=crashes)
    def run(self, number: int, crash: Crash | None) -> None:
        self.museum.run(number, crash)

    @executions
    @rule(number=st.integers(0, 9))
    def run_well(self, number: int) -> None:
        self.museum.run(number)

    @executions
    @rule(number=st.integers(0, 9))
    def lose(self, number: int) -> None:
        self.museum.lose(number)

    @executions
    @rule(number=st.integers(0, 9))
    def fail(self, number: int) -> None:
        self.museum.fail(number)

    @rule(key=keys)
    def redrive(self, key: str) -> None:
        self.museum.redrive(key)

    @rule(name=names, reason=st.sampled_from(["Rights.", "Sold."]), crash=crashes)
    def withdraw(self, name: str, reason: str, crash: Crash | None) -> None:
        self.museum.withdraw(name, reason, crash)

    @rule(name=names, event=st.booleans(), crash=crashes)
    def restore(self, name: str, event: bool, crash: Crash | None) -> None:
        self.museum.restore(name, crash)
        if event:
            self.museum.reconcile()

    @rule(old=names, new=names, replacing=st.booleans(), crash=crashes)
    def rename(self, old: str, new: str, replacing: bool, crash: Crash | None) -> None:
        self.museum.rename(old, new, replacing, crash)

    @rule(old=names, new=names, replacing=st.booleans())
    def redirect(self, old: str, new: str, replacing: bool) -> None:
        self.museum.redirect(old, new, replacing)

    @rule(name=names, crash=crashes)
    def close(self, name: str, crash: Crash | None) -> None:
        self.museum.close(name, crash)

    @rule(old=names, new=names, replacing=st.booleans(), closed=st.booleans())
    def rename_well(self, old: str, new: str, replacing: bool, closed: bool) -> None:
        """A rename that nothing disturbs, of an image that is closed or opened first."""
        keys = self.museum.shown_masters(old)
        if closed:
            self.museum.close(old)
        else:
            self.museum.open(old)
        self.museum.rename(old, new, replacing)
        for key in keys:
            self.museum.start(key)
        self.museum.run_all()

    @rule(name=names)
    def open(self, name: str) -> None:
        self.museum.open(name)

    @rule(name=names)
    def remove_redirect(self, name: str) -> None:
        self.museum.remove_redirect(name)

    @rule(key=keys)
    def delete(self, key: str) -> None:
        self.museum.delete(key)
        self.museum.start(key)

    @rule(key=keys)
    def undelete(self, key: str) -> None:
        self.museum.undelete(key)
        self.museum.start(key)

    @precondition(lambda self: self.museum.withdrawals)
    @rule(number=st.integers(0, 9), crash=crashes)
    def end_grace(self, number: int, crash: Crash | None) -> None:
        self.museum.end_grace(number, crash)

    @rule()
    def reconcile(self) -> None:
        self.museum.reconcile()

    @rule()
    def rebuild(self) -> None:
        self.museum.rebuild()

    @invariant()
    def what_was_decided_holds(self) -> None:
        self.museum.check(self.before)
        self.before = {name: self.museum.record(name) for name in NAMES}

    def teardown(self) -> None:
        """All that is under way ends, and the reconciler has nothing left to do."""
        self.museum.rebuild()
        for _ in range(4):
            self.museum.reconcile()
            while self.museum.executions or self.museum.withdrawals:
                while self.museum.executions:
                    self.museum.run(0)
                    self.what_was_decided_holds()
                while self.museum.withdrawals:
                    self.museum.end_grace(0)
                    self.what_was_decided_holds()
        self.museum.check_quiet()


Curation.TestCase.settings = settings(max_examples=200, stateful_step_count=40)
test_withdrawn_stays_withdrawn_in_any_order = pytest.mark.slow(Curation.TestCase)
