"""Rows of spreadsheets as museums have them: CSV, TSV, Excel."""

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO

from vitrine.present.mapping.mapping_file import MappingUnusable
from vitrine.present.mapping.rows import MOST_LINE_BYTES, NumberedRow, check_size

EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


class Spreadsheet:
    """A table in a file; `columns` are those of its header."""

    def __init__(self, path: Path, sheet: str = "") -> None:
        """Raises MappingUnusable and OSError."""
        self.path = path
        self._sheet = sheet
        self._kind = path.suffix.lower()
        self.columns = self._read_header()

    def _read_header(self) -> list[str]:
        header = next(self._cells(), None)
        if not header or not any(header):
            raise MappingUnusable(f"{self.path} has no row with the names of its columns")
        names = [name.strip() for name in header]
        doubled = {name for name in names if name and names.count(name) > 1}
        if doubled:
            raise MappingUnusable(
                f"{self.path} has two columns named {', '.join(sorted(map(repr, doubled)))}"
            )
        return names

    def rows(self, expressions: set[str]) -> Iterator[NumberedRow]:
        """Yield the rows that are not empty, with all their cells, whatever is asked for."""
        for number, cells in enumerate(self._cells(), start=1):
            if number > 1 and any(cell.strip() for cell in cells):
                yield self._spread(number, cells)

    def _spread(self, number: int, cells: list[str]) -> NumberedRow:
        more = [cell for cell in cells[len(self.columns) :] if cell.strip()]
        values = {
            name: (cell,) if cell.strip() else ()
            for name, cell in zip(self.columns, cells, strict=False)
            if name
        }
        fault = f"has {len(cells)} cells, the header {len(self.columns)}" if more else ""
        return NumberedRow(number, values, fault)

    def _cells(self) -> Iterator[list[str]]:
        if self._kind in EXCEL:
            yield from _read_excel(self.path, self._sheet)
            return
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            try:
                yield from csv.reader(file, delimiter=_delimiter(self.path, file), strict=False)
            except UnicodeDecodeError:
                raise MappingUnusable(
                    f"{self.path} is not UTF-8: save it again as “CSV UTF-8”"
                ) from None
            except csv.Error as error:
                raise MappingUnusable(f"{self.path} is not CSV: {error}") from None


def _delimiter(path: Path, file: TextIO) -> str:
    """Return what the header has most of: a tab, a semicolon or a comma."""
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    header = file.readline(MOST_LINE_BYTES)
    file.seek(0)
    return max(",;\t", key=header.count)


def _read_excel(path: Path, sheet: str) -> Iterator[list[str]]:
    from python_calamine import CalamineError, CalamineWorkbook

    check_size(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            if sheet and sheet not in book.sheet_names:
                names = ", ".join(book.sheet_names)
                raise MappingUnusable(f"{path} has no sheet {sheet!r}; it has {names}")
            chosen = book.get_sheet_by_name(sheet or book.sheet_names[0])
            start = chosen.start[0] if chosen.start else 0
            rows = chain(([] for _ in range(start)), chosen.iter_rows())
            for row in rows:
                yield [_excel_text(cell) for cell in row]
    except CalamineError as error:
        raise MappingUnusable(f"{path} cannot be read as Excel: {error}") from None


def _excel_text(cell: object) -> str:
    """Return a cell as the sheet shows it: whole numbers without point, days without time."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    text = str(cell)
    return text.removesuffix(" 00:00:00")
