"""Events, invalidations, messages and executions, and where they are sent."""

import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


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


class EdgeKeys(Protocol):
    """The key-value store of the edge's function before restricted images."""

    def replace(self, values: Mapping[str, str]) -> None:
        """Let the store have these keys and no others; a key that stays is there all the time.

        Raises PreconditionFailed if somebody else changes them at the same time, TransientError.
        """
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

    def take(self, most: int = sys.maxsize) -> list[TakenMessage]:
        """Take all messages that are visible now, or about `most` of them.

        Each is then hidden for a few minutes.
        """
        ...

    def give_back(self, messages: Iterable[TakenMessage]) -> None:
        """Make these messages visible again at once."""
        ...

    def delete(self, messages: Iterable[TakenMessage]) -> None:
        """Delete these messages; it is not an error if one is deleted already."""
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
