"""The request to the step that migrates one master."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self


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

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> Self:
        """Parse an event: `item` is a line of the migration's items, the times are common."""
        item = event["item"]
        return cls(
            key=item["key"],
            identifier=item.get("identifier", ""),
            metadata=item.get("metadata", {}),
            begun_at=event["begun_at"],
            tried_at=event["tried_at"],
        )

    def item(self) -> dict[str, Any]:
        """Return the line of the migration's items."""
        values = asdict(self)
        return {name: values[name] for name in ("key", "identifier", "metadata") if values[name]}
