"""Rows of tables in every form that museums have them."""

import json
from pathlib import Path

import pytest

from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.table import open_table


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("name", "text", "encoding"),
    [
        ("a.csv", "id,title\n1,Ä plate\n", "utf-8"),
        ("a.csv", "id,title\r\n1,Ä plate\r\n", "utf-8-sig"),
        ("a.csv", 'id;title\n1;"Ä plate"\n', "utf-8"),
        ("a.csv", 'id,title\n1,"Ä plate"\n', "utf-8"),
        ("a.tsv", "id\ttitle\n1\tÄ plate\n", "utf-8"),
        ("a.csv", " id ,title\n\n,\n1,Ä plate\n", "utf-8"),
    ],
)
def test_a_spreadsheet_has_rows_by_the_names_of_its_columns(
    tmp_path: Path, name: str, text: str, encoding: str
) -> None:
    table = open_table(written(tmp_path, name, text, encoding))
    (row,) = table.rows({"id"})
    assert table.columns == ["id", "title"]
    assert row.values == {"id": ("1",), "title": ("Ä plate",)}
    assert row.number == text.replace("\r", "").count("\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("sign", [";", "|", "\t", ","])
def test_a_first_line_for_excel_says_what_stands_between_cells(
    tmp_path: Path, sign: str, encoding: str
) -> None:
    text = (
        f"sep={sign}\r\nid{sign}a;b,c\r\n1{sign}x\r\n"
        if sign in "|\t"
        else (f"sep={sign}\r\nid{sign}t\r\n1{sign}x\r\n")
    )
    (row,) = open_table(written(tmp_path, "a.csv", text, encoding)).rows(set())
    assert (row.number, list(row.values.values())) == (2, [("1",), ("x",)])


def test_the_second_column_of_a_name_gets_a_number_and_a_note(tmp_path: Path) -> None:
    table = open_table(written(tmp_path, "a.csv", "id,n,n,n,n (2)\n1,a,b,c,d\n"))
    (row,) = table.rows(set())
    assert table.columns == ["id", "n", "n (3)", "n (4)", "n (2)"]
    assert "".join("".join(cell) for cell in row.values.values()) == "1abcd"
    assert table.notes == [
        "two columns are named 'n': the one further right is read as 'n (3)'",
        "two columns are named 'n': the one further right is read as 'n (4)'",
    ]


def test_a_line_end_within_a_cell_is_part_of_it(tmp_path: Path) -> None:
    (row,) = open_table(written(tmp_path, "a.csv", 'id,title\n1,"two\nlines"\n')).rows(set())
    assert row.values["title"] == ("two\nlines",)


def test_a_row_with_too_many_cells_has_a_fault(tmp_path: Path) -> None:
    rows = list(open_table(written(tmp_path, "a.csv", "id,title\n1,a,b\n2,c\n3\n")).rows(set()))
    assert [row.fault for row in rows] == ["has 3 cells, the header 2", "", ""]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.csv", "", "has no row with the names of its columns"),
        ("a.csv", "sep=;\n", "has no row with the names of its columns"),
        ("a.ods", "no workbook", "cannot be read as an OpenDocument file"),
        ("a.csv", f"{'x' * 131_073}\n1\n", "its row 1 is not CSV: field larger than field limit"),
        ("a.csv", 'id,"title\n1,A\n', "its row 1 has a quotation mark that nothing closes"),
        ("a.json", "{", "is not JSON"),
        ("a.json", '{"a": 1}', "has no list of rows at its top; say in source.rows"),
        ("a.xlsx", "no workbook", "cannot be read as Excel"),
    ],
)
def test_what_is_no_table_says_why(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    with pytest.raises(MappingUnusable, match=sentence):
        list(open_table(written(tmp_path, name, text)).rows({"id"}))


def test_a_table_in_another_encoding_says_how_to_save_it(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "id,title\n1,Ä\n", "latin-1")
    with pytest.raises(MappingUnusable, match="is not UTF-8: save it again as “CSV UTF-8”"):
        list(open_table(path).rows(set()))


DOCUMENT = {"id": 7, "title": "A", "makers": [{"name": "One"}, {"name": "Two"}], "shown": True}


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("a.json", json.dumps([DOCUMENT]), ""),
        ("a.json", json.dumps({"data": {"items": [DOCUMENT]}}), "data.items"),
        ("a.jsonl", json.dumps(DOCUMENT) + "\n\n", ""),
    ],
)
def test_json_is_asked_by_paths(tmp_path: Path, name: str, text: str, rows: str) -> None:
    table = open_table(written(tmp_path, name, text), inner=rows)
    (row,) = table.rows({"id", "makers[].name", "shown", "absent", "makers"})
    assert row.values == {
        "id": ["7"],
        "makers[].name": ["One", "Two"],
        "shown": ["yes"],
        "absent": [],
        "makers": [],
    }


def test_a_cell_that_is_too_long_is_a_fault_of_its_row_alone(tmp_path: Path) -> None:
    text = f"id,title\n1,A\n2,{'x' * 131_073},B\n3,C\n"
    rows = list(open_table(written(tmp_path, "a.csv", text)).rows(set()))
    assert [(row.number, row.values.get("title")) for row in rows if not row.fault] == [
        (2, ("A",)),
        (4, ("C",)),
    ]
    (fault,) = [row.fault for row in rows if row.fault]
    assert fault == "is not CSV: field larger than field limit (131072)"


@pytest.mark.parametrize(
    ("end", "faults"), [('2,"B\n3,C\n', 1), ('2,"B\n3,C', 1), ('2,"B"\n3,C', 0), ('2,B"\n3,C"', 0)]
)
def test_a_quotation_mark_that_nothing_closes_hides_no_rows_unsaid(
    tmp_path: Path, end: str, faults: int
) -> None:
    rows = list(open_table(written(tmp_path, "a.csv", f"id,title\n1,A\n{end}")).rows(set()))
    found = [row.fault for row in rows if row.fault]
    assert (len(found), all("nothing closes" in one for one in found)) == (faults, True)


def test_a_line_that_is_no_json_is_a_fault_of_that_row(tmp_path: Path) -> None:
    rows = list(open_table(written(tmp_path, "a.jsonl", '{"id": 1}\n{\n[[[\n')).rows({"id"}))
    assert [bool(row.fault) for row in rows] == [False, True, True]


def test_an_invalid_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(MappingUnusable, match="'a b' is no JMESPath expression"):
        list(open_table(written(tmp_path, "a.jsonl", "{}\n")).rows({"a b"}))


def test_one_record_alone_is_a_list_of_one_where_a_path_leads_to_it_or_it_is_in_a_folder(
    tmp_path: Path,
) -> None:
    inner = written(tmp_path, "a.json", json.dumps({"record": {"id": 1}}))
    assert [row.values for row in open_table(inner, inner="record").rows({"id"})] == [{"id": ["1"]}]
    folder = tmp_path / "records"
    folder.mkdir()
    written(folder, "b.json", json.dumps({"id": 2}))
    written(folder, "c.json", json.dumps([{"id": 3}, {"id": 4}]))
    rows = open_table(folder).rows({"id"})
    assert [(row.file, row.values["id"]) for row in rows] == [
        ("b.json", ["2"]),
        ("c.json", ["3"]),
        ("c.json", ["4"]),
    ]


def test_a_path_that_leads_to_no_record_is_named(tmp_path: Path) -> None:
    for document in ({"id": 1}, {"record": "text"}, [{"id": 1}]):
        path = written(tmp_path, "a.json", json.dumps(document))
        with pytest.raises(MappingUnusable, match="has no list of rows at record"):
            list(open_table(path, inner="record").rows({"id"}))
