"""Files with records of objects: JSON with one or a list of them, or JSON Lines."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from vitrine.catalogue.records import Item

MAX_BYTES = 64 << 20
"""Bytes of one JSON document. JSON Lines are read line by line, and may be of any length."""

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Item)


def read_items(files: Sequence[Path]) -> Iterator[tuple[str, Item | str]]:
    """Yield where each record stands, and the record, or a sentence that says what is wrong.

    Raises OSError.
    """
    for path in files:
        lines = path.suffix.lower() in (".jsonl", ".ndjson", ".jsonlines")
        yield from _read_lines(path) if lines else _read_document(path)


def _read_lines(path: Path) -> Iterator[tuple[str, Item | str]]:
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_BYTES), b""), start=1):
            if line.strip():
                yield f"{path}, line {number}", _decode(line)


def _read_document(path: Path) -> Iterator[tuple[str, Item | str]]:
    if path.stat().st_size > MAX_BYTES:
        yield (
            str(path),
            f"larger than {MAX_BYTES >> 20} MiB; write one record on each line (.jsonl)",
        )
        return
    body = path.read_bytes()
    if not body.lstrip().startswith(b"["):
        yield str(path), _decode(body)
        return
    try:
        parts = msgspec.json.decode(body, type=list[msgspec.Raw])
    except _UNREADABLE as error:
        yield str(path), _describe(error)
        return
    for number, part in enumerate(parts, start=1):
        yield f"{path}, record {number}", _decode(part)


def _decode(body: bytes | msgspec.Raw) -> Item | str:
    try:
        item: Item = _decoder.decode(body)
        return item
    except _UNREADABLE as error:
        return _describe(error)


def _describe(error: Exception) -> str:
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error)
