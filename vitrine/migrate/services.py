"""The services of a migration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo


class ForeignObjects(Protocol):
    """Objects of other buckets, which the person who runs the command may read."""

    def head(self, place: str) -> ObjectInfo:
        """Return information about `bucket/key`. Raises ObjectMissing, TransientError."""
        ...

    def copy(self, source: ObjectInfo, place: str, key: str, metadata: Mapping[str, str]) -> None:
        """Copy `place` into the masters bucket, within S3. Raises ObjectMissing, TransientError."""
        ...


@dataclass(frozen=True, kw_only=True)
class MapProgress:
    """Progress of a run of the migration's state machine."""

    status: Literal["running", "succeeded", "failed", "unknown"]
    """`unknown`: there was never a run of this name."""
    done: int = 0
    unsuccessful: int = 0
    cause: str = ""
    """Why it failed."""


class MapRuns(Protocol):
    """The migration's state machine."""

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        """Start a run; return False if one of this name exists already. Raises TransientError."""
        ...

    def progress(self, name: str) -> MapProgress:
        """Return the progress of a run. Raises TransientError."""
        ...

    def limit(self, name: str, at_once: int) -> bool:
        """Limit a run to `at_once` items at a time; return False if it has not begun yet.

        Raises MigrationUnusable if that is more than the machine allows, TransientError.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class MigrationServices:
    """`ingest` has the ports of the environment; `foreign` has the rights of the caller."""

    ingest: IngestServices
    masters_bucket: str
    foreign: ForeignObjects
    region: str = ""
    map_runs: MapRuns | None = None
    """None if this machine itself drives the migration."""
    starts: bool = True
    """False if the service starts ingests by itself, once masters are uploaded."""
