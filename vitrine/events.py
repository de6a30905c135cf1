"""What others hear of us on EventBridge: source `vitrine`, one class per detail type.

The page docs/reference/events.md is generated from here (`docs.build.events_page`). Fields are only
ever added: who listens may rely on those that are there.
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from vitrine.records import Live, Record, state

SOURCE = "vitrine"


def told(doc: str) -> Any:
    """A field of an event: one line of documentation."""
    return field(metadata={"doc": doc})


@dataclass(frozen=True, kw_only=True)
class Event:
    """What happened to the image of one identifier."""

    identifier: str = told("Identifier of the image.")

    @classmethod
    def name(cls) -> str:
        """The event's detail type."""
        return cls.__name__

    @classmethod
    def fields(cls) -> dict[str, str]:
        """Name -> documentation of each field of the detail."""
        return {item.name: str(item.metadata["doc"]) for item in fields(cls)}

    def detail(self) -> dict[str, Any]:
        """The event's detail."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ImageChanged(Event):
    """An identifier answers something else than before: caches that hold it are out of date."""

    state: str = told("What it is now: live, redirect, gone or removed.")
    revision: int = told("Counts the changes of this identifier from 1.")
    changed_at: str = told("When it changed, RFC 3339 UTC.")

    @classmethod
    def of(cls, record: Record) -> Self:
        """The event about `record`, which is new."""
        return cls(
            identifier=record.identifier,
            state=state(record),
            revision=record.revision,
            changed_at=record.changed_at,
        )


@dataclass(frozen=True, kw_only=True)
class ImagePublished(Event):
    """An image is live, or shows a new version."""

    master_key: str = told("Key of the master in the masters bucket.")
    version: str = told("Version of the image: 16 hex digits.")
    width: int = told("Width of the full image in pixels.")
    height: int = told("Height of the full image in pixels.")
    published_at: str = told("When it went live, RFC 3339 UTC.")

    @classmethod
    def of(cls, image: Live) -> Self:
        """The event about `image`."""
        return cls(**{name: getattr(image, name) for name in cls.fields()})


@dataclass(frozen=True, kw_only=True)
class ImageRejected(Event):
    """A master breaks a rule: it was not published. An image that was live before stays."""

    master_key: str = told("Key of the master in the masters bucket.")
    master_version: str = told("Version of the master in the masters bucket.")
    code: str = told("Stable code of the reason.")
    sentence: str = told("The reason for a curator, with what to do.")
    value: str = told("What was seen in the master; may be empty.")
    rejected_at: str = told("When it was refused, RFC 3339 UTC.")


@dataclass(frozen=True, kw_only=True)
class ImageWithdrawn(Event):
    """An image is gone: its addresses answer 410 until a new master is uploaded."""

    master_key: str = told("Key of the master in the masters bucket.")
    reason: str = told("Why, as the tombstone says it.")
    withdrawn_at: str = told("When it was withdrawn, RFC 3339 UTC.")


EVENTS: tuple[type[Event], ...] = (ImagePublished, ImageRejected, ImageWithdrawn, ImageChanged)
