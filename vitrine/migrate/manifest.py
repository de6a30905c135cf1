"""Manifests, read row by row in bounded memory: CSV or JSON Lines.

CSV follows RFC 4180, with a comma, semicolon or tab between cells, whichever is most frequent in
the header; JSON Lines follows jsonlines.org. Both are UTF-8 with or without a byte-order mark, with
LF or CRLF.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from vitrine.errors import MigrationUnusable
from vitrine.migrate.manifest_row import BadRow, ManifestRow, bad_row

SOURCE, IDENTIFIER, OWNER = "source", "identifier", "owned_by"
_MEANT = (SOURCE, IDENTIFIER, OWNER)
MAX_LINE_LENGTH = 131_072
"""Characters; a row travels through Step Functions, whose states take 256 KiB."""
TOO_LONG = f"is longer than {MAX_LINE_LENGTH:,} bytes"
DELIMITERS = ",;\t"


def read_manifest(path: Path) -> Iterator[ManifestRow | BadRow]:
    """Yield the rows in order, without blank lines. Raises MigrationUnusable, OSError."""
    with path.open("rb") as file:
        lines = _read_lines(file)
        first = next((line for line in lines if line.text.strip()), None)
        if first is None:
            raise MigrationUnusable(f"{path} is empty; its first line must name the columns.")
        text = first.text.lstrip()
        if text.startswith("["):
            raise MigrationUnusable(
                f"{path} is one JSON array; write one object per line (JSON Lines)."
            )
        rows = _parse_json_rows if text.startswith("{") else _parse_csv_rows
        yield from rows(chain([first], lines), path)


@dataclass(frozen=True, slots=True)
class _ManifestLine:
    """A line with its end. Bytes that are not UTF-8 become lone surrogates, which are rejected."""

    number: int
    text: str
    whole: bool
    """False if it was longer than allowed, and is cut."""


def _read_lines(file: io.BufferedReader) -> Iterator[_ManifestLine]:
    number = 0
    while line := file.readline(MAX_LINE_LENGTH + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
            if line.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise MigrationUnusable("The manifest is UTF-16; save it as UTF-8.")
        rest = line
        while len(line) > MAX_LINE_LENGTH and rest and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE_LENGTH)
        text = line.decode("utf-8", "surrogateescape")
        yield _ManifestLine(number, text, len(line) <= MAX_LINE_LENGTH)


def _parse_json_rows(lines: Iterator[_ManifestLine], path: Path) -> Iterator[ManifestRow | BadRow]:
    for line in lines:
        if not line.text.strip():
            continue
        problem = _find_encoding_problem(line.text) if line.whole else TOO_LONG
        if problem:
            yield bad_row(line.number, problem)
            continue
        try:
            data = json.loads(line.text, parse_constant=_reject_constant)
        except (ValueError, RecursionError) as error:
            yield bad_row(line.number, f"is not JSON: {error}", line.text.strip()[:80])
            continue
        yield _parse_json_row(line.number, data)


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _parse_json_row(number: int, data: Any) -> ManifestRow | BadRow:
    if not isinstance(data, dict):
        return bad_row(number, "is not a JSON object", str(data)[:80])
    source, identifier = data.pop(SOURCE, None), data.pop(IDENTIFIER, None)
    owner = data.pop(OWNER, "")
    if not isinstance(source, str) or not source:
        return bad_row(number, "has no source")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    if identifier is not None and not isinstance(identifier, str):
        return bad_row(number, "has an identifier that is not text", str(identifier)[:80], source)
    if not isinstance(owner, str):
        return bad_row(number, "has an owned_by that is not text", str(owner)[:80], source)
    # A lone surrogate may have been written as \ud800, which is visible only after parsing.
    if _find_encoding_problem(json.dumps([source, identifier, owner, data], ensure_ascii=False)):
        return bad_row(number, "is not Unicode text", source=ascii(source))
    return ManifestRow(
        line=number, source=source, identifier=identifier or "", owner=owner, metadata=data
    )


def _parse_csv_rows(lines: Iterator[_ManifestLine], path: Path) -> Iterator[ManifestRow | BadRow]:
    cells = _CsvCells(lines)
    columns = _parse_columns(cells.header(), path)
    for number, row in cells:
        if isinstance(row, str):
            yield bad_row(number, row)
        elif row:
            yield _parse_csv_row(number, row, columns)


class _CsvCells:
    """The number and cells of each row, or its number and its problem."""

    def __init__(self, lines: Iterator[_ManifestLine]) -> None:
        self._number = 0
        self._whole = True
        header = next(lines)
        counts = Counter(letter for letter in header.text if letter in DELIMITERS)
        delimiter = max(DELIMITERS, key=lambda letter: counts[letter])
        # Strict: an unclosed quote would otherwise swallow the following rows silently.
        texts = self._texts(chain([header], lines))
        self._reader = csv.reader(texts, delimiter=delimiter, strict=True)

    def header(self) -> list[str]:
        """Return the cells of the first line. Raises MigrationUnusable."""
        try:
            return next(self._reader)
        except csv.Error as error:
            raise MigrationUnusable(
                f"The first line of the manifest is not CSV: {error}. Save it as CSV UTF-8."
            ) from error

    def __iter__(self) -> Iterator[tuple[int, list[str] | str]]:
        while True:
            first, self._whole = self._number + 1, True
            try:
                row = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield first, f"is not CSV: {error}"
                continue
            yield first, (_find_row_problem(row) if self._whole else TOO_LONG) or row

    def _texts(self, lines: Iterator[_ManifestLine]) -> Iterator[str]:
        for line in lines:
            self._number = line.number
            self._whole &= line.whole
            yield line.text


def _find_row_problem(row: list[str]) -> str:
    return _find_encoding_problem("".join(row))


def _find_encoding_problem(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "is not UTF-8; save the manifest as UTF-8"
    return ""


def _parse_columns(header: list[str], path: Path) -> list[str]:
    """Return the names of the columns, those that mean something here in lower case.

    One without a name is "".
    """
    names = [name.strip() for name in header]
    names = [name.lower() if name.lower() in _MEANT else name for name in names]
    if problem := _find_row_problem(names):
        raise MigrationUnusable(f"The first line of {path} {problem}.")
    if SOURCE not in names:
        raise MigrationUnusable(
            f"{path} has no column `source`; its first line names the columns: "
            f"{', '.join(names)[:200]}"
        )
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise MigrationUnusable(f"{path} has two columns called {twice[0]}; rename one of them.")
    return names


def _parse_csv_row(number: int, row: list[str], columns: list[str]) -> ManifestRow | BadRow:
    if any(row[len(columns) :]):
        source = dict(zip(columns, row, strict=False))[SOURCE]
        return bad_row(number, f"has {len(row)} cells, the header {len(columns)}", source=source)
    # Fewer cells are fine: spreadsheets omit empty cells at the end of a row.
    values: Mapping[str, str] = dict(zip(columns, row, strict=False))
    source = values.get(SOURCE, "").strip()
    if not source:
        empty = not any(cell.strip() for cell in row)
        return bad_row(number, "has only empty cells" if empty else "has no source")
    metadata = {
        name: value for name, value in values.items() if value and name not in ("", *_MEANT)
    }
    if len("".join(row).encode()) > MAX_LINE_LENGTH:
        return bad_row(number, TOO_LONG, source=source)
    return ManifestRow(
        line=number,
        source=source,
        identifier=values.get(IDENTIFIER, "").strip(),
        owner=values.get(OWNER, "").strip(),
        metadata=metadata,
    )
