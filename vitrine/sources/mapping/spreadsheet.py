"""Rows of spreadsheets as museums have them: CSV, TSV, Excel."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.number_formats import plain_number, show_value
from vitrine.sources.mapping.ods_cells import read_ods
from vitrine.sources.mapping.rows import MAX_LINE_BYTES, NumberedRow, SheetRow, check_size
from vitrine.sources.mapping.xlsx_formats import Formats, read_formats

ODS = ".ods"
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ODS)
_WITH_FORMATS = (".xlsx", ".xlsm")
_ERROR = re.compile(r"#(N/A|NV|REF!|VALUE!|WERT!|DIV/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)|Err:\d{3}")
_SCIENTIFIC = re.compile(r"\d[.,]\d+E\+\d+")
"""Form in which a spreadsheet writes a long number as CSV."""
_UNCLOSED = "has a quotation mark that nothing closes: all rows below it are in one of its cells"
_SEPARATOR = re.compile("sep=(.)\r?\n?")
"""A first line that tells Excel what stands between cells, and that it does not show."""


class Spreadsheet:
    """A table in a file; `columns` are those of its header."""

    def __init__(self, path: Path, sheet: str = "") -> None:
        """Raises MappingUnusable and OSError."""
        self.path = path
        self._sheet = sheet
        self._kind = path.suffix.lower()
        self.notes: list[str] = []
        """Sentences about the header."""
        self.columns = self._read_header()

    def _read_header(self) -> list[str]:
        filled = ((number, line) for number, line in self._numbered() if _is_filled(line))
        self._header, header = next(filled, (0, SheetRow(())))
        if header.fault:
            raise MappingUnusable(f"{self.path}: its row {self._header} {header.fault}")
        if not header.cells:
            raise MappingUnusable(f"{self.path} has no row with the names of its columns")
        names = [name.strip() for name in header.cells]
        for place, name in enumerate(names):
            if name and name in names[:place]:
                number = next(n for n in range(2, len(names) + 2) if f"{name} ({n})" not in names)
                names[place] = f"{name} ({number})"
                self.notes.append(
                    f"two columns are named {name!r}: the one further right is read as "
                    f"{names[place]!r}"
                )
        return names

    def rows(self, expressions: set[str]) -> Iterator[NumberedRow]:
        """Yield the rows that are not empty, with all their cells, whatever is asked for."""
        for number, line in self._numbered():
            if number > self._header and _is_filled(line):
                yield self._spread(number, line)

    def _spread(self, number: int, line: SheetRow) -> NumberedRow:
        named = [(name, cell) for name, cell in zip(self.columns, line.cells, strict=False) if name]
        errors = [name for name, cell in named if cell[:1] in "#E" and _ERROR.fullmatch(cell)]
        values = {
            name: (cell,) if cell.strip() and name not in errors else () for name, cell in named
        }
        numbers = [self.columns[place] for place in line.numbers if place < len(self.columns)]
        numbers += [name for name, cell in named if "E+" in cell and _SCIENTIFIC.fullmatch(cell)]
        more = any(cell.strip() for cell in line.cells[len(self.columns) :])
        fault = f"has {len(line.cells)} cells, the header {len(self.columns)}" if more else ""
        fault = line.fault or fault
        return NumberedRow(number, values, fault, errors=errors, numbers=numbers)

    def _numbered(self) -> Iterator[tuple[int, SheetRow]]:
        return enumerate(self._lines(), start=1)

    def _lines(self) -> Iterator[SheetRow]:
        if self._kind == ODS:
            check_size(self.path)
            yield from read_ods(self.path, self._sheet)
            return
        if self._kind in EXCEL:
            yield from _read_excel(self.path, self._sheet)
            return
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            try:
                delimiter = _delimiter(self.path, file)
                yield from _read_csv(file, delimiter)
            except UnicodeDecodeError:
                raise MappingUnusable(
                    f"{self.path} is not UTF-8: save it again as “CSV UTF-8”"
                ) from None


def _is_filled(line: SheetRow) -> bool:
    return bool(line.fault) or any(cell.strip() for cell in line.cells)


def _read_csv(file: TextIO, delimiter: str) -> Iterator[SheetRow]:
    is_at_end = False

    def read_lines() -> Iterator[str]:
        nonlocal is_at_end
        yield from file
        is_at_end = True

    reader = csv.reader(read_lines(), delimiter=delimiter, strict=False)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield SheetRow((), fault=f"is not CSV: {error}")
            continue
        # A row that is whole is returned before the reader asks for what follows it.
        yield SheetRow(cells, fault=_UNCLOSED if is_at_end else "")


def _delimiter(path: Path, file: TextIO) -> str:
    """Return what stands between cells, and go to the header.

    It is what a first line such as `sep=;` says, else what the header has most of: a tab, a
    semicolon or a comma.
    """
    header = file.readline(MAX_LINE_BYTES)
    if stated := _SEPARATOR.fullmatch(header):
        return stated[1]
    file.seek(0)
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    return max(",;\t", key=header.count)


def _read_excel(path: Path, sheet: str) -> Iterator[SheetRow]:
    from python_calamine import CalamineError, CalamineWorkbook

    check_size(path)
    kind = path.suffix.lower()
    try:
        with CalamineWorkbook.from_path(path) as book:
            if sheet and sheet not in book.sheet_names:
                names = ", ".join(book.sheet_names)
                raise MappingUnusable(f"{path} has no sheet {sheet!r}; it has {names}")
            chosen = book.get_sheet_by_name(sheet or book.sheet_names[0])
            formats = read_formats(path, chosen.name) if kind in _WITH_FORMATS else Formats()
            # Rows are read from the first of the sheet, columns from the first that is used.
            left = chosen.start[1] if chosen.start else 0
            merged = _merged_below(chosen.merged_cell_ranges or ())
            above: dict[int, str] = {}
            for row, values in enumerate(chosen.iter_rows()):
                line = _excel_line(row, left, values, formats)
                cells = [
                    above.get(column, "") if (row, column) in merged else cell
                    for column, cell in enumerate(line.cells)
                ]
                above = dict(enumerate(cells))
                yield SheetRow(cells, line.numbers)
    except CalamineError as error:
        raise MappingUnusable(f"{path} cannot be read as Excel: {error}") from None


def _excel_line(row: int, left: int, values: Sequence[object], formats: Formats) -> SheetRow:
    """Return a row as the sheet shows it, from its first column."""
    cells, numbers = [""] * left, set()
    for column, value in enumerate(values, start=left):
        code = formats.codes.get((row, column), "")
        text = formats.errors.get((row, column)) or show_value(value, code)
        if isinstance(value, int | float) and not isinstance(value, bool):
            numbers |= {column} if text == plain_number(value) else set()
        cells.append(text)
    return SheetRow(cells, frozenset(numbers))


def _merged_below(
    ranges: Sequence[tuple[tuple[int, int], tuple[int, int]]],
) -> set[tuple[int, int]]:
    """Return the rows and columns that show what stands above them, in the cell they belong to."""
    return {
        (row, left) for (top, left), (bottom, _) in ranges for row in range(top + 1, bottom + 1)
    }
