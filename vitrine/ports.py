"""What the stages need from the world, as small protocols.

Each has an AWS adapter (`vitrine.adapters.aws`) and a memory one (`vitrine.adapters.memory`),
and one contract suite that both pass (`tests/contract/`). Every method may raise
`TransientError`; what else it raises stands in its docstring.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from vitrine.identify.record import Live, Record
from vitrine.ingest.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class ObjectInfo:
    """What the store knows of one object version. `modified` is RFC 3339 UTC, `size` bytes."""

    key: str
    size: int
    etag: str
    version: str
    modified: str
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of an object, and what the answer says of the whole: its ETag and its size."""

    data: bytes
    etag: str
    size: int


class MultipartUpload(Protocol):
    """An object that arrives in parts."""

    def part(self, number: int, data: bytes) -> None:
        """Send one part, from any thread and in any order; the object is their sequence by number.

        `number` from 1 to 10,000, not necessarily consecutive. All but the last are at least
        5 MiB long.
        """
        ...


class ObjectStore(Protocol):
    """One bucket. Object metadata keys are lower case; values any Unicode text."""

    def head(self, key: str) -> ObjectInfo:
        """The newest version of `key`. Raises ObjectMissing."""
        ...

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        """Body and information of a small object. Raises ObjectMissing."""
        ...

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> Part:
        """Up to `length` (at least 1) bytes from offset `start`; b"" from the end on.

        `if_etag`: only of this object. Raises ObjectMissing, and PreconditionFailed when the
        object under the key has another ETag.
        """
        ...

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        """Write the object (one version, or the newest) to `path`. Raises ObjectMissing."""
        ...

    def upload(
        self,
        path: Path,
        key: str,
        *,
        content_type: str,
        metadata: Mapping[str, str],
        on_progress: Callable[[int], None] | None = None,
    ) -> ObjectInfo:
        """Store a file, however large; what was there is replaced.

        `on_progress` hears the number of bytes just sent, from any thread.
        """
        ...

    def put(
        self,
        key: str,
        body: bytes,
        *,
        content_type: str,
        cache_control: str = "",
        if_etag: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> ObjectInfo:
        """Store a small object. `if_etag`: only over this ETag, "" for only where nothing is.

        Raises PreconditionFailed.
        """
        ...

    def multipart(
        self, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> AbstractContextManager[MultipartUpload]:
        """Store an object in parts. It appears when the `with` block ends; a failure in the
        block leaves nothing of it in the store."""
        ...


class IdentifierTable(Protocol):
    """The identifiers table."""

    def get(self, identifier: str) -> Record | None:
        """The record, strongly consistent, or None."""
        ...

    def publish(self, image: Live) -> None:
        """Make `image` what its identifier answers, in one conditional write.

        Replaces nothing, a redirect or a tombstone of the same name, or a live image that
        comes from the same master and is not newer (`master_modified`). Raises
        PreconditionFailed when the identifier belongs to another master or to a newer version.
        """
        ...

    def newest(self, limit: int) -> list[Live]:
        """Up to `limit` live images, last published first; may lag by a second."""
        ...


class OutcomeTable(Protocol):
    """The latest outcome per master."""

    def get(self, master_key: str) -> Outcome | None:
        """The latest outcome of this master, or None."""
        ...

    def record(self, outcome: Outcome) -> None:
        """Keep `outcome`, unless one of a newer master (`master_modified`) is there.

        `running` never replaces the end of the same master version: a late or repeated event
        changes nothing.
        """
        ...

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        """Up to `limit` outcomes in this state, newest first; may lag by a second."""
        ...


class EventBus(Protocol):
    """Where others hear of what happened."""

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Send one event with source `vitrine`."""
        ...


class FailureQueue(Protocol):
    """Where the inputs of failed executions wait to be redriven."""

    def send(self, message: Mapping[str, Any]) -> None:
        """Keep one message."""
        ...


class Pipeline(Protocol):
    """The state machine."""

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        """Start an execution; False when one of this name exists already."""
        ...
