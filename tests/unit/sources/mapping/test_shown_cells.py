"""Cells of spreadsheets are read as the sheet shows them."""

from datetime import datetime, time, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.unit.sources.mapping.made_tables import museum, read
from vitrine.sources.mapping import ods_cells
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.number_formats import show_value
from vitrine.sources.mapping.spreadsheet import Spreadsheet

SHOWN = [
    (42, "00000", "00042"),
    (-42, "00000", "-00042"),
    (42.0, "", "42"),
    (42.5, "General", "42.5"),
    (0, '0;-0;"none"0', "none0"),
    (-5, "0;(0)", "(5)"),
    (19840012, r"0000\.0000", "1984.0012"),
    (7, '"INV-"000', "INV-007"),
    (1234567.891, '#,##0.0# "€"', "1234567.89 €"),
    (3, "0.00", "3.00"),
    (2.5, "0", "3"),
    (3, "0.##", "3"),
    (0.125, "0.0%", "12.5%"),
    (12, "[$€-407] 0.00", "€ 12.00"),
    (123456789, "000-000-000", "123-456-789"),
    # What is a fraction, a scale, an exponent or conditional is written in full.
    (0.5, "# ?/?", "0.5"),
    (1500000, "0.0,,", "1500000"),
    (1500, "0.0E+00", "1500"),
    (1500, "[>1000]0,;0", "1500"),
    (True, "0", "yes"),
    (timedelta(hours=30), "[h]:mm:ss", "30:00:00"),
    (timedelta(hours=30, minutes=5), "[hh]:mm", "30:05"),
    (timedelta(hours=30), "", "30:00:00"),
    (timedelta(minutes=90, seconds=3), "[m]:ss", "90:03"),
    (timedelta(seconds=-61), "[s]", "-61"),
    (time(14, 30), "h:mm", "14:30"),
    (time(14, 30), "h:mm:ss", "14:30:00"),
    (datetime(1950, 5, 31), "dd/mm/yyyy", "1950-05-31"),
    (datetime(1950, 5, 31, 14, 30), "yyyy-mm-dd h:mm", "1950-05-31 14:30:00"),
    (datetime(1950, 5, 1), '[$-409]mmmm" of "yyyy', "1950-05"),
    (datetime(1950, 1, 1), "yyyy", "1950"),
    (datetime(1950, 1, 1), "", "1950-01-01"),
]

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
XLSX = {
    "[Content_Types].xml": f"<Types xmlns='{PACKAGE}/content-types'/>",
    "_rels/.rels": f"<Relationships xmlns='{PACKAGE}/relationships'><Relationship Id='w' "
    f"Type='{DOCUMENT}/officeDocument' Target='xl/workbook.xml'/></Relationships>",
    "xl/workbook.xml": f"<workbook xmlns='{MAIN}' xmlns:r='{DOCUMENT}'><sheets>"
    "<sheet name='One' sheetId='1' r:id='s'/></sheets></workbook>",
    "xl/_rels/workbook.xml.rels": f"<Relationships xmlns='{PACKAGE}/relationships'>"
    f"<Relationship Id='s' Type='{DOCUMENT}/worksheet' Target='worksheets/sheet1.xml'/>"
    f"<Relationship Id='f' Type='{DOCUMENT}/styles' Target='styles.xml'/></Relationships>",
    "xl/styles.xml": f"<styleSheet xmlns='{MAIN}'><numFmts><numFmt numFmtId='164' "
    "formatCode='00000'/></numFmts><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/>"
    "<xf numFmtId='46'/></cellXfs></styleSheet>",
}


def text(place: str, value: str) -> str:
    return f"<c r='{place}' t='inlineStr'><is><t>{value}</t></is></c>"


def xlsx(path: Path, *rows: str, merged: str = "") -> Path:
    lines = "".join(f"<row r='{number}'>{row}</row>" for number, row in enumerate(rows, start=1))
    merges = f"<mergeCells><mergeCell ref='{merged}'/></mergeCells>" if merged else ""
    sheet = f"<worksheet xmlns='{MAIN}'><sheetData>{lines}</sheetData>{merges}</worksheet>"
    with ZipFile(path, "w") as book:
        for name, body in (XLSX | {"xl/worksheets/sheet1.xml": sheet}).items():
            book.writestr(name, body)
    return path


ODS = (
    "<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' "
    "xmlns:t='urn:oasis:names:tc:opendocument:xmlns:table:1.0' "
    "xmlns:x='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><o:body><o:spreadsheet>"
    "<t:table t:name='One'>{}</t:table><t:table t:name='Two'><t:table-row><t:table-cell>"
    "<x:p>id</x:p></t:table-cell></t:table-row></t:table></o:spreadsheet></o:body>"
    "</o:document-content>"
)


def ods(path: Path, *rows: str) -> Path:
    with ZipFile(path, "w") as book:
        lines = "".join(
            row if row.startswith("<t:table-row") else f"<t:table-row>{row}</t:table-row>"
            for row in rows
        )
        book.writestr("content.xml", ODS.format(lines))
    return path


def cell(*paragraphs: str, attributes: str = "") -> str:
    inner = "".join(f"<x:p>{one}</x:p>" for one in paragraphs)
    return f"<t:table-cell {attributes}>{inner}</t:table-cell>"


def table(path: Path) -> list[tuple[int, list[str]]]:
    rows = Spreadsheet(path).rows(set())
    return [(row.number, ["".join(one) for one in row.values.values()]) for row in rows]


def test_a_value_is_shown_as_its_format_says() -> None:
    shown = {(repr(value), code): show_value(value, code) for value, code, _ in SHOWN}
    assert shown == {(repr(value), code): expected for value, code, expected in SHOWN}


def test_an_excel_sheet_is_read_as_it_shows_itself(tmp_path: Path) -> None:
    header = text("B1", "id") + text("C1", "series") + text("D1", "time") + text("E1", "broken")
    path = xlsx(
        tmp_path / "a.xlsx",
        header,
        "<c r='B2' s='1'><v>42</v></c>" + text("C2", "S") + "<c r='D2' s='2'><v>1.25</v></c>"
        "<c r='E2' t='e'><v>#N/A</v></c>",
        "<c r='B3'><v>43</v></c>",
        "<c r='B4'><v>44</v></c>",
        merged="C2:C3",
    )
    first, second, third = Spreadsheet(path).rows(set())
    assert [list(first.values.values()), first.errors, first.numbers] == [
        [("00042",), ("S",), ("30:00:00",), ()],
        ["broken"],
        [],
    ]
    assert [second.values["series"], second.numbers, third.values["series"]] == [("S",), ["id"], ()]


def test_an_open_document_sheet_is_read_as_it_shows_itself(tmp_path: Path) -> None:
    number = "o:value-type='float' o:value"
    path = ods(
        tmp_path / "a.ods",
        *("<t:table-row t:number-rows-repeated='2'/>", "".join(map(cell, ("id", "a", "b", "c")))),
        cell("00042", attributes=f"{number}='42'")
        + cell("one<x:line-break/>two<x:s x:c='2'/><x:span>three</x:span>", "four")
        + cell("1.234,50 €", attributes="o:value-type='currency' o:value='1234.5'")
        + cell("S", attributes="t:number-rows-spanned='3'"),
        cell("43", attributes=f"{number}='43'")
        + cell("30:00:00", attributes="o:value-type='time' o:time-value='PT30H00M00S'")
        + cell("31.05.50", attributes="o:value-type='date' o:date-value='1950-05-31T00:00:00'")
        + "<t:covered-table-cell/>",
        "<t:table-row t:number-rows-repeated='1'>" + cell("WAHR", attributes=
        "o:value-type='boolean' o:boolean-value='true'") + cell("#N/A") + cell("1950", attributes=
        "o:value-type='date' o:date-value='1950-01-01'") + "<t:covered-table-cell/></t:table-row>",
        "<t:table-row t:number-rows-repeated='3'><t:table-cell t:number-columns-repeated='16384'/>"
        "</t:table-row>",
        cell("last", attributes="t:number-columns-repeated='2'"),
        "<t:table-row t:number-rows-repeated='1000000'/>",
    )  # fmt: skip
    assert table(path) == [
        (4, ["00042", "one\ntwo  three\nfour", "1234,50 €", "S"]),
        (5, ["43", "30:00:00", "1950-05-31", "S"]),
        (6, ["yes", "", "1950", "S"]),
        (10, ["last", "last"]),
    ]
    assert [row.numbers for row in Spreadsheet(path).rows(set())] == [[], ["id"], [], []]
    assert Spreadsheet(path, "Two").columns == ["id"]
    with pytest.raises(MappingUnusable, match="has no sheet 'Three'; it has One, Two"):
        Spreadsheet(path, "Three")


def test_cells_that_repeat_beyond_any_sheet_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ods_cells, "MAX_CELLS", 100)
    many = "<t:table-row t:number-rows-repeated='101'>" + cell("x") + "</t:table-row>"
    path = ods(tmp_path / "a.ods", cell("id"), many)
    with pytest.raises(MappingUnusable, match="has more than 100 cells: split it"):
        table(path)


def test_errors_and_numbers_that_become_names_are_noted(tmp_path: Path) -> None:
    rules = museum(tmp_path, "1.2E+10,#N/A,1.tif,,CC0,,,")
    (made,), notes = read(rules)
    said = [note.sentence for note in notes if note.rule == "the row"]
    assert said == [
        "the cell 'Title' shows an error in place of a value: it counts as empty",
        "the column 'Number' has numbers, which have lost zeros in front and digits after the "
        "fifteenth: if it should not, format it as text and enter the values again",
    ]
    assert made.item.label == {"none": ("1.2E+10",)}


def test_rights_in_free_words_become_a_line_of_metadata(tmp_path: Path) -> None:
    rules = museum(tmp_path, "1,A,1.tif,,GPL 2 or later,,,")
    (made,), notes = read(rules)
    (line,) = made.item.metadata
    assert (made.item.rights, line.label, line.value) == (
        "",
        {"en": ("Rights",)},
        {"en": ("GPL 2 or later",)},
    )
    assert [note.sentence for note in notes if note.rule == "rights"] == [
        "'GPL 2 or later' is no name or URI of Creative Commons or RightsStatements.org: it "
        "becomes a line of metadata"
    ]
    rules.write_text(rules.read_text() + '"Licence" = "{Licence}"\n')
    (made,), _ = read(rules)
    assert [line.label for line in made.item.metadata] == [{"en": ("Licence",)}]


def test_two_columns_of_one_name_are_noted(tmp_path: Path) -> None:
    rules = museum(tmp_path)
    (tmp_path / "plates.csv").write_text(
        "Number,Title,Title,File,Alt,Licence,Year,Credit,Maker\n1,A,B,1.tif,,CC0,,,\n"
    )
    (made,), notes = read(rules)
    assert made.item.label == {"en": ("A",)}
    assert [note.sentence for note in notes if note.rule == "the table"] == [
        "two columns are named 'Title': the one further right is read as 'Title (2)'"
    ]
