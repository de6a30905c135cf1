"""What a publisher announces: that an object changed, and what its change made outdated."""

from vitrine.catalogue.records import ObjectRecord
from vitrine.events import ObjectChanged, PagesOutdated
from vitrine.ports import EventBus
from vitrine.site.discovery.compare import compare
from vitrine.store.clock import now
from vitrine.store.publications import Publication, decode_publication


def announce_object(events: EventBus, identifier: str, before: bytes, after: Publication) -> None:
    """Announce what became of an object whose publication is `before` until the next write."""
    change, kind, target = compare(decode_publication(before) if before else None, after)
    event = ObjectChanged(
        identifier=identifier,
        revision=after.revision,
        published_at=now(),
        change=change,
        kind=kind or "",
        target=target,
    )
    events.publish(event.name(), event.detail())


def announce_pages(events: EventBus, pages: str, record: ObjectRecord, since: int) -> None:
    """Announce that pages of the images of an object, or of members, are outdated."""
    event = PagesOutdated(
        identifier=record.identifier, pages=pages, revision=record.revision, since=since
    )
    events.publish(event.name(), event.detail())
