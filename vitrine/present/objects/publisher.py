"""Publishing: what an object's addresses answer is brought up to date with its record and images.

One object in the bucket of the site holds all of it. A write replaces only what was read before
the record and the images were, so of two publishers the later one has seen at least as much.
"""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.events import ObjectChanged
from vitrine.identify.resolve import LONGEST_CHAIN
from vitrine.ports import EventBus, IdentifierTable, ObjectStore, VersionedStore
from vitrine.present.discovery.compare import compare
from vitrine.present.objects.compose import Presentation, compose
from vitrine.present.objects.records import ObjectRecord, used_images
from vitrine.records import Live, Redirect
from vitrine.store.clock import now
from vitrine.store.layout import publication_key, user_of, uses_folder
from vitrine.store.publications import (
    CONTENT_TYPE,
    Publication,
    decode_publication,
    encode_publication,
)
from vitrine.store.revisions import Revisions, list_folder

ATTEMPTS = 8
THREADS = 8
"""Objects that are published at a time, each by five requests of some 20 ms."""


@dataclass(frozen=True)
class Publishing:
    """What is published of an object now, and what of it is missing."""

    publication: Publication
    made: bool
    """False if it was up to date."""
    missing: tuple[str, ...]
    """Images that are not published: what shows them was left out."""


@dataclass(frozen=True, kw_only=True)
class Publisher:
    """What publishing works with."""

    site: ObjectStore
    records: VersionedStore
    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable
    events: EventBus
    presentation: Presentation

    def publish(self, identifier: str) -> Publishing | None:
        """Publish the newest record of an object; None if it has none.

        Nothing is written if nothing changed. Raises TransientError.
        """
        key = publication_key(identifier)
        for _ in range(ATTEMPTS):
            before, etag = self._read(key)
            record = self.journal.latest(identifier)
            if record is None:
                return None
            names = used_images(record)
            images = live_images(self.identifiers, names)
            publication = compose(record, images, self.presentation)
            missing = tuple(sorted(names - images.keys()))
            body = encode_publication(publication)
            if body == before:
                return Publishing(publication, made=False, missing=missing)
            # Before the write: a crash between them then announces too much, not too little. The
            # edge is invalidated some time after the event.
            self._announce(identifier, before, publication)
            try:
                self.site.put(key, body, content_type=CONTENT_TYPE, if_etag=etag)
            except PreconditionFailed:
                continue
            return Publishing(publication, made=True, missing=missing)
        raise TransientError(
            f'The object "{identifier}" is being published by others at the same time; try again.'
        )

    def published(self, identifier: str) -> Publishing | None:
        """Return what is published of an object now; None if nothing is. Writes nothing."""
        body, _ = self._read(publication_key(identifier))
        if not body:
            return None
        names = used_images(self.journal.latest(identifier))
        missing = names - live_images(self.identifiers, names).keys()
        publication = decode_publication(body)
        return Publishing(publication, made=False, missing=tuple(sorted(missing)))

    def objects_with(self, image: str) -> Iterator[str]:
        """Yield the objects and collections that show an image, or once did."""
        return map(user_of, list_folder(self.records, uses_folder(image)))

    def _read(self, key: str) -> tuple[bytes, str]:
        """Return what is published, and its ETag; both empty for nothing."""
        try:
            body, info = self.site.get(key)
        except ObjectMissing:
            return b"", ""
        return body, info.etag

    def _announce(self, identifier: str, before: bytes, after: Publication) -> None:
        change, kind, target = compare(decode_publication(before) if before else None, after)
        event = ObjectChanged(
            identifier=identifier,
            revision=after.revision,
            published_at=now(),
            change=change,
            kind=kind or "",
            target=target,
        )
        self.events.publish(event.name(), event.detail())


def live_images(table: IdentifierTable, names: Collection[str]) -> dict[str, Live]:
    """Return the published images among these; a previous identifier leads to its image."""
    found: dict[str, Live] = {}
    leads_to = {name: name for name in names}
    for _ in range(LONGEST_CHAIN):
        records = table.get_many(set(leads_to.values()), consistent=True) if leads_to else {}
        further: dict[str, str] = {}
        for name, current in leads_to.items():
            match records.get(current):
                case Live() as image:
                    found[name] = image
                case Redirect(target=target):
                    further[name] = target
        leads_to = further
    return found


def publish_changed_images(publisher: Publisher, images: Collection[str]) -> int:
    """Publish every object that shows one of these images, once; return how many changed."""
    with ThreadPoolExecutor(THREADS, thread_name_prefix="objects") as threads:
        found = threads.map(lambda image: list(publisher.objects_with(image)), images)
        users = {user for several in found for user in several}
        published = threads.map(publisher.publish, sorted(users))
        return sum(result.made for result in published if result)


def rebuild_publications(
    publisher: Publisher, on_progress: Callable[[int], None] = lambda done: None
) -> dict[str, int]:
    """Publish what every record of the journal says; return `objects`, and how many were `written`.

    Raises TransientError; a second run writes what the first one did not.
    """
    counts = {"objects": 0, "written": 0}
    with ThreadPoolExecutor(THREADS, thread_name_prefix="objects") as threads:
        for result in threads.map(publisher.publish, publisher.journal.identifiers()):
            counts["objects"] += 1
            counts["written"] += bool(result and result.made)
            on_progress(counts["objects"])
    return counts
