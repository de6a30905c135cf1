"""What the stages need from the world, as small protocols.

Each has an AWS adapter (`vitrine.adapters.aws`) and a memory one (`vitrine.adapters.memory`),
and one contract suite that both pass (`tests/contract/`). Every method may raise
`TransientError`; what else it raises stands in its docstring.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from vitrine.records import Live, Outcome, Record, Redirect


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


@dataclass(frozen=True, slots=True)
class Listed:
    """The newest version under a key; with `deleted`, the delete marker that hides the others."""

    key: str
    version: str
    modified: str
    """RFC 3339 UTC."""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Some keys of a bucket, in their order; `next` is where the listing goes on, "" at its end."""

    entries: list[Listed]
    next: str


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


class VersionedStore(ObjectStore, Protocol):
    """A bucket that keeps versions, tells of deletions, and whose objects can be tagged."""

    def list_keys(self, after: str = "", limit: int = 1_000) -> Page:
        """The keys behind `after`, at most `limit` (1 to 1,000) and perhaps fewer on a page.

        A deleted key comes as long as the store knows of it. A page may be empty before the end.
        """
        ...

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        """A new version with the same bytes and content type, and with this metadata.

        Raises ObjectMissing, and PreconditionFailed when the newest version has another ETag.
        """
        ...

    def tags(self, key: str) -> dict[str, str]:
        """The tags of the newest version. Raises ObjectMissing."""
        ...

    def tag(self, key: str, tags: Mapping[str, str]) -> None:
        """Let these, and only these, be the tags of the newest version. Raises ObjectMissing."""
        ...


class IdentifierTable(Protocol):
    """The identifiers table."""

    def get(self, identifier: str) -> Record | None:
        """The record, strongly consistent, or None."""
        ...

    def get_many(self, identifiers: Collection[str]) -> dict[str, Record]:
        """The records that there are, by identifier; may lag by a second."""
        ...

    def write(self, record: Record, replaces: Record | None) -> None:
        """Keep `record`, in one conditional write; `vitrine.identify.register` alone does this.

        Raises PreconditionFailed unless what stands there has the revision of `replaces`, or
        nothing stands there where that is None.
        """
        ...

    def newest(self, limit: int) -> list[Live]:
        """Up to `limit` live images, last published first; may lag by a second."""
        ...

    def redirects_to(self, target: str) -> Iterator[Redirect]:
        """The redirects that lead to `target` in one step, in no order; may lag by a second."""
        ...

    def redirects(self) -> Iterator[Redirect]:
        """All redirects, in no order; may lag by a second."""
        ...


class OutcomeTable(Protocol):
    """The latest outcome per master."""

    def get(self, master_key: str) -> Outcome | None:
        """The latest outcome of this master, or None."""
        ...

    def get_many(self, master_keys: Collection[str]) -> dict[str, Outcome]:
        """The outcomes that there are, by master; may lag by a second."""
        ...

    def record(self, outcome: Outcome, over: str = "") -> bool:
        """Keep `outcome`, unless one of a newer master (`master_modified`) is there; whether it is.

        Of two versions of one moment nobody here knows which is the newer: the one that is there
        stays, unless it is `over`, a version that the caller knows to be older.

        `running` never replaces the end of the same master version: a late or repeated event
        changes nothing. One exception: what came of the execution that `outcome.redrives` names,
        unless it published the master.
        """
        ...

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        """Up to `limit` outcomes in this state, newest first; may lag by a second."""
        ...

    def count(self, state: str, limit: int) -> int:
        """How many outcomes are in this state; counting ends at `limit`. May lag by a second."""
        ...


class EventBus(Protocol):
    """Where others hear of what happened."""

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Send one event with source `vitrine`."""
        ...

    def publish_many(self, detail_type: str, details: Iterable[Mapping[str, Any]]) -> None:
        """Send several of one type, in as few requests as can be."""
        ...


class EdgeCache(Protocol):
    """What the edge keeps of what the origin answered."""

    def invalidate(self, tags: Collection[str], reference: str) -> str:
        """Drop every answer that carries one of these tags (`vitrine.store.layout.cache_tag`), at
        most 3,000 of them; a name for it, to be found in logs.

        With a reference that was used before, for the same tags, nothing need be dropped again.
        Raises TransientError while too much is being invalidated.
        """
        ...

    def invalidate_all_images(self, reference: str) -> str:
        """The same for everything under /iiif/."""
        ...


@dataclass(frozen=True, slots=True)
class Taken:
    """A message that was taken from a queue: nobody else sees it until it is given back."""

    body: str
    sent_at: str
    """RFC 3339 UTC."""
    receipt: str


class MessageQueue(Protocol):
    """A queue of texts: each comes at least once, in no order, and stays until it is deleted."""

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        """Keep one message; nobody sees it for the first `delay_seconds`, at most 900."""
        ...

    def take(self) -> list[Taken]:
        """All messages that can be seen now; each is hidden for a few minutes."""
        ...

    def give_back(self, messages: Iterable[Taken]) -> None:
        """Let others see these again at once."""
        ...

    def delete(self, message: Taken) -> None:
        """Forget one message; a message that is gone already is no error."""
        ...

    def length(self) -> int:
        """How many messages there are, about: hidden and delayed ones too."""
        ...


class Pipeline(Protocol):
    """The state machine."""

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        """Start an execution; False when one of this name exists already."""
        ...

    def running(self) -> int:
        """How many executions run, counted up to 1,000; may lag by seconds."""
        ...
