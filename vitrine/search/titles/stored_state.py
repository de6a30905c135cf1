"""What the index was made of, as it is kept: the rows, and digests of all files that were written.

The first line is the head, each other one a row, in the order of the keys of publications.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from vitrine.ports import VersionedStore
from vitrine.search.stored_lines import read_lines
from vitrine.search.titles.rows import Row
from vitrine.store.site_layout import SEARCH_STATE

STATE = f"{SEARCH_STATE}rows.jsonl.gz"
FORM = 2
"""Version of the rows' format; a state of another one is made again."""
_decode_row = msgspec.json.Decoder(Row).decode


class StateHead(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of all rows."""

    form: int = FORM
    look: str = ""
    """Digest of the pages' ingredients: theme, templates, texts and addresses."""
    next_number: int = 0
    """Number of the next new object."""
    digests: dict[str, str] = {}
    """Digest of each file, by its key."""


_decode_head = msgspec.json.Decoder(StateHead).decode


@dataclass(frozen=True)
class StoredState:
    """The last state; without one that can be used there is no `head`."""

    head: StateHead | None
    rows: Iterator[Row]


def _decode(line: bytes) -> StateHead | Row:
    return _decode_row(line) if line.startswith(b"[") else _decode_head(line)


def read_state(site: VersionedStore, folder: Path) -> StoredState:
    """Download the state into a folder. Raises TransientError."""
    lines = read_lines(site, STATE, folder, _decode)
    head = next(lines, None)
    if not isinstance(head, StateHead) or head.form != FORM:
        return StoredState(None, iter(()))
    return StoredState(head, (line for line in lines if isinstance(line, Row)))
