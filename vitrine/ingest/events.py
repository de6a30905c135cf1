"""What others hear of us on EventBridge: source `vitrine`, one class per detail type.

The page docs/reference/events.md is generated from here (`vitrine.events_page`). Fields are only
ever added: who listens may rely on those that are there.
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from vitrine.identify.record import Live

SOURCE = "vitrine"


def told(doc: str) -> Any:
    """A field of an event: one line of documentation."""
    return field(metadata={"doc": doc})


@dataclass(frozen=True, kw_only=True)
class _Event:
    identifier: str = told("Identifier of the image.")
    master_key: str = told("Key of the master in the masters bucket.")

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
class ImagePublished(_Event):
    """An image is live, or shows a new version."""

    version: str = told("Version of the image: 16 hex digits.")
    width: int = told("Width of the full image in pixels.")
    height: int = told("Height of the full image in pixels.")
    published_at: str = told("When it went live, RFC 3339 UTC.")

    @classmethod
    def of(cls, image: Live) -> Self:
        """The event about `image`."""
        return cls(**{name: getattr(image, name) for name in cls.fields()})


@dataclass(frozen=True, kw_only=True)
class ImageRejected(_Event):
    """A master breaks a rule: it was not published. An image that was live before stays."""

    master_version: str = told("Version of the master in the masters bucket.")
    code: str = told("Stable code of the reason.")
    sentence: str = told("The reason for a curator, with what to do.")
    value: str = told("What was seen in the master; may be empty.")
    rejected_at: str = told("When it was refused, RFC 3339 UTC.")


@dataclass(frozen=True, kw_only=True)
class ImageWithdrawn(_Event):
    """An image is gone: its addresses answer 410 until a new master is uploaded."""

    reason: str = told("Why, as the tombstone says it.")
    withdrawn_at: str = told("When it was withdrawn, RFC 3339 UTC.")


EVENTS: tuple[type[_Event], ...] = (ImagePublished, ImageRejected, ImageWithdrawn)
