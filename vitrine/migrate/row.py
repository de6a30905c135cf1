"""One line of what is to be migrated, and what can be wrong with it before anything is done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from vitrine.errors import Rejection

Kind = Literal["master", "file", "foreign"]
"""Where a source is: in the masters bucket already, on this machine, in another bucket."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of a manifest as it stands there. `identifier` is empty where none is given."""

    line: int
    """Counted from 1, the header included; a row of several lines has its first one's number."""
    source: str
    identifier: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BadRow:
    """A row that cannot be read."""

    line: int
    problem: Rejection
    source: str = ""


def bad_row(line: int, why: str, value: str = "", source: str = "") -> BadRow:
    """`why` ends a sentence that begins with "The row"."""
    return BadRow(line=line, problem=Rejection("bad-row", f"The row {why}.", value), source=source)


def duplicate_identifier(identifier: str) -> Rejection:
    """Two masters, one name: nobody can say which is meant, so neither is migrated."""
    return Rejection(
        "duplicate-identifier",
        "Several rows have this identifier; give each its own.",
        identifier,
    )


def duplicate_source(source: str) -> Rejection:
    """The same master again; with the same identifier, the first of the rows is migrated."""
    return Rejection("duplicate-source", "Another row has the same source.", source)


def source_missing(source: str) -> Rejection:
    """Neither a file nor an object."""
    return Rejection(
        "source-missing",
        "There is no such file or object, or none that may be read.",
        source,
    )


def source_unusable(source: str, why: str) -> Rejection:
    """A source that no master can be made of; `why` ends a sentence that begins "The source"."""
    return Rejection("source-unusable", f"The source {why}.", source)
