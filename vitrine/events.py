"""The events that Vitrine sends to EventBridge: source `vitrine`, one class per detail type.

The page docs/reference/events.md is generated from here (`docs.build.events_page`). Fields are only
ever added, so that consumers can rely on the existing ones.
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from vitrine.records import Live, Record, check_types, state

SOURCE = "vitrine"


def documented(doc: str, **options: Any) -> Any:
    """Declare a field of an event, with one line of documentation."""
    return field(metadata={"doc": doc}, **options)


@dataclass(frozen=True, kw_only=True)
class Event:
    """What happened to what one identifier names."""

    identifier: str = documented("Identifier of the image.")

    @classmethod
    def name(cls) -> str:
        """Return the event's detail type."""
        return cls.__name__

    @classmethod
    def from_detail(cls, detail: dict[str, Any]) -> Self:
        """Return the event with this detail, which may have fields that are not known here.

        Raises AttributeError or TypeError for what is no such detail.
        """
        values = {name: value for name, value in detail.items() if name in cls.fields()}
        check_types(cls, values)
        return cls(**values)

    @classmethod
    def fields(cls) -> dict[str, str]:
        """Return name -> documentation of each field of the detail."""
        return {item.name: str(item.metadata["doc"]) for item in fields(cls)}

    def detail(self) -> dict[str, Any]:
        """Return the event's detail."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ImageChanged(Event):
    """An identifier answers something other than before: caches of it are out of date."""

    state: str = documented("Its state now: live, redirect, gone or removed.")
    revision: int = documented("Counts the changes of this identifier from 1.")
    changed_at: str = documented("When it changed, RFC 3339 UTC.")
    was: str = documented("Its state before, or empty for a new identifier.", default="")

    @classmethod
    def of(cls, record: Record, replaced: Record | None) -> Self:
        """Return the event about `record`, which is new, in the place of another one."""
        return cls(
            identifier=record.identifier,
            state=state(record),
            revision=record.revision,
            changed_at=record.changed_at,
            was=state(replaced) if replaced else "",
        )


@dataclass(frozen=True, kw_only=True)
class ImagePublished(Event):
    """An image is live, shows a new version, or has another rule of access."""

    master_key: str = documented("Key of the master in the masters bucket.")
    version: str = documented("Version of the image: 16 hex digits.")
    width: int = documented("Width of the full image in pixels.")
    height: int = documented("Height of the full image in pixels.")
    published_at: str = documented("When it went live, RFC 3339 UTC.")

    @classmethod
    def of(cls, image: Live) -> Self:
        """Return the event about `image`."""
        return cls(**{name: getattr(image, name) for name in cls.fields()})


@dataclass(frozen=True, kw_only=True)
class ImageRejected(Event):
    """A master breaks a rule and was not published. An image that was live before stays."""

    master_key: str = documented("Key of the master in the masters bucket.")
    master_version: str = documented("Version of the master in the masters bucket.")
    code: str = documented("Stable code of the reason.")
    sentence: str = documented("The reason, for a curator, and what to do.")
    value: str = documented("What was found in the master; may be empty.")
    rejected_at: str = documented("When it was rejected, RFC 3339 UTC.")


@dataclass(frozen=True, kw_only=True)
class ImageWithdrawn(Event):
    """An image is gone: 410 until a curator restores it, or its deleted master is uploaded."""

    master_key: str = documented("Key of the master in the masters bucket.")
    reason: str = documented("The reason, as in the tombstone.")
    withdrawn_at: str = documented("When it was withdrawn, RFC 3339 UTC.")


@dataclass(frozen=True, kw_only=True)
class ObjectChanged(Event):
    """The manifest of an object, or a collection, answers something other than before."""

    identifier: str = documented("Identifier of the object or collection.")
    revision: int = documented("Counts the changes of its record from 1.")
    published_at: str = documented("When it changed, RFC 3339 UTC.")
    change: str = documented(
        "What changed for those who harvest it: created, updated, moved or deleted; empty if "
        "nothing was visible before and nothing is now.",
        default="",
    )
    kind: str = documented("What it is, or was: manifest or collection; or empty.", default="")
    target: str = documented("The identifier that it was moved to, or empty.", default="")


@dataclass(frozen=True, kw_only=True)
class PagesOutdated(Event):
    """A change of an object or collection made pages of others outdated; they are updated next."""

    identifier: str = documented("Identifier of the object or collection.")
    pages: str = documented(
        "What: pages of images (of the object), of members (of the collection), or documents, all "
        "that shows an image in the collection."
    )
    revision: int = documented("Revision of its record after the change.")
    since: int = documented("Revision of its record before the change; 0: all it ever had.")
    after: str = documented("The last one that is up to date already, or empty.", default="")


@dataclass(frozen=True, kw_only=True)
class TextsRequested(Event):
    """Pages of an object have no text yet, and are to be read by OCR."""

    identifier: str = documented("Identifier of the object.")


@dataclass(frozen=True, kw_only=True)
class TextsRead(Event):
    """Pages of an object were read by OCR: it is published with their texts next."""

    identifier: str = documented("Identifier of the object.")


@dataclass(frozen=True, kw_only=True)
class RulesChanged(Event):
    """The images in a collection are under other rules of access: caches of them are outdated."""

    identifier: str = documented("Identifier of the collection.")
    version: int = documented("Counts the changes of all collections' rules from 1.")
    everything: bool = documented(
        "True if caches may have images of it without its tag, so that all are outdated.",
        default=False,
    )


@dataclass(frozen=True, kw_only=True)
class CollectionUpdated(Event):
    """The environment has harvested a collection on its schedule, and published what changed."""

    identifier: str = documented("Identifier of the collection.")
    begun_at: str = documented("When the update began, RFC 3339 UTC.")
    ended_at: str = documented("When it ended, RFC 3339 UTC.")
    result: str = documented(
        "complete; incomplete, if some records or objects were left out; or failed: then nothing "
        "of what is published has changed."
    )
    said: str = documented("Why it failed, or empty.", default="")
    made: int = documented("Number of objects that it published.", default=0)
    waiting: int = documented("Number of objects with images that are still missing.", default=0)
    refused: int = documented("Number of records that could not become objects.", default=0)


EVENTS: tuple[type[Event], ...] = (
    ImagePublished,
    ImageRejected,
    ImageWithdrawn,
    ImageChanged,
    ObjectChanged,
    PagesOutdated,
    TextsRequested,
    TextsRead,
    RulesChanged,
    CollectionUpdated,
)
