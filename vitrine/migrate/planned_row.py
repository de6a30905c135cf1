"""A row of the plan: before it is migrated, and its result."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from vitrine.errors import Rejection
from vitrine.migrate.manifest_row import Kind

State = Literal["waiting", "published", "unchanged", "withdrawn", "rejected", "missing", "failed"]
STATES: tuple[State, ...] = (
    "waiting",
    "published",
    "unchanged",
    "withdrawn",
    "rejected",
    "missing",
    "failed",
)
_ENCODER = json.JSONEncoder(ensure_ascii=False)
UNSUCCESSFUL: tuple[State, ...] = ("rejected", "missing", "failed")


@dataclass(frozen=True, kw_only=True)
class PlannedRow:
    """A row to be migrated; with a `problem`, one that cannot be."""

    line: int
    source: str
    kind: Kind = "master"
    place: str = ""
    key: str = ""
    owner: str = ""
    """Collection below whose identifier the key is; empty: the row names none."""
    identifier: str = ""
    """Given, or taken from the key; the object's own metadata may give another."""
    given: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    problem: Rejection | None = None
    imported: bool = False
    """True if this migration copied it into the masters bucket."""


@dataclass(frozen=True, kw_only=True)
class RowResult:
    """The result of one row. Bytes and pixels are 0 if there is no image."""

    state: State
    identifier: str = ""
    problem: Rejection = field(default_factory=lambda: Rejection("", ""))
    master_bytes: int = 0
    access_master_bytes: int = 0
    pixels: int = 0


def planned_row_values(row: PlannedRow) -> tuple[Any, ...]:
    """Return the row's values as the plan's table keeps them."""
    problem = row.problem or Rejection("", "")
    return (
        row.line,
        row.source,
        row.kind,
        row.place,
        row.key,
        row.owner,
        row.identifier,
        row.given,
        _ENCODER.encode(row.metadata) if row.metadata else "",
        not row.problem,
        "rejected" if row.problem else "waiting",
        problem.code,
        problem.sentence,
        problem.value,
    )


def planned_row_from_values(row: tuple[Any, ...]) -> PlannedRow:
    """Return the row that `planned_row_values` and the plan wrote."""
    line, source, kind, place, key, owner, identifier, given, metadata, imported = row
    return PlannedRow(
        line=line,
        source=source,
        kind=kind,
        place=place,
        key=key,
        owner=owner,
        identifier=identifier,
        given=bool(given),
        metadata=json.loads(metadata) if metadata else {},
        imported=bool(imported),
    )
