"""Redirects in a file: CSV in UTF-8 with the columns old, new and perhaps note (RFC 4180).

As spreadsheets write it: a byte order mark, CR LF, semicolons or tabs instead of commas, blank
rows and a header are taken as they come. Without a header the columns are in this order.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vitrine.errors import IdentifierRefused
from vitrine.identify.redirects import checked
from vitrine.records import Redirect

COLUMNS = ("old", "new", "note")
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class Row:
    """One redirect that is wished for; both identifiers are normalised."""

    line: int
    old: str
    new: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a row is not followed: a stable code, and a sentence that says what to do."""

    line: int
    old: str
    new: str
    code: str
    sentence: str


def read_rows(
    path: Path, on_bytes: Callable[[int], None] = lambda read: None
) -> Iterator[Row | Fault]:
    """The rows of a file, one by one; `on_bytes` hears about how many bytes were read.

    Raises OSError, and IdentifierRefused with code `not-utf-8`.
    """
    with path.open("rb") as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        try:
            for count, row in enumerate(_rows(text)):
                if count % 1_000 == 0:
                    on_bytes(raw.tell())
                yield row
        except UnicodeDecodeError as error:
            raise IdentifierRefused(
                "not-utf-8",
                f"{path} is not written in UTF-8 ({error.reason}): save it as CSV UTF-8.",
            ) from None


def write_rows(file: IO[str], redirects: Iterable[Redirect]) -> int:
    """Write redirects so that they can be imported; how many there were."""
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    written = 0
    for item in redirects:
        writer.writerow((item.identifier, item.target, item.note))
        written += 1
    return written


def _rows(text: io.TextIOWrapper) -> Iterator[Row | Fault]:
    reader = csv.reader(text, delimiter=_delimiter(text))
    places: Sequence[int] | None = None
    while True:
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            yield Fault(reader.line_num, "", "", "unreadable", f"The row cannot be read: {error}.")
            continue
        if not any(cells):
            continue
        if places is None:
            places = _header(cells)
            if places:
                continue
            places = (0, 1, 2)
        yield _row(reader.line_num, cells, places)


def _delimiter(text: io.TextIOWrapper) -> str:
    line = text.readline()
    text.seek(0)
    return max(_DELIMITERS, key=line.count)


def _header(cells: list[str]) -> Sequence[int] | None:
    names = [cell.lower() for cell in cells]
    if not {"old", "new"} <= set(names):
        return None
    return [names.index(name) if name in names else len(names) for name in COLUMNS]


def _row(line: int, cells: list[str], places: Sequence[int]) -> Row | Fault:
    old, new, note = (cells[place] if place < len(cells) else "" for place in places)
    if not (old and new):
        return Fault(line, old, new, "incomplete", "The row needs an old and a new identifier.")
    try:
        row = Row(line, checked(old), checked(new), note)
    except IdentifierRefused as error:
        return Fault(line, old, new, error.code, str(error))
    if row.old == row.new:
        return Fault(line, old, new, "self", f'"{old}" cannot redirect to itself.')
    return row
