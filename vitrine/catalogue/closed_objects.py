"""Members of collections that are left out: objects of which nobody may see an image.

Their titles would otherwise be in lists, while their own addresses answer that there is nothing. An
object with an image that needs a right stays in them, since somebody may be let in.
"""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec

from vitrine.catalogue.live_images import closed_images, live_images
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    TakenDown,
    follow_renames,
    last_described,
    painted_images,
)
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import Member, ObjectCollection, PublishedObject
from vitrine.records import Live
from vitrine.store.omissions import FAULTS, RUNBOOK
from vitrine.store.revisions import Revisions

logger = logging.getLogger(__name__)

THREADS = 16


@dataclass(frozen=True)
class ClosedObjects:
    """Looks objects up, by their newest records."""

    journal: Revisions[ObjectRecord]
    identifiers: ShownIdentifiers

    def find(
        self, members: Sequence[Member], images: Mapping[str, Live], *, is_page: bool = False
    ) -> frozenset[str]:
        """Return those of the members that are closed, or unreadable. Raises TransientError.

        `images` has what is described of the members' images. Only those are looked up whose own
        image is closed, or that name none; of the pages of a long collection (`is_page`) not the
        latter, since it may have 100,000 of them, with images elsewhere.
        """
        hidden = [one for one in members if not one.is_collection and one.image not in images]
        closed = closed_images(self.identifiers, {one.image for one in hidden} - {""})
        names = sorted(
            {one.identifier for one in hidden if one.image in closed or not (one.image or is_page)}
        )
        if not names:
            return frozenset()
        with ThreadPoolExecutor(min(THREADS, len(names)), thread_name_prefix="closed") as threads:
            painted = dict(zip(names, threads.map(self._painted_images, names), strict=True))
        everything = set[str]().union(*filter(None, painted.values()))
        seen = live_images(self.identifiers, everything).keys()
        unseen = closed_images(self.identifiers, everything)
        return frozenset(
            name
            for name, shown in painted.items()
            if shown is None or (shown & unseen and not shown & seen)
        )

    def leave_out(self, record: ObjectRecord, images: Mapping[str, Live]) -> ObjectRecord:
        """Return the record of a collection without them; any other as it is."""
        match record:
            case Described(item=ObjectCollection(members=members) as item):
                closed = self.find(members, images)
                shown = tuple(one for one in members if one.identifier not in closed)
                return msgspec.structs.replace(
                    record, item=msgspec.structs.replace(item, members=shown)
                )
        return record

    def _painted_images(self, identifier: str) -> set[str] | None:
        """Return the images of an object, if it shows only ours; of anything else none.

        None if its record cannot be read: nobody knows whether somebody may see it.
        """
        try:
            _, record = follow_renames(self.journal, identifier)
        except FAULTS as error:
            logger.error('The record of "%s" cannot be read (%s): %s', identifier, RUNBOOK, error)
            return None
        if isinstance(record, TakenDown):
            # Its title is as closed as it was.
            record = last_described(self.journal, record)
        match record:
            case None:
                # An image by itself.
                return {identifier}
            case Described(item=PublishedObject(canvases=canvases)):
                is_ours = not any(canvas.elsewhere for canvas in canvases)
                return painted_images(record) if is_ours else set()
        return set()
