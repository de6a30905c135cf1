"""An import says what it would do, does it, and does it once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.identify.redirects.imports import GONE, Import
from tests.unit.identify.redirects.interleaved import live, redirect
from vitrine.identify.redirects import bulk_import
from vitrine.identify.redirects.audit import audit_redirects
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.resolve import MovedTo
from vitrine.records import Redirect


def test_an_import_writes_what_is_requested_and_its_repetition_nothing() -> None:
    importer = Import(live("a"), live("b"))
    pairs = [("1985-1", "a"), ("1985-2", "b"), ("1985-3", "a")]
    assert importer.run(pairs).counts["written"] == 3
    assert importer.targets() == dict(pairs)
    events = len(importer.world.bus.events)
    again = importer.run(pairs)
    assert (again.counts["written"], again.counts["stood"]) == (0, 0)
    assert len(importer.world.bus.events) == events


def test_chains_lead_to_their_end_through_file_and_table() -> None:
    importer = Import(live("end"), redirect("in table", "end"), redirect("last", "first"))
    pairs = [("x", "y"), ("y", "z"), ("z", "in table"), ("first", "x")]
    assert importer.faults(pairs) == {}
    assert importer.run(pairs).counts == {"written": 4, "stood": 0, "collapsed": 1}
    assert set(importer.targets().values()) == {"end"}
    assert importer.world.chains() == []


def test_a_table_may_lead_back_into_the_file() -> None:
    importer = Import(live("end"), redirect("b", "c"))
    assert importer.run([("a", "b"), ("c", "end")]).counts["written"] == 2
    assert importer.targets() == {"a": "end", "b": "end", "c": "end"}


@pytest.mark.parametrize(
    ("pairs", "code", "count"),
    [
        ([("a", "b"), ("b", "a")], "loop", 2),
        ([("a", "b"), ("b", "c"), ("c", "a"), ("x", "a")], "loop", 4),
        ([("t", "old")], "loop", 1),
        ([("a", "nobody"), ("b", "a")], "dangling", 2),
        ([("end", "other")], "live-image", 1),
        ([("gone", "end")], "withdrawn-image", 1),
        ([("a", "end"), ("a", "other")], "conflict", 2),
        ([("a", "end"), ("a", "other"), ("a", "gone")], "conflict", 3),
    ],
)
def test_what_must_not_be_is_found_before_anything_is_written(
    pairs: list[tuple[str, str]], code: str, count: int
) -> None:
    importer = Import(live("end"), live("other"), GONE, redirect("old", "t"))
    importer.world.table._records.pop("t", None)
    assert importer.faults([*pairs, ("good", "end")]) == {code: count}
    assert importer.world.bus.events == []


def test_the_good_rows_can_be_written_without_those_at_fault() -> None:
    importer = Import(live("end"), live("image"))
    pairs = [("a", "b"), ("b", "a"), ("to image", "image"), ("image", "end"), ("good", "end")]
    assert importer.faults(pairs) == {"live-image": 1, "loop": 2}
    importer.run(pairs)
    assert importer.targets() == {"to image": "image", "good": "end"}, (
        "the image stays, so they may"
    )


def test_a_row_that_comes_twice_counts_once() -> None:
    importer = Import(live("a"))
    with open_import_plan() as plan:
        assert importer.plan(plan, [("x", "a"), ("x", "a")]) == {}
        assert plan.summary()["duplicates"] == 1
        assert plan.counts["rows"] == 2
        assert [row.old for row, _ in plan.to_write()] == ["x"]


def test_what_gives_way_is_said_and_counted() -> None:
    records = (live("a"), live("b"), GONE, redirect("old", "a"))
    importer = Import(*records, replace_live=True, replace_withdrawn=True)
    with open_import_plan() as plan:
        assert importer.plan(plan, [("b", "a"), ("gone", "a"), ("old", "b"), ("new", "a")]) == {}
        counts = plan.summary()
    expected = {"over_live_images": 1, "over_tombstones": 1, "changed": 0, "stand": 1, "new": 1}
    assert {name: counts[name] for name in expected} == expected


def test_a_target_may_come_later_when_it_is_said() -> None:
    importer = Import(allow_dangling=True)
    assert importer.run([("a", "b"), ("b", "c")]).counts["written"] == 2
    assert importer.targets() == {"a": "c", "b": "c"}


def test_a_large_import_leads_on_what_pointed_at_its_identifiers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk_import, "SMALL_IMPORT", 3)
    olds = [f"old {number}" for number in range(250)]
    importer = Import(
        live("c"), live("b"), *(redirect(old, "b") for old in olds), replace_live=True
    )
    written = importer.run([("b", "c"), *((f"new {number}", "c") for number in range(250))])
    assert written.counts == {"written": 251, "stood": 0, "collapsed": 250}
    assert set(importer.targets().values()) == {"c"}


NAMES = st.sampled_from(["a", "b", "c", "d", "live", "other", "gone", "nobody", "t1", "t2"])


@pytest.mark.slow
@given(st.lists(st.tuples(NAMES, NAMES), max_size=8), *[st.booleans()] * 3)
def test_an_import_leads_every_row_to_its_end_or_refuses_it(
    pairs: list[tuple[str, str]],
    replace_live: bool,
    replace_withdrawn: bool,
    allow_dangling: bool,
) -> None:
    """Every redirect leads to its end in one step, and nothing leads in a circle."""
    pairs = [(old, new) for old, new in pairs if old != new]
    records = [live("live"), live("other"), GONE, redirect("t1", "live"), redirect("t2", "gone")]
    importer = Import(
        *records,
        replace_live=replace_live,
        replace_withdrawn=replace_withdrawn,
        allow_dangling=allow_dangling,
    )
    faults = importer.faults(pairs)
    importer.run(pairs)
    assert importer.world.chains() == []
    with Workers(1) as workers:
        found = {finding.code for finding in audit_redirects(importer.redirects, workers)}
    assert found <= ({"dangling"} if allow_dangling or replace_live else set())
    if not faults:
        targets = {"t1": "live", "t2": "gone", **dict(pairs)}
        assert importer.targets() == {name: end(targets, name) for name in targets}


def end(targets: dict[str, str], name: str) -> str:
    while name in targets:
        name = targets[name]
    return name


def test_a_redirect_that_was_written_answers() -> None:
    importer = Import(live("a"))
    importer.run([("x", "a")])
    assert isinstance(importer.world.table.get("x"), Redirect)
    assert importer.world.answer("x") == MovedTo("a")
