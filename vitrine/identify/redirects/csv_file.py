"""Redirects in a file: CSV in UTF-8 with the columns old, new, note and owner (RFC 4180).

Files are accepted as spreadsheets write them: with a byte order mark, CR LF, semicolons or tabs
instead of commas, blank rows, a header. Without a header the columns are in this order; the last
two may be missing.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vitrine.errors import IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.redirects import self_error
from vitrine.records import Redirect

COLUMNS = ("old", "new", "note", "owner")
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class RedirectRow:
    """One redirect that a file requests; both identifiers are normalised."""

    line: int
    old: str
    new: str
    note: str = ""
    owner: str = ""
    """Collection on whose behalf it redirects; "" for none."""


@dataclass(frozen=True, slots=True)
class RowFault:
    """Why a row cannot be imported: a stable code, and a sentence that says what to do."""

    line: int
    old: str
    new: str
    code: str
    sentence: str


def read_rows(
    path: Path, on_bytes: Callable[[int], None] = lambda read: None
) -> Iterator[RedirectRow | RowFault]:
    """Yield the rows of a file; `on_bytes` is called with about how many bytes were read.

    Raises OSError, and IdentifierRefused with code `not-utf-8`.
    """
    with path.open("rb") as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        try:
            for count, row in enumerate(_parse_rows(text)):
                if count % 1_000 == 0:
                    on_bytes(raw.tell())
                yield row
        except UnicodeDecodeError as error:
            raise IdentifierRefused(
                "not-utf-8",
                f"{path} is not encoded in UTF-8 ({error.reason}): save it as CSV UTF-8.",
            ) from None


def write_rows(file: IO[str], redirects: Iterable[Redirect]) -> int:
    """Write redirects in a form that can be imported; return their number."""
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    written = 0
    for item in redirects:
        writer.writerow((item.identifier, item.target, item.note, item.owner))
        written += 1
    return written


def _parse_rows(text: io.TextIOWrapper) -> Iterator[RedirectRow | RowFault]:
    # Strict: a quotation mark that nothing closes would swallow all rows below it.
    reader = csv.reader(text, delimiter=_find_delimiter(text), strict=True)
    columns: Sequence[int] | None = None
    while True:
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            sentence = f"The row cannot be read: {error}. Correct it, or leave it out."
            yield RowFault(reader.line_num, "", "", "unreadable", sentence)
            continue
        if not any(cells):
            continue
        if columns is None:
            columns = _parse_header(cells)
            if columns:
                continue
            columns = tuple(range(len(COLUMNS)))
        yield _parse_row(reader.line_num, cells, columns)


def _find_delimiter(text: io.TextIOWrapper) -> str:
    line = text.readline()
    text.seek(0)
    return max(_DELIMITERS, key=line.count)


def _parse_header(cells: list[str]) -> Sequence[int] | None:
    """Return the position of each of COLUMNS, None if the row is not a header."""
    names = [cell.lower() for cell in cells]
    if not {"old", "new"} <= set(names):
        return None
    return [names.index(name) if name in names else len(names) for name in COLUMNS]


def _parse_row(line: int, cells: list[str], columns: Sequence[int]) -> RedirectRow | RowFault:
    old, new, note, owner = (cells[column] if column < len(cells) else "" for column in columns)
    if not (old and new):
        sentence = "The row needs an old and a new identifier."
        return RowFault(line, old, new, "incomplete", sentence)
    try:
        owner = parse_identifier(owner) if owner else ""
        row = RedirectRow(line, parse_identifier(old), parse_identifier(new), note, owner)
        if row.old == row.new:
            raise self_error(old)
    except IdentifierRefused as error:
        return RowFault(line, old, new, error.code, str(error))
    return row
