"""Redirects are read from all forms of CSV that spreadsheets write."""

import io
from pathlib import Path

import pytest

from tests.unit.identify.redirects.interleaved import redirect
from vitrine.errors import IdentifierRefused
from vitrine.identify.redirects.csv_file import RedirectRow, RowFault, read_rows, write_rows


def rows(tmp_path: Path, text: str, encoding: str = "utf-8") -> list[RedirectRow | RowFault]:
    path = tmp_path / "redirects.csv"
    path.write_bytes(text.encode(encoding))
    return list(read_rows(path))


@pytest.mark.parametrize(
    "text",
    [
        "old,new\na,b\nä x,c\n",
        "a,b\r\nä x,c\r\n",
        "\ufeffold;new;note\r\na;b;\r\n;;\r\n\r\nä x;c;",
        "New\tOLD\nb\ta\nc\tä x",
        'old,new,remark\n"a",b,ignored\n" a\u0308 x ",c\n',
    ],
)
def test_every_usual_form_gives_the_same_rows(tmp_path: Path, text: str) -> None:
    found = [(row.old, row.new) for row in rows(tmp_path, text)]
    assert found == [("a", "b"), ("ä x", "c")]


def test_a_note_may_hold_commas_quotes_and_line_breaks(tmp_path: Path) -> None:
    [row] = rows(tmp_path, 'old,new,note\na,b,"merged, ""1987""\nsee file"\n')
    assert row == RedirectRow(3, "a", "b", 'merged, "1987"\nsee file')


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("a,", "incomplete"),
        (",b", "incomplete"),
        ("a", "incomplete"),
        ("a,..", "identifier-invalid"),
        ("3,b", "identifier-invalid"),
        ("\u00e9,e\u0301", "self"),
        ('a,"' + "x" * 200_000 + '"', "unreadable"),
    ],
)
def test_a_row_at_fault_is_named_and_the_rest_is_read(tmp_path: Path, line: str, code: str) -> None:
    fault, good = rows(tmp_path, f"old,new\n{line}\nx,y\n")
    assert isinstance(fault, RowFault)
    assert (fault.line, fault.code) == (2, code)
    assert isinstance(good, RedirectRow)
    assert (good.old, good.new) == ("x", "y")


@pytest.mark.parametrize("row", ['"a,b', 'a,"b', 'a,b,"note', 'a,b,,"prints'])
def test_a_quotation_mark_that_nothing_closes_is_named(tmp_path: Path, row: str) -> None:
    found = rows(tmp_path, f"old,new,note,owner\nfirst,one,,\n{row}\nx,y,,\n")
    assert [type(each) for each in found] == [RedirectRow, RowFault]


def test_another_encoding_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IdentifierRefused, match="UTF-8"):
        rows(tmp_path, "alt,neu\nä,b\n", "latin-1")


def test_what_is_exported_can_be_imported(tmp_path: Path) -> None:
    file = io.StringIO()
    items = [redirect("a,b", "ä"), redirect('"', "x y")]
    assert write_rows(file, items) == 2
    found = rows(tmp_path, file.getvalue())
    assert [(row.old, row.new) for row in found] == [("a,b", "ä"), ('"', "x y")]
