"""An import says what it would do, does it, and does it once."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaved import World, live, redirect

from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.errors import TransientError
from vitrine.identify import redirect_import
from vitrine.identify.bulk import GatheredEvents, Workers
from vitrine.identify.decide import MovedTo
from vitrine.identify.journal import Journal
from vitrine.identify.record import Gone, Record, Redirect
from vitrine.identify.redirect_audit import audit
from vitrine.identify.redirect_file import Row
from vitrine.identify.redirect_import import FEW, Wishes, Written, make_plan, write_plan
from vitrine.identify.redirect_plan import Plan, open_plan
from vitrine.identify.redirects import Redirects
from vitrine.identify.register import Register

GONE = Gone(identifier="gone", revision=1, reason="Lost.", changed_at="2026")


def wished(pairs: Iterable[tuple[str, str]]) -> list[Row]:
    return [Row(line, old, new) for line, (old, new) in enumerate(pairs, start=2)]


class Import:
    """A world, and imports into it."""

    def __init__(self, *records: Record, **wishes: bool) -> None:
        self.world = World(*records)
        self.wishes = Wishes(**wishes)
        self.redirects = self.world.redirects()

    def plan(self, plan: Plan, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
        with Workers(4) as workers:
            make_plan(self.redirects, plan, wished(pairs), self.wishes, workers)
        return plan.faults_by_code()

    def faults(self, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
        with open_plan() as plan:
            return self.plan(plan, pairs)

    def run(self, pairs: Iterable[tuple[str, str]], threads: int = 1) -> Written:
        with open_plan() as plan, Workers(threads, wait=lambda seconds: None) as workers:
            self.plan(plan, pairs)
            return write_plan(self.redirects, plan, self.wishes, workers)

    def targets(self) -> dict[str, str]:
        return {item.identifier: item.target for item in self.world.table.redirects()}


def test_an_import_writes_what_is_wished_and_its_repetition_nothing() -> None:
    bed = Import(live("a"), live("b"))
    pairs = [("1985-1", "a"), ("1985-2", "b"), ("1985-3", "a")]
    assert bed.run(pairs).counts["written"] == 3
    assert bed.targets() == dict(pairs)
    events = len(bed.world.bus.events)
    again = bed.run(pairs)
    assert (again.counts["written"], again.counts["stood"]) == (0, 0)
    assert len(bed.world.bus.events) == events


def test_chains_lead_to_their_end_through_file_and_table() -> None:
    bed = Import(live("end"), redirect("in table", "end"), redirect("last", "first"))
    pairs = [("x", "y"), ("y", "z"), ("z", "in table"), ("first", "x")]
    assert bed.faults(pairs) == {}
    assert bed.run(pairs).counts == {"written": 4, "stood": 0, "collapsed": 1}
    assert set(bed.targets().values()) == {"end"}
    assert bed.world.chains() == []


def test_a_table_may_lead_back_into_the_file() -> None:
    bed = Import(live("end"), redirect("b", "c"))
    assert bed.run([("a", "b"), ("c", "end")]).counts["written"] == 2
    assert bed.targets() == {"a": "end", "b": "end", "c": "end"}


@pytest.mark.parametrize(
    ("pairs", "code", "count"),
    [
        ([("a", "b"), ("b", "a")], "loop", 2),
        ([("a", "b"), ("b", "c"), ("c", "a"), ("x", "a")], "loop", 4),
        ([("t", "old")], "loop", 1),
        ([("a", "nobody"), ("b", "a")], "dangling", 2),
        ([("end", "other")], "live-image", 1),
        ([("a", "end"), ("a", "other")], "conflict", 2),
        ([("a", "end"), ("a", "other"), ("a", "gone")], "conflict", 3),
    ],
)
def test_what_must_not_be_is_found_before_anything_is_written(
    pairs: list[tuple[str, str]], code: str, count: int
) -> None:
    bed = Import(live("end"), live("other"), GONE, redirect("old", "t"))
    bed.world.table._records.pop("t", None)
    assert bed.faults([*pairs, ("good", "end")]) == {code: count}
    assert bed.world.bus.events == []


def test_the_good_rows_can_be_written_without_those_at_fault() -> None:
    bed = Import(live("end"), live("image"))
    pairs = [("a", "b"), ("b", "a"), ("to image", "image"), ("image", "end"), ("good", "end")]
    assert bed.faults(pairs) == {"live-image": 1, "loop": 2}
    bed.run(pairs)
    assert bed.targets() == {"to image": "image", "good": "end"}, "the image stays, so they may"


def test_a_row_that_comes_twice_counts_once() -> None:
    bed = Import(live("a"))
    with open_plan() as plan:
        assert bed.plan(plan, [("x", "a"), ("x", "a")]) == {}
        assert plan.summary()["duplicates"] == 1
        assert [row.old for row, _ in plan.to_write()] == ["x"]


def test_what_gives_way_is_said_and_counted() -> None:
    bed = Import(live("a"), live("b"), GONE, redirect("old", "a"), replace_live=True)
    with open_plan() as plan:
        assert bed.plan(plan, [("b", "a"), ("gone", "a"), ("old", "b"), ("new", "a")]) == {}
        counts = plan.summary()
    wanted = {"over_live_images": 1, "over_tombstones": 1, "changed": 0, "stand": 1, "new": 1}
    assert {name: counts[name] for name in wanted} == wanted


def test_a_target_may_come_later_when_it_is_said() -> None:
    bed = Import(allow_dangling=True)
    assert bed.run([("a", "b"), ("b", "c")]).counts["written"] == 2
    assert bed.targets() == {"a": "c", "b": "c"}


def test_a_large_import_leads_on_what_pointed_at_its_identifiers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redirect_import, "FEW", 3)
    olds = [f"old {number}" for number in range(250)]
    bed = Import(live("c"), live("b"), *(redirect(old, "b") for old in olds), replace_live=True)
    written = bed.run([("b", "c"), *((f"new {number}", "c") for number in range(250))])
    assert written.counts == {"written": 251, "stood": 0, "collapsed": 250}
    assert set(bed.targets().values()) == {"c"}


def test_an_import_that_is_cut_off_is_taken_up_again() -> None:
    pairs = [(f"old {number}", "a") for number in range(40)]
    bed = Import(live("a"))
    cut: Any = Breaking(bed.world.table, every=3, methods=frozenset({"write"}))
    bed.redirects = Redirects(Register(cut, Journal(bed.world.store), bed.world.bus))

    with open_plan() as plan, Workers(1, wait=Impatient()) as workers:
        bed.plan(plan, pairs)
        with pytest.raises(TransientError):
            write_plan(bed.redirects, plan, bed.wishes, workers)
    assert 0 < len(bed.targets()) < 40
    bed.redirects = bed.world.redirects()
    again = bed.run(pairs)
    assert again.counts["written"] < 40
    assert bed.targets() == dict(pairs)


class Impatient:
    def __call__(self, seconds: float) -> None:
        raise TransientError("enough")


def test_throttling_is_waited_out() -> None:
    bed = Import(live("a"))
    slow: Any = Breaking(bed.world.table, every=7)
    bed.redirects = Redirects(Register(slow, Journal(bed.world.store), bed.world.bus))
    pairs = [(f"old {number}", "a") for number in range(40)]
    with open_plan() as plan, Workers(1, wait=lambda seconds: None) as workers:
        make_plan(bed.redirects, plan, wished(pairs), bed.wishes, workers)
        write_plan(bed.redirects, plan, bed.wishes, workers)
    assert bed.targets() == dict(pairs)


@pytest.mark.parametrize("few", [0, 1_000])
def test_an_image_that_goes_live_between_plan_and_writing_is_kept(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(redirect_import, "FEW", few)
    bed = Import(live("a"))
    with open_plan() as plan, Workers(1) as workers:
        bed.plan(plan, [("x", "a"), ("y", "a")])
        bed.redirects.register.change("x", lambda there: live("x"))
        written = write_plan(bed.redirects, plan, bed.wishes, workers)
    assert [(fault.old, fault.code) for fault in written.refused] == [("x", "live-image")]
    assert bed.targets() == {"y": "a"}


NAMES = st.sampled_from(["a", "b", "c", "d", "live", "other", "gone", "nobody", "t1", "t2"])


@given(st.lists(st.tuples(NAMES, NAMES), max_size=8), st.booleans(), st.booleans())
def test_an_import_leads_every_row_to_its_end_or_refuses_it(
    pairs: list[tuple[str, str]], replace_live: bool, allow_dangling: bool
) -> None:
    """In one step; and nothing leads in a circle."""
    pairs = [(old, new) for old, new in pairs if old != new]
    records = [live("live"), live("other"), GONE, redirect("t1", "live"), redirect("t2", "gone")]
    bed = Import(*records, replace_live=replace_live, allow_dangling=allow_dangling)
    faults = bed.faults(pairs)
    bed.run(pairs)
    assert bed.world.chains() == []
    with Workers(1) as workers:
        found = {finding.code for finding in audit(bed.redirects, workers)}
    assert found <= ({"dangling"} if allow_dangling or replace_live else set())
    if not faults:
        leads = {"t1": "live", "t2": "gone", **dict(pairs)}
        assert bed.targets() == {name: end(leads, name) for name in leads}


def end(leads: dict[str, str], name: str) -> str:
    while name in leads:
        name = leads[name]
    return name


def test_an_audit_names_what_is_wrong_and_what_to_do() -> None:
    world = World(
        live("end"),
        redirect("good", "end"),
        redirect("a", "good"),
        redirect("b", "a"),
        redirect("x", "y"),
        redirect("y", "x"),
        redirect("into circle", "x"),
        redirect("lost", "nobody"),
    )
    seen: list[int] = []
    with Workers(2) as workers:
        found = list(audit(world.redirects(), workers, seen.append))
    assert {item.redirect.identifier: (item.code, item.end) for item in found} == {
        "a": ("chain", "end"),
        "b": ("chain", "end"),
        "x": ("loop", ""),
        "y": ("loop", ""),
        "into circle": ("loop", ""),
        "lost": ("dangling", "nobody"),
    }
    assert seen == [7]


def test_a_large_import_tells_of_every_redirect_even_when_it_breaks_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redirect_import, "FEW", 0)
    pairs = [(f"old {number}", "a") for number in range(43)]
    bed = Import(live("a"))
    bed.run(pairs, threads=4)
    told = [detail["identifier"] for _, detail in bed.world.bus.events]
    assert sorted(told) == sorted(old for old, _ in pairs)
    cut: Any = Breaking(bed.world.store, every=37, methods=frozenset({"put"}))
    bed.redirects = Redirects(Register(bed.world.table, Journal(cut), bed.world.bus))
    more = [(f"more {number}", "a") for number in range(60)]
    with open_plan() as plan, Workers(2, wait=Impatient()) as workers:
        bed.plan(plan, more)
        with pytest.raises(TransientError):
            write_plan(bed.redirects, plan, bed.wishes, workers)
    told = [detail["identifier"] for _, detail in bed.world.bus.events]
    assert sorted(told) == sorted(bed.targets())


def test_events_that_cannot_be_sent_wait_for_the_next_try() -> None:
    bus = MemoryEventBus()
    broken: Any = Breaking(bus, times=1)
    with GatheredEvents(broken) as gathered:
        for number in range(9):
            gathered.publish("ImageChanged", {"number": number, "revision": 1})
        with pytest.raises(TransientError):
            gathered.publish("ImageChanged", {"number": 9, "revision": 1})
        gathered.publish("ImageChanged", {"number": 10, "revision": 1})
        assert len(bus.events) == 11
        gathered.publish("ImageChanged", {"number": 11, "revision": 1})
        assert len(bus.events) == 11
    assert len(bus.events) == 12


def test_news_of_what_stood_before_does_not_wait() -> None:
    bus = MemoryEventBus()
    with GatheredEvents(bus) as gathered:
        gathered.publish("ImageChanged", {"number": 1, "revision": 1})
        gathered.publish("ImageChanged", {"number": 2, "revision": 2})
        assert [detail["number"] for _, detail in bus.events] == [2]


def test_a_circle_that_somebody_closed_while_a_large_import_wrote_is_told() -> None:
    bed = Import(live("a"), live("b"), replace_live=True)
    rows = [("a", "b"), *((f"old {number}", "b") for number in range(FEW + 1))]
    with open_plan() as plan, Workers(2) as workers:
        bed.plan(plan, rows)
        curator = Redirect(identifier="b", target="a", changed_at="2026")
        bed.redirects.register.change("b", lambda there: curator)
        written = write_plan(bed.redirects, plan, bed.wishes, workers)
    assert {fault.code for fault in written.refused} == {"loop"}
    assert {"a", "b"} <= {fault.old for fault in written.refused}


def test_a_redirect_that_was_written_answers() -> None:
    bed = Import(live("a"))
    bed.run([("x", "a")])
    assert isinstance(bed.world.table.get("x"), Redirect)
    assert bed.world.answer("x") == MovedTo("a")
