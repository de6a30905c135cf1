"""The table handed back with addresses, and without formulas."""

import csv
from pathlib import Path

import pytest

from vitrine.sources.mapping.handed_back import hand_back, harmless
from vitrine.sources.mapping.spreadsheet import Spreadsheet
from vitrine.text.formulas import unharmed


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-a", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0"])
def test_no_cell_is_calculated(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "a", "-12.5", "+3", "1=1", "a@b"])
def test_any_other_cell_stays_as_it_is(cell: str) -> None:
    assert harmless(cell) == cell


def test_each_row_gets_its_address_once_however_often_it_is_handed_back(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id;title\n1;"two\nlines"\n2;=x\n', encoding="utf-8")
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    assert hand_back(Spreadsheet(path), {2: "https://m.example/1"}, first) == 1
    hand_back(Spreadsheet(first), {2: "https://m.example/1"}, second)
    assert first.read_bytes() == second.read_bytes().replace(b"''=x", b"'=x")
    with first.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [
            ["id", "title", "iiif_manifest"],
            ["1", "two\nlines", "https://m.example/1"],
            ["2", "'=x", ""],
        ]


@pytest.mark.parametrize(
    "cell", ["=1", "'=1", "''=1", "'-5", "-5", "'", "''", "'tis", "it's", "", "@x", "'@x", "'+1"]
)
def test_a_cell_comes_back_as_it_was_whatever_it_begins_with(cell: str) -> None:
    assert unharmed(harmless(cell)) == cell
