"""Rows of tables as museums have them: CSV, TSV, Excel, JSON Lines, JSON."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import jmespath

from vitrine.present.mapping.mapping_file import MappingUnusable
from vitrine.present.mapping.template import Row

MOST_LINE_BYTES = 1 << 20
"""Of JSON Lines. A cell of CSV may have 131,072 characters (Python, `csv.field_size_limit`)."""
MOST_DOCUMENT_BYTES = 512 << 20
"""Of Excel and JSON, which are read whole."""
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class NumberedRow:
    """A row, or the sentence why it cannot be read."""

    number: int
    """As a person counts in the file: of a spreadsheet the header is 1."""
    values: Row
    fault: str = ""


class Table:
    """A table in a file. `columns` are those of a spreadsheet's header; None for JSON."""

    def __init__(self, path: Path, sheet: str = "", rows: str = "") -> None:
        """Raises MappingUnusable and OSError."""
        self.path = path
        self._sheet = sheet
        self._rows = rows
        self._kind = path.suffix.lower()
        self.columns = self._read_header()

    def _read_header(self) -> list[str] | None:
        if self._kind in (*LINES, ".json"):
            self.path.stat()
            return None
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
        """Yield the rows that are not empty. `expressions` are the paths that JSON is asked for."""
        if self._kind in (*LINES, ".json"):
            compiled = {text: _compile(text) for text in expressions}
            for number, document in self._documents():
                if isinstance(document, str):
                    yield NumberedRow(number, {}, document)
                    continue
                found = {text: _texts(path.search(document)) for text, path in compiled.items()}
                yield NumberedRow(number, found)
            return
        assert self.columns is not None
        for number, cells in enumerate(self._cells(), start=1):
            if number > 1 and any(cell.strip() for cell in cells):
                yield self._spread(number, cells)

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a JSON file as they are, without those that cannot be read."""
        return (document for _, document in self._documents() if isinstance(document, dict))

    def _spread(self, number: int, cells: list[str]) -> NumberedRow:
        assert self.columns is not None
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

    def _documents(self) -> Iterator[tuple[int, Any]]:
        if self._kind in LINES:
            with self.path.open("rb") as file:
                lines = iter(lambda: file.readline(MOST_LINE_BYTES), b"")
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        yield number, _parse(line)
            return
        _check_size(self.path)
        document = _parse(self.path.read_bytes())
        if isinstance(document, str):
            raise MappingUnusable(f"{self.path} {document}")
        found = _compile(self._rows or "@").search(document)
        if not isinstance(found, list):
            raise MappingUnusable(
                f"{self.path} has no list of rows at {self._rows or 'its top'}; say in "
                "source.rows where it is, as a JMESPath expression"
            )
        yield from enumerate(found, start=1)


def _parse(body: bytes) -> Any:
    """Return a JSON document, or a sentence about it."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        return f"is not JSON: {error}"
    return document if isinstance(document, dict | list) else "is JSON, but no object"


def _compile(text: str) -> Any:
    try:
        return jmespath.compile(text)
    except jmespath.exceptions.JMESPathError as error:
        raise MappingUnusable(
            f"{text!r} is no JMESPath expression: {' '.join(str(error).split())}"
        ) from None


def _texts(found: Any) -> list[str]:
    match found:
        case None | "" | {} | []:
            return []
        case list():
            return [text for one in found for text in _texts(one)]
        case bool():
            return ["yes" if found else "no"]
        case dict():
            return []
        case _:
            return [str(found)]


def _delimiter(path: Path, file: TextIO) -> str:
    """Return what the header has most of: a tab, a semicolon or a comma."""
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    header = file.readline(MOST_LINE_BYTES)
    file.seek(0)
    return max(",;\t", key=header.count)


def _check_size(path: Path) -> None:
    if path.stat().st_size > MOST_DOCUMENT_BYTES:
        raise MappingUnusable(
            f"{path} is larger than {MOST_DOCUMENT_BYTES >> 20} MiB: save it as CSV or JSON Lines"
        )


def _read_excel(path: Path, sheet: str) -> Iterator[list[str]]:
    from python_calamine import CalamineError, CalamineWorkbook

    _check_size(path)
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
