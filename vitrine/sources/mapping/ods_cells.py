"""The cells of an OpenDocument spreadsheet, as the sheet shows them (version 1.3, part 3, 9)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from lxml import etree

from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.number_formats import plain_number
from vitrine.sources.mapping.rows import MAX_DOCUMENT_BYTES, SheetRow

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
MAX_COLUMNS = 16_384
MAX_CELLS = 50_000_000
"""Cells of a sheet, which says in a few bytes that a cell is repeated."""
_YEAR = re.compile(r"\d{4}")


def read_ods(path: Path, sheet: str) -> Iterator[SheetRow]:
    """Yield the rows of a sheet, of the first without a name. Raises MappingUnusable."""
    names: list[str] = []
    try:
        with ZipFile(path) as book:
            content = book.getinfo("content.xml")
            if content.file_size > MAX_DOCUMENT_BYTES:
                raise MappingUnusable(f"{path} has more than {MAX_DOCUMENT_BYTES >> 20} MiB")
            with book.open(content) as file:
                yield from _lines(path, file, sheet, names)
    except (BadZipFile, KeyError, RuntimeError, etree.XMLSyntaxError) as error:
        raise MappingUnusable(f"{path} cannot be read as an OpenDocument file: {error}") from None
    if sheet and sheet not in names:
        raise MappingUnusable(f"{path} has no sheet {sheet!r}; it has {', '.join(names)}")


def _lines(path: Path, file: Any, sheet: str, names: list[str]) -> Iterator[SheetRow]:
    tags = (f"{_TABLE}table", f"{_TABLE}table-row")
    parsed = etree.iterparse(
        file, ("start", "end"), tag=tags, resolve_entities=False, no_network=True, load_dtd=False
    )
    empty, cells = 0, 0
    below: dict[int, tuple[str, int]] = {}
    for event, element in parsed:
        if element.tag == tags[0]:
            names += [element.get(f"{_TABLE}name", "")] if event == "start" else []
            continue
        if event == "start" or names[-1] != (sheet or names[0]):
            continue
        repeated = int(element.get(f"{_TABLE}number-rows-repeated", 1))
        line = _read_row(element, below)
        for number in range(repeated):
            if number and below:
                line = _read_row(element, below)
            if not line.cells:
                empty += repeated - number
                break
            cells += (empty + 1) * len(line.cells)
            if cells > MAX_CELLS:
                raise MappingUnusable(f"{path} has more than {MAX_CELLS:,} cells: split it")
            yield from (SheetRow(()) for _ in range(empty))
            yield line
            empty = 0
        element.clear()


def _read_row(row: Any, below: dict[int, tuple[str, int]]) -> SheetRow:
    """Return a row; `below` has what merged cells show in the rows under them."""
    texts: list[str] = []
    numbers: set[int] = set()
    for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        repeated = int(cell.get(f"{_TABLE}number-columns-repeated", 1))
        text, is_plain = ("", False) if "covered" in cell.tag else _read_cell(cell)
        for _ in range(min(repeated, MAX_COLUMNS - len(texts))):
            column = len(texts)
            rows = int(cell.get(f"{_TABLE}number-rows-spanned", 1))
            if column in below and not text:
                inherited, left = below.pop(column)
                texts.append(inherited)
                if left > 1:
                    below[column] = (inherited, left - 1)
                continue
            texts.append(text)
            numbers |= {column} if is_plain else set()
            if rows > 1 and text:
                below[column] = (text, rows - 1)
    while texts and not texts[-1].strip():
        texts.pop()
    return SheetRow(texts, frozenset(numbers))


def _read_cell(cell: Any) -> tuple[str, bool]:
    """Return what a cell shows, and whether that is a number without a format."""
    shown = "\n".join(_read_text(one).strip() for one in cell.iterchildren(f"{_TEXT}p")).strip()
    match cell.get(f"{_OFFICE}value-type"):
        case "boolean":
            return ("yes" if cell.get(f"{_OFFICE}boolean-value") == "true" else "no"), False
        case "date":
            day = cell.get(f"{_OFFICE}date-value", "").removesuffix("T00:00:00")
            return (shown if _YEAR.fullmatch(shown) else day.replace("T", " ")), False
        case "float" | "percentage" | "currency":
            value = float(cell.get(f"{_OFFICE}value", "nan"))
            plain = plain_number(value)
            return _ungroup(shown, value) or plain, shown in ("", plain)
        case _:
            return shown, False


def _ungroup(shown: str, value: float) -> str:
    """Return a shown number without thousands separators, which differ between languages."""
    for whole in (int(abs(value)), round(abs(value))):
        digits = r"[.,'\u2019\s]?".join(str(whole))
        if found := re.search(digits, shown):
            return shown.replace(found[0], str(whole), 1)
    return shown


def _read_text(element: Any) -> str:
    """Return the text of a paragraph, with its line breaks, tabs and spaces."""
    parts = [element.text or ""]
    for one in element.iterchildren(etree.Element):
        match one.tag.removeprefix(_TEXT):
            case "line-break":
                parts.append("\n")
            case "tab":
                parts.append("\t")
            case "s":
                parts.append(" " * min(int(one.get(f"{_TEXT}c", 1)), MAX_COLUMNS))
            case "span" | "a":
                parts.append(_read_text(one))
        parts.append(one.tail or "")
    return "".join(parts)
