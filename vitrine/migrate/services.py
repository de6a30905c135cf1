"""What a migration works with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo


class ForeignObjects(Protocol):
    """Objects of other buckets, which whoever runs the command may read."""

    def head(self, place: str) -> ObjectInfo:
        """What is known of `bucket/key`. Raises ObjectMissing, TransientError."""
        ...

    def copy(self, source: ObjectInfo, place: str, key: str, metadata: Mapping[str, str]) -> None:
        """Copy `place` into the masters bucket, within S3. Raises ObjectMissing, TransientError."""
        ...


@dataclass(frozen=True, kw_only=True)
class MapProgress:
    """How far a run of the migration's state machine has come."""

    status: Literal["running", "succeeded", "failed", "unknown"]
    """`unknown`: there was never a run of this name."""
    done: int = 0
    unsuccessful: int = 0
    cause: str = ""
    """Why it failed."""


class MapRuns(Protocol):
    """The migration's state machine."""

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        """Start a run; False when one of this name exists already. Raises TransientError."""
        ...

    def progress(self, name: str) -> MapProgress:
        """Raises TransientError."""
        ...

    def limit(self, name: str, at_once: int) -> bool:
        """Let a run work on no more than so many at once; False as long as it has not begun.

        Raises MigrationUnusable when that is more than the machine allows, TransientError.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class MigrationServices:
    """`ingest` with the ports of the environment; `foreign` as the one who asks."""

    ingest: IngestServices
    masters_bucket: str
    foreign: ForeignObjects
    region: str = ""
    map_runs: MapRuns | None = None
    """None where this machine itself drives the migration."""
