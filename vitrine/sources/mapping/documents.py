"""Records as documents: JSON Lines, JSON and XML, in a file or in a folder of files."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import jmespath

from vitrine.sources.mapping import xml_records
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.mets import read_structure
from vitrine.sources.mapping.rows import (
    MAX_LINE_BYTES,
    NumberedRow,
    check_size,
)
from vitrine.sources.mapping.template import Row
from vitrine.text.foreign_json import decode_json

LINES = (".jsonl", ".ndjson")
XML = ".xml"
DOCUMENTS = (".json", XML, *LINES)
MAX_DEPTH = 5
"""Fields in fields, to which simple paths lead."""
MAX_ELEMENTS = 20
"""Elements of a list whose fields are looked at."""


class _Paths(Protocol):
    """What a document is asked for, by the text of each path."""

    def read(self, document: Any) -> Row: ...


@dataclass(frozen=True)
class RecordDocuments:
    """The records of a file, or of all files of DOCUMENTS in a folder, in the order of names."""

    path: Path
    inner: str = ""
    """Path to the records in a document; empty: a list of them, or the document is one."""
    columns: None = None
    """It has no header: each rule says with a path what it wants."""
    notes: tuple[str, ...] = ()
    """Sentences about the header."""

    def rows(self, expressions: set[str]) -> Iterator[NumberedRow]:
        """Yield the records with what the expressions find in them.

        Those of a folder are counted through all of its files.

        Raises MappingUnusable for what is not an expression, and OSError.
        """
        in_folder, before = self.path.is_dir(), 0
        paths: dict[bool, _Paths] = {}
        for file in self._files():
            number, name = 0, str(file.relative_to(self.path)) if in_folder else ""
            is_xml = file.suffix.lower() == XML
            if is_xml not in paths:
                paths[is_xml] = (xml_records.Paths if is_xml else JsonPaths)(expressions)
            for number, document in self._records(file, in_folder=in_folder):
                if isinstance(document, str):
                    yield NumberedRow(before + number, {}, document, name)
                else:
                    yield _read_row(before + number, document, paths[is_xml], name)
            before += number if in_folder else 0

    def simple_paths(self, most: int) -> list[str]:
        """Return the paths to all texts and numbers in the first records."""
        readable = (
            document
            for file in self._files()
            for _, document in self._records(file, in_folder=self.path.is_dir())
            if not isinstance(document, str)
        )
        found: dict[str, None] = {}
        for document in islice(readable, most):
            found |= dict.fromkeys(_simple_paths(document))
        # A field that is empty in one record may have others in it in the next.
        outer = {one[: sign.start()] for one in found for sign in re.finditer(r"[.\[]", one)}
        return [one for one in found if one not in outer]

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            self.path.stat()
            return [self.path]
        found = [file for file in self.path.rglob("*") if file.suffix.lower() in DOCUMENTS]
        if not found:
            raise MappingUnusable(f"{self.path} has no file that ends in {', '.join(DOCUMENTS)}")
        return sorted(found)

    def _records(self, file: Path, *, in_folder: bool) -> Iterator[tuple[int, Any]]:
        """Yield number and record, or number and what is wrong with it.

        In a folder a file that cannot be read harms no other.
        """
        kind = file.suffix.lower()
        try:
            if kind in LINES:
                yield from _read_lines(file)
                return
            if kind == XML:
                found = xml_records.read(file, self.inner)
            else:
                found = _read_json(file, self.inner, may_be_one=in_folder)
            yield from enumerate(found, start=1)
        except MappingUnusable as error:
            if not in_folder:
                raise
            yield 1, str(error)


class JsonPaths:
    """JMESPath expressions."""

    def __init__(self, expressions: set[str]) -> None:
        self._compiled = {text: _compile(text) for text in expressions}

    def read(self, document: Any) -> Row:
        """Return what each finds."""
        return {text: _texts(path.search(document)) for text, path in self._compiled.items()}


def _read_row(number: int, document: Any, paths: _Paths, file: str) -> NumberedRow:
    """Return what paths find in a record, and of one in METS its structure."""
    try:
        structure = None if isinstance(document, dict | list) else read_structure(document)
    except MappingUnusable as error:
        return NumberedRow(number, {}, str(error), file)
    return NumberedRow(number, paths.read(document), file=file, structure=structure)


def _simple_paths(document: Any) -> Iterable[str]:
    if isinstance(document, dict):
        return _field_paths(document, "", MAX_DEPTH)
    return () if isinstance(document, list) else xml_records.simple_paths(document)


def _field_paths(fields: dict[str, Any], before: str, depth: int) -> Iterator[str]:
    for name, value in fields.items():
        path = f"{before}{name if name.isidentifier() else json.dumps(name)}"
        if isinstance(value, dict) and depth:
            yield from _field_paths(value, f"{path}.", depth - 1)
        elif isinstance(value, list) and depth and any(isinstance(one, dict) for one in value):
            for one in value[:MAX_ELEMENTS]:
                if isinstance(one, dict):
                    yield from _field_paths(one, f"{path}[].", depth - 1)
        else:
            yield path


def _read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        lines = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, _parse(line)


def _read_json(path: Path, inner: str, *, may_be_one: bool) -> list[Any]:
    check_size(path)
    document = _parse(path.read_bytes())
    if isinstance(document, str):
        raise MappingUnusable(f"{path} {document}")
    found = _compile(inner or "@").search(document)
    if isinstance(found, dict) and (inner or may_be_one):
        found = [found]
    if not isinstance(found, list):
        raise MappingUnusable(
            f"{path} has no list of rows at {inner or 'its top'}; say in source.rows where it is, "
            "as a JMESPath expression"
        )
    return found


def _parse(body: bytes) -> Any:
    """Return a JSON document, or a sentence about it."""
    try:
        document = decode_json(body)
    except ValueError as error:
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
