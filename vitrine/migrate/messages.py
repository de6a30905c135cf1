"""The requests to the step that migrates masters."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

MASTERS_PER_CHILD = 200
"""Most masters of one child of the Distributed Map."""
MASTERS_AT_ONCE = 40
"""Most masters that one child has in progress."""
TOLERATED_FACTOR, MAX_TOLERATED_PERCENT = 10, 50
"""A batch may have this many times the share of unsuccessful masters that the whole migration may,
and half at most. A map counts all masters of a batch that failed as failed: if single masters here
and there made their batches fail, it would stop too early."""


@dataclass(frozen=True, kw_only=True)
class MigrateMaster:
    """Make sure that the master under `key` is published. Times are RFC 3339 UTC."""

    key: str
    identifier: str = ""
    """From the manifest; if it is empty, the starter determines it."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The manifest's other columns, to be kept."""
    begun_at: str
    """Start of the migration: a master that was published earlier is unchanged."""
    tried_at: str
    """Time of the last try: an ingest that failed earlier is tried again."""

    def item(self) -> dict[str, Any]:
        """Return the line of the migration's items."""
        values = asdict(self)
        return {name: values[name] for name in ("key", "identifier", "metadata") if values[name]}


@dataclass(frozen=True, kw_only=True)
class MigrateBatch:
    """Migrate these masters, `at_once` at a time."""

    masters: Sequence[MigrateMaster]
    at_once: int
    tolerated_percent: float
    """Share of these masters that may be unsuccessful before the batch has failed."""

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> Self:
        """Parse the input of a child: lines of the migration's items, and what is common to all."""
        common = event["BatchInput"]
        times = {name: common[name] for name in ("begun_at", "tried_at")}
        return cls(
            masters=[MigrateMaster(**item, **times) for item in event["Items"]],
            # 0 of a command leaves it to the environment.
            at_once=min(common["at_once"] or MASTERS_AT_ONCE, common["most_at_once"]),
            tolerated_percent=min(
                TOLERATED_FACTOR * common["tolerated_percent"], MAX_TOLERATED_PERCENT
            ),
        )
