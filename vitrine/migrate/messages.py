"""What travels to the step that migrates one master, and what it answers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class MigrateMaster:
    """Make sure that the master under `key` is published. Times are RFC 3339 UTC."""

    key: str
    identifier: str = ""
    """As the manifest gives it; empty: as the starter does."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What the manifest says beside, to be kept."""
    begun_at: str
    """When the migration began: what was published earlier is unchanged."""
    tried_at: str
    """When it was started last: what failed earlier is tried again."""

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> Self:
        """`item` is a line of the migration's items; the times are the same for all of them."""
        item = event["item"]
        return cls(
            key=item["key"],
            identifier=item.get("identifier", ""),
            metadata=item.get("metadata", {}),
            begun_at=event["begun_at"],
            tried_at=event["tried_at"],
        )

    def item(self) -> dict[str, Any]:
        """The line of the migration's items."""
        values = asdict(self)
        return {name: values[name] for name in ("key", "identifier", "metadata") if values[name]}
