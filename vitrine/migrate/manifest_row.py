"""One row of a manifest, and the problems it can have before anything is done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from vitrine.errors import Rejection

Kind = Literal["master", "file", "foreign"]
"""Location of a source: in the masters bucket already, on this machine, in another bucket."""


@dataclass(frozen=True, kw_only=True)
class ManifestRow:
    """One row of a manifest as it is written. `identifier` is empty if none is given."""

    line: int
    """Counted from 1, including the header; a row of several lines has the number of the first."""
    source: str
    identifier: str = ""
    owner: str = ""
    """Collection that the master belongs to, empty for the one of the whole manifest."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BadRow:
    """A row that cannot be read."""

    line: int
    problem: Rejection
    source: str = ""


def bad_row(line: int, why: str, value: str = "", source: str = "") -> BadRow:
    """Return a row with a problem; `why` completes a sentence that begins "The row"."""
    return BadRow(line=line, problem=Rejection("bad-row", f"The row {why}.", value), source=source)


def duplicate_identifier(identifier: str) -> Rejection:
    """Reject two masters with one identifier: which is right is unknown: neither is migrated."""
    return Rejection(
        "duplicate-identifier",
        "Several rows have this identifier; give each its own.",
        identifier,
    )


def duplicate_source(source: str) -> Rejection:
    """Reject the same master again; with the same identifier, the first of the rows is migrated."""
    return Rejection(
        "duplicate-source", "Another row has the same source; leave one of them out.", source
    )


def source_missing(source: str) -> Rejection:
    """Reject a source that is neither a file nor an object."""
    return Rejection(
        "source-missing",
        "There is no such file or object, or it may not be read; correct the source, or upload it.",
        source,
    )


def source_unusable(source: str, why: str) -> Rejection:
    """Reject a source that cannot be a master; `why` completes a sentence: "The source …"."""
    return Rejection("source-unusable", f"The source {why}.", source)
