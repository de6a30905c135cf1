"""An import that breaks off, or meets changes by others, loses nothing and reports it."""

from typing import Any

import pytest

from tests.unit.identify.redirects.imports import Impatient, Import, rows_of
from tests.unit.identify.redirects.interleaved import live
from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import TransientError
from vitrine.identify.journal import Journal
from vitrine.identify.redirects import bulk_import
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import SMALL_IMPORT, plan_import, write_import
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.records import Gone, Record, Redirect


def test_an_import_that_is_cut_off_is_taken_up_again() -> None:
    pairs = [(f"old {number}", "a") for number in range(40)]
    importer = Import(live("a"))
    cut: Any = Breaking(importer.world.table, every=3, methods=frozenset({"write"}))
    importer.redirects = Redirects(Register(cut, Journal(importer.world.store), importer.world.bus))

    with open_import_plan() as plan, Workers(1, wait=Impatient()) as workers:
        importer.plan(plan, pairs)
        with pytest.raises(TransientError):
            write_import(importer.redirects, plan, importer.options, workers)
    assert 0 < len(importer.targets()) < 40
    importer.redirects = importer.world.redirects()
    again = importer.run(pairs)
    assert again.counts["written"] < 40
    assert importer.targets() == dict(pairs)


def test_throttling_is_waited_out() -> None:
    importer = Import(live("a"))
    slow: Any = Breaking(importer.world.table, every=7)
    importer.redirects = Redirects(
        Register(slow, Journal(importer.world.store), importer.world.bus)
    )
    pairs = [(f"old {number}", "a") for number in range(40)]
    with open_import_plan() as plan, Workers(1, wait=lambda seconds: None) as workers:
        plan_import(importer.redirects, plan, rows_of(pairs), importer.options, workers)
        write_import(importer.redirects, plan, importer.options, workers)
    assert importer.targets() == dict(pairs)


WITHDRAWN = Gone(identifier="x", reason="Lost.", changed_at="2026")


@pytest.mark.parametrize("small", [0, 1_000])
@pytest.mark.parametrize(
    ("comes", "code"), [(live("x"), "live-image"), (WITHDRAWN, "withdrawn-image")]
)
def test_an_image_that_comes_or_goes_between_plan_and_writing_is_kept(
    monkeypatch: pytest.MonkeyPatch, small: int, comes: Record, code: str
) -> None:
    monkeypatch.setattr(bulk_import, "SMALL_IMPORT", small)
    importer = Import(live("a"))
    with open_import_plan() as plan, Workers(1) as workers:
        importer.plan(plan, [("x", "a"), ("y", "a")])
        importer.redirects.register.change("x", lambda current: comes)
        written = write_import(importer.redirects, plan, importer.options, workers)
    assert [(fault.old, fault.code) for fault in written.refused] == [("x", code)]
    assert importer.targets() == {"y": "a"}


def test_a_circle_that_somebody_closed_while_a_large_import_wrote_is_reported() -> None:
    importer = Import(live("a"), live("b"), replace_live=True)
    rows = [("a", "b"), *((f"old {number}", "b") for number in range(SMALL_IMPORT + 1))]
    with open_import_plan() as plan, Workers(2) as workers:
        importer.plan(plan, rows)
        curator = Redirect(identifier="b", target="a", changed_at="2026")
        importer.redirects.register.change("b", lambda current: curator)
        written = write_import(importer.redirects, plan, importer.options, workers)
    assert {fault.code for fault in written.refused} == {"loop"}
    lines = {fault.old: fault.line for fault in written.refused}
    assert lines["b"] == 0, "it stands in no line of the file"
    assert {"a", "b"} <= {fault.old for fault in written.refused}


def test_a_large_import_announces_every_redirect_even_if_it_breaks_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk_import, "SMALL_IMPORT", 0)
    pairs = [(f"old {number}", "a") for number in range(43)]
    importer = Import(live("a"))
    importer.run(pairs, threads=4)
    announced = [detail["identifier"] for _, detail in importer.world.bus.events]
    assert sorted(announced) == sorted(old for old, _ in pairs)
    cut: Any = Breaking(importer.world.store, every=37, methods=frozenset({"put"}))
    importer.redirects = Redirects(Register(importer.world.table, Journal(cut), importer.world.bus))
    more = [(f"more {number}", "a") for number in range(60)]
    with open_import_plan() as plan, Workers(2, wait=Impatient()) as workers:
        importer.plan(plan, more)
        with pytest.raises(TransientError):
            write_import(importer.redirects, plan, importer.options, workers)
    announced = [detail["identifier"] for _, detail in importer.world.bus.events]
    assert sorted(announced) == sorted(importer.targets())
