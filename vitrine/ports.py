"""The ports: what the stages need from the outside world, as small protocols.

Each has an AWS adapter (`vitrine.adapters.aws`) and a memory one (`vitrine.adapters.memory`),
and one contract suite that both pass (`tests/contract/`). Every method may raise
`ServiceFailed`; what else it raises stands in its docstring.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from vitrine.records import Live, Outcome, Record, Redirect


@dataclass(frozen=True, kw_only=True)
class ObjectInfo:
    """Information about one object version. `modified` is RFC 3339 UTC, `size` bytes."""

    key: str
    size: int
    etag: str
    version: str
    modified: str
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of an object, with the ETag and the size of the whole object."""

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
    """Some keys of a bucket, in order; `next` is where the listing continues, "" at its end."""

    entries: list[Listed]
    next: str


class MultipartUpload(Protocol):
    """An object that is written in parts."""

    def part(self, number: int, data: bytes) -> None:
        """Send one part, from any thread and in any order; the object is their sequence by number.

        `number` from 1 to 10,000, not necessarily consecutive. All but the last are at least
        5 MiB long.
        """
        ...


class ObjectStore(Protocol):
    """One bucket. Object metadata keys are lower case; values any Unicode text."""

    def head(self, key: str) -> ObjectInfo:
        """Return information about the newest version of `key`. Raises ObjectMissing."""
        ...

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        """Return body and information of a small object. Raises ObjectMissing."""
        ...

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> Part:
        """Return up to `length` (at least 1) bytes from offset `start`; b"" beyond the end.

        Raises ObjectMissing, and PreconditionFailed if the object under the key has another ETag
        than `if_etag`.
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
        """Store a file of any size; an existing object is replaced.

        `on_progress` is called with the number of bytes just sent, from any thread.
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
        """Store a small object. Raises PreconditionFailed.

        With `if_etag`, only an object with this ETag is replaced; with "", no object may exist.
        """
        ...

    def multipart(
        self, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> AbstractContextManager[MultipartUpload]:
        """Store an object in parts, which appears when the `with` block ends.

        A failure in the block leaves nothing in the store.
        """
        ...


class VersionedStore(ObjectStore, Protocol):
    """A bucket that keeps versions, lists deletions, and whose objects can be tagged."""

    def list_keys(self, after: str = "", limit: int = 1_000) -> Page:
        """Return the keys behind `after`, at most `limit` (1 to 1,000), possibly fewer.

        Deleted keys are listed while the store has their delete markers. A page may be empty even
        before the end.
        """
        ...

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        """Write a new version with the same bytes and content type, and with this metadata.

        Raises ObjectMissing, and PreconditionFailed if the newest version has another ETag.
        """
        ...

    def delete(self, key: str) -> None:
        """Hide an object under a delete marker; its versions stay. No role of ours may do this."""
        ...

    def tags(self, key: str) -> dict[str, str]:
        """Return the tags of the newest version. Raises ObjectMissing."""
        ...

    def tag(self, key: str, tags: Mapping[str, str]) -> None:
        """Replace all tags of the newest version. Raises ObjectMissing."""
        ...


class UploadAddresses(Protocol):
    """Addresses to which anybody who has one may send one object, for some time."""

    def upload_address(
        self, key: str, *, size: int, content_type: str, metadata: Mapping[str, str], seconds: int
    ) -> tuple[str, dict[str, str]]:
        """Return an address for a PUT of exactly `size` bytes, and the headers that it takes."""
        ...


class IdentifierTable(Protocol):
    """The identifiers table."""

    def get(self, identifier: str) -> Record | None:
        """Return the record, strongly consistent, or None."""
        ...

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record]:
        """Return the existing records by identifier; may lag by a second unless `consistent`."""
        ...

    def write(self, record: Record, replaces: Record | None) -> None:
        """Write `record`, in one conditional write; only `vitrine.identify.register` does this.

        Raises PreconditionFailed unless the current record has the revision of `replaces`; if that
        is None, no record may exist.
        """
        ...

    def newest(self, limit: int) -> list[Live]:
        """Return up to `limit` live images, the newest first; may lag by a second."""
        ...

    def by_state(self, state: str, limit: int) -> list[Record]:
        """Return up to `limit` records that are live, redirect, gone or removed, newest first.

        May lag by a second.
        """
        ...

    def count(self, state: str, limit: int) -> int:
        """Return the number of records in this state, at most `limit`; may lag by a second."""
        ...

    def redirects_to(self, target: str) -> Iterator[Redirect]:
        """Yield the redirects to `target`, in no order; may lag by a second."""
        ...

    def redirects(self) -> Iterator[Redirect]:
        """Yield all redirects, in no order; may lag by a second."""
        ...


class OutcomeTable(Protocol):
    """The latest outcome per master."""

    def get(self, master_key: str) -> Outcome | None:
        """Return the latest outcome of this master, or None."""
        ...

    def get_many(self, master_keys: Collection[str]) -> dict[str, Outcome]:
        """Return the existing outcomes by master; may lag by a second."""
        ...

    def record(self, outcome: Outcome, over: str = "") -> bool:
        """Keep `outcome`; return False if the existing one, of a newer master, was kept instead.

        The master with the later `master_modified` is newer. Of two versions with the same time it
        is unknown which is newer: the existing one stays, unless it is `over`, a version that the
        caller knows to be older.

        `running` never replaces the end of the same master version: a late or repeated event
        changes nothing. The exception is the outcome of the execution that `outcome.redrives`
        names, unless it published the master.
        """
        ...

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        """Return up to `limit` outcomes listed as `state`, newest first; may lag by a second.

        The lists are the states, without what was dismissed, and `dismissed`.
        """
        ...

    def count(self, state: str, limit: int) -> int:
        """Return how many outcomes are listed as `state`, at most `limit`; may lag by a second."""
        ...


class EventBus(Protocol):
    """The bus on which events are sent to others."""

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Send one event with source `vitrine`."""
        ...

    def publish_many(self, detail_type: str, details: Iterable[Mapping[str, Any]]) -> None:
        """Send several events of one type, in as few requests as possible."""
        ...


class EdgeCache(Protocol):
    """The edge's cache of the origin's responses."""

    def invalidate(self, tags: Collection[str], reference: str) -> str:
        """Drop every response with one of these tags (`vitrine.store.layout.cache_tag`).

        There are at most 3,000 tags. Returns a name of the invalidation for the logs. If the
        reference was used before, with the same tags, nothing needs to be dropped again. Raises
        TransientError while too many invalidations are in progress.
        """
        ...

    def invalidate_all_images(self, reference: str) -> str:
        """Drop all images and manifests; returns and raises the same as `invalidate`."""
        ...

    def invalidate_all_manifests(self, reference: str) -> str:
        """Drop all manifests and collections, and no image; returns and raises the same."""
        ...


@dataclass(frozen=True, slots=True)
class TakenMessage:
    """A message taken from a queue: nobody else receives it until it is given back."""

    body: str
    sent_at: str
    """RFC 3339 UTC."""
    receipt: str


class MessageQueue(Protocol):
    """A queue of texts: each is delivered at least once, in no order, until it is deleted."""

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        """Send a message, which is invisible for the first `delay_seconds`, at most 900."""
        ...

    def take(self) -> list[TakenMessage]:
        """Take all messages that are visible now; each is then hidden for a few minutes."""
        ...

    def give_back(self, messages: Iterable[TakenMessage]) -> None:
        """Make these messages visible again at once."""
        ...

    def delete(self, message: TakenMessage) -> None:
        """Delete one message; it is not an error if it is deleted already."""
        ...

    def length(self) -> int:
        """Return about how many messages there are, including hidden and delayed ones."""
        ...


class Pipeline(Protocol):
    """The state machine."""

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        """Start an execution; return False if one of this name exists already."""
        ...

    def running(self) -> int:
        """Return the number of running executions, at most 1,000; may lag by seconds."""
        ...

    def is_running(self, name: str) -> bool:
        """Return True if an execution of this name is running; False if it ended or is unknown."""
        ...

    def running_names(self) -> set[str]:
        """Return the names of running executions, at most 1,000; may lag by seconds."""
        ...
