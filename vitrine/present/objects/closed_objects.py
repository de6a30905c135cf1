"""Members of collections that are left out: objects of which nobody may see an image.

Their titles would otherwise be in lists, while their own addresses answer that there is nothing. An
object with an image that needs a right stays in them, since somebody may be let in.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec

from vitrine.iiif.presentation.model import Member, ObjectCollection, PublishedObject
from vitrine.ports import IdentifierTable
from vitrine.present.objects.live_images import closed_images, live_images
from vitrine.present.objects.records import Described, ObjectRecord, follow_renames, painted_images
from vitrine.records import Live
from vitrine.store.revisions import Revisions

THREADS = 16


@dataclass(frozen=True)
class ClosedObjects:
    """Looks objects up, by their newest records."""

    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable

    def find(
        self, members: Sequence[Member], images: Mapping[str, Live], *, is_page: bool = False
    ) -> frozenset[str]:
        """Return those of the members that are closed. Raises TransientError.

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
            found = zip(names, threads.map(self._is_closed, names), strict=True)
            return frozenset(name for name, is_closed in found if is_closed)

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

    def _is_closed(self, identifier: str) -> bool:
        _, record = follow_renames(self.journal, identifier)
        match record:
            case None:
                # An image by itself.
                images = {identifier}
            case Described(item=PublishedObject(canvases=canvases)):
                if any(canvas.elsewhere for canvas in canvases):
                    return False
                images = painted_images(record)
            case _:
                return False
        return not live_images(self.identifiers, images) and bool(
            closed_images(self.identifiers, images)
        )
