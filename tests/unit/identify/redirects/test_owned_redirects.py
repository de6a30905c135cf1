"""A list of redirects replaces nothing that belongs to another collection, unless it takes over."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.identify.redirects.imports import Import, owned_rows
from tests.unit.identify.redirects.interleaved import live, redirect
from vitrine.identify.owners import take_over
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import ImportResult, write_import
from vitrine.identify.redirects.csv_file import RedirectRow, read_rows, write_rows
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.records import Gone, Record, Redirect, Removed

CHANGED = "2026-11-28T00:00:00Z"
OWNED: dict[str, Record] = {
    "live": replace(live("x"), owner="prints"),
    "redirect": replace(redirect("x", "other"), owner="prints"),
    "gone": Gone(identifier="x", revision=1, reason="Lost.", changed_at=CHANGED, owner="prints"),
    "removed": Removed(identifier="x", revision=1, changed_at=CHANGED, owner="prints"),
}


def run(
    record: Record, owner: str, *, race: bool = False, **options: bool
) -> tuple[dict[str, int], ImportResult, Record | None]:
    """Import the row x -> end on behalf of `owner`; in a race, x gets its owner after planning."""
    everything = {"replace_live": True, "replace_withdrawn": True, **options}
    at_first = replace(record, owner="") if race else record
    importer = Import(at_first, live("end"), live("other"), **everything)
    with open_import_plan() as plan, Workers(1) as workers:
        faults = importer.plan_rows(plan, owned_rows(owner, ("x", "end")))
        if race:
            importer.redirects.register.change("x", take_over(record.owner))
        result = write_import(importer.redirects, plan, importer.options, workers)
    return faults, result, importer.world.table.get("x")


@pytest.mark.parametrize("kind", OWNED)
@pytest.mark.parametrize("owner", ["", "maps"])
def test_what_another_collection_owns_is_refused_with_both_named(kind: str, owner: str) -> None:
    faults, result, record = run(OWNED[kind], owner)
    assert faults == {"identifier-owned": 1}
    assert result.counts["written"] == 0
    assert record == OWNED[kind]


@pytest.mark.parametrize("kind", OWNED)
@pytest.mark.parametrize("owner", ["", "maps"])
def test_an_owner_that_comes_between_plan_and_write_is_seen_by_the_write(
    kind: str, owner: str
) -> None:
    faults, result, record = run(OWNED[kind], owner, race=True)
    assert faults == {}
    (fault,) = result.refused
    assert fault.code == "identifier-owned"
    assert '"x" belongs to the collection "prints"' in fault.sentence
    assert (f'to the collection "{owner}"' if owner else "to none") in fault.sentence
    assert not (isinstance(record, Redirect) and record.target == "end")


@pytest.mark.parametrize("kind", OWNED)
@pytest.mark.parametrize(
    ("owner", "takes_over", "after"),
    [("prints", False, "prints"), ("", True, "prints"), ("maps", True, "maps")],
)
def test_its_own_collection_and_who_takes_over_redirect_it(
    kind: str, owner: str, takes_over: bool, after: str
) -> None:
    faults, result, record = run(OWNED[kind], owner, takes_over=takes_over)
    assert (faults, result.counts["written"]) == ({}, 1)
    assert isinstance(record, Redirect)
    assert (record.target, record.owner) == ("end", after)


def test_a_redirect_that_is_in_place_is_nobodys_fault() -> None:
    in_place = replace(redirect("x", "end"), owner="prints")
    faults, result, record = run(in_place, "")
    assert (faults, result.counts["written"], record) == ({}, 0, in_place)


def test_a_file_says_on_whose_behalf_it_redirects(tmp_path: Path) -> None:
    path = tmp_path / "redirects.csv"
    with path.open("w", newline="") as file:
        write_rows(file, [replace(redirect("x", "end"), note="why", owner="prints")])
    assert list(read_rows(path)) == [RedirectRow(2, "x", "end", "why", "prints")]
    path.write_text("x,end,why,prints\ny,end\nz,end,,\x07\n")
    *rows, fault = read_rows(path)
    assert rows == [RedirectRow(1, "x", "end", "why", "prints"), RedirectRow(2, "y", "end")]
    assert getattr(fault, "code", "") == "identifier-invalid"
