"""Formats and errors of the cells of an Excel workbook (.xlsx, .xlsm), next to their values."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from lxml import etree

from vitrine.sources.mapping.rows import MAX_DOCUMENT_BYTES

BUILT_IN = {
    number: code
    for numbers, code in (
        ((1,), "0"),
        ((2,), "0.00"),
        ((3, 37, 38), "#,##0"),
        ((4, 39, 40), "#,##0.00"),
        ((9,), "0%"),
        ((10,), "0.00%"),
        ((17,), "mmm-yy"),
        ((20,), "h:mm"),
        ((21,), "h:mm:ss"),
        ((45,), "mm:ss"),
        ((46,), "[h]:mm:ss"),
    )
    for number in numbers
}
"""Formats that no file lists (ECMA-376, 18.8.30); others show the number as it is."""
_COLUMN = re.compile("[A-Z]{1,3}")
_SAFE = {"resolve_entities": False, "no_network": True, "load_dtd": False}


@dataclass(frozen=True)
class Formats:
    """The formats and errors of a sheet, by row and column, both from 0."""

    codes: dict[tuple[int, int], str] = field(default_factory=dict)
    """Formats of numbers, where there is one."""
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    """Error in place of a value, such as #N/A."""


def read_formats(path: Path, sheet: str) -> Formats:
    """Return the formats of a sheet; none of a workbook that says them in another way."""
    found = Formats()
    try:
        with ZipFile(path) as book:
            styles = _read_styles(book)
            with _open(book, _sheet_place(book, sheet)) as file:
                for row, column, cell in _cells(file):
                    style, kind = int(cell.get("s", 0)), cell.get("t", "n")
                    if kind == "e":
                        found.errors[row, column] = cell.findtext("{*}v", "")
                    elif kind == "n" and styles.get(style):
                        found.codes[row, column] = styles[style]
    except (BadZipFile, KeyError, ValueError, etree.XMLSyntaxError):
        return Formats()
    return found


def _open(book: ZipFile, place: str) -> IO[bytes]:
    if book.getinfo(place).file_size > MAX_DOCUMENT_BYTES:
        raise KeyError(place)
    return book.open(place)


def _parse(book: ZipFile, place: str) -> Any:
    with _open(book, place) as file:
        return etree.parse(file, etree.XMLParser(**_SAFE)).getroot()


def _sheet_place(book: ZipFile, name: str) -> str:
    workbook = _parse(book, "xl/workbook.xml")
    (sheet,) = (one for one in workbook.iter("{*}sheet") if one.get("name") == name)
    (link,) = (value for key, value in sheet.attrib.items() if key.endswith("}id"))
    for one in _parse(book, "xl/_rels/workbook.xml.rels"):
        if one.get("Id") == link:
            return posixpath.join("/xl", one.get("Target", "")).lstrip("/")
    raise KeyError(link)


def _read_styles(book: ZipFile) -> dict[int, str]:
    """Return the format of each style that has one."""
    root = _parse(book, "xl/styles.xml")
    codes = BUILT_IN | {
        int(one.get("numFmtId", 0)): one.get("formatCode", "") for one in root.iter("{*}numFmt")
    }
    used = root.find("{*}cellXfs")
    return {
        place: codes[number]
        for place, one in enumerate(() if used is None else used)
        if (number := int(one.get("numFmtId", 0))) in codes
    }


def _cells(file: IO[bytes]) -> Iterator[tuple[int, int, Any]]:
    row = -1
    for _, line in etree.iterparse(file, tag="{*}row", **_SAFE):
        row = int(line.get("r", row + 2)) - 1
        column = -1
        for cell in line.iterchildren("{*}c"):
            letters = _COLUMN.match(cell.get("r", ""))
            column = _number(letters[0]) if letters else column + 1
            yield row, column, cell
        line.clear()
        while line.getprevious() is not None:
            del line.getparent()[0]


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
