"""An import that breaks off, or that others get in the way of, loses nothing and tells of it."""

from typing import Any

import pytest

from tests.unit.identify.imports import Impatient, Import, wished
from tests.unit.identify.interleaved import live
from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import TransientError
from vitrine.identify import redirect_import
from vitrine.identify.bulk import Workers
from vitrine.identify.journal import Journal
from vitrine.identify.redirect_import import FEW, make_plan, write_plan
from vitrine.identify.redirect_plan import open_plan
from vitrine.identify.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.records import Gone, Record, Redirect


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


def test_throttling_is_waited_out() -> None:
    bed = Import(live("a"))
    slow: Any = Breaking(bed.world.table, every=7)
    bed.redirects = Redirects(Register(slow, Journal(bed.world.store), bed.world.bus))
    pairs = [(f"old {number}", "a") for number in range(40)]
    with open_plan() as plan, Workers(1, wait=lambda seconds: None) as workers:
        make_plan(bed.redirects, plan, wished(pairs), bed.wishes, workers)
        write_plan(bed.redirects, plan, bed.wishes, workers)
    assert bed.targets() == dict(pairs)


WITHDRAWN = Gone(identifier="x", reason="Lost.", changed_at="2026")


@pytest.mark.parametrize("few", [0, 1_000])
@pytest.mark.parametrize(
    ("comes", "code"), [(live("x"), "live-image"), (WITHDRAWN, "withdrawn-image")]
)
def test_an_image_that_comes_or_goes_between_plan_and_writing_is_kept(
    monkeypatch: pytest.MonkeyPatch, few: int, comes: Record, code: str
) -> None:
    monkeypatch.setattr(redirect_import, "FEW", few)
    bed = Import(live("a"))
    with open_plan() as plan, Workers(1) as workers:
        bed.plan(plan, [("x", "a"), ("y", "a")])
        bed.redirects.register.change("x", lambda there: comes)
        written = write_plan(bed.redirects, plan, bed.wishes, workers)
    assert [(fault.old, fault.code) for fault in written.refused] == [("x", code)]
    assert bed.targets() == {"y": "a"}


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
