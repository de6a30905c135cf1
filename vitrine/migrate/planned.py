"""A row of the plan: before it is migrated, and what came of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from vitrine.errors import Rejection
from vitrine.migrate.row import Kind

State = Literal["waiting", "published", "unchanged", "rejected", "missing", "failed"]
STATES: tuple[State, ...] = (
    "waiting",
    "published",
    "unchanged",
    "rejected",
    "missing",
    "failed",
)
_ENCODER = json.JSONEncoder(ensure_ascii=False)
UNSUCCESSFUL: tuple[State, ...] = ("rejected", "missing", "failed")


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A row that may be migrated, or with `problem` one that is not."""

    line: int
    source: str
    kind: Kind = "master"
    place: str = ""
    key: str = ""
    identifier: str = ""
    """Given, or what the key's stem says; an object's own metadata may say otherwise."""
    given: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    problem: Rejection | None = None
    imported: bool = False
    """It was brought into the masters bucket by this migration."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of one row. Bytes and pixels are 0 where there is no image."""

    state: State
    identifier: str = ""
    problem: Rejection = field(default_factory=lambda: Rejection("", ""))
    master_bytes: int = 0
    access_master_bytes: int = 0
    pixels: int = 0


def values_of(row: Planned) -> tuple[Any, ...]:
    """Its values as the plan's table keeps them."""
    problem = row.problem or Rejection("", "")
    return (
        row.line,
        row.source,
        row.kind,
        row.place,
        row.key,
        row.identifier,
        row.given,
        _ENCODER.encode(row.metadata) if row.metadata else "",
        not row.problem,
        "rejected" if row.problem else "waiting",
        problem.code,
        problem.sentence,
        problem.value,
    )


def planned_from(row: tuple[Any, ...]) -> Planned:
    """The row that `values_of` and the plan wrote."""
    line, source, kind, place, key, identifier, given, metadata, imported = row
    return Planned(
        line=line,
        source=source,
        kind=kind,
        place=place,
        key=key,
        identifier=identifier,
        given=bool(given),
        metadata=json.loads(metadata) if metadata else {},
        imported=bool(imported),
    )
