"""Members of collections that are left out: those whose own addresses show nobody anything.

They wait for their images, are withdrawn, or are closed: their titles would be in lists, and their
links would answer 404 or 410. An object with an image that needs a right is listed, since somebody
may be let in; so is one that has a page before its images.
"""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec

from vitrine.catalogue.live_images import images_to_come, live_images
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    follow_renames,
    painted_images,
)
from vitrine.catalogue.statements import UNREADABLE, WITHDRAWN, Catalogue, kind_at_end
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import Member, ObjectCollection, PublishedObject
from vitrine.records import Live
from vitrine.store.omissions import FAULTS, RUNBOOK

logger = logging.getLogger(__name__)

THREADS = 16
_Read = tuple[ObjectRecord | None, bool]
"""The newest record of a member, and whether it can be read."""


@dataclass(frozen=True)
class AbsentMembers:
    """Looks members up, by their newest records."""

    catalogue: Catalogue
    identifiers: ShownIdentifiers

    def find(
        self, members: Sequence[Member], images: Mapping[str, Live], *, is_page: bool = False
    ) -> frozenset[str]:
        """Return those of the members that show nothing, or are unreadable. Raises TransientError.

        The catalogue knows what is withdrawn, and all collections. `images` has what is described
        of the members' images: an object that has its own among them is not read. Neither is one
        that names none on the pages of a long collection (`is_page`), which may have 100,000 of
        them, with images elsewhere.
        """
        absent, doubtful = set[str](), set[str]()
        kinds = self.catalogue.kinds([one.identifier for one in members])
        for one in members:
            kind = kind_at_end(kinds, one.identifier)
            if kind in (WITHDRAWN, UNREADABLE) or (one.is_collection and not kind):
                absent.add(one.identifier)
            elif not kind and one.image not in images and (one.image or not is_page):
                doubtful.add(one.identifier)
        return frozenset(absent | self._find_unseen(sorted(doubtful)))

    def _find_unseen(self, names: Sequence[str]) -> set[str]:
        """Return those of the objects, and of the images by themselves, that show nothing."""
        if not names:
            return set()
        newest = self.catalogue.journal.find_newest(names)
        with ThreadPoolExecutor(min(THREADS, len(names)), thread_name_prefix="absent") as threads:
            read = threads.map(lambda name: self._read(name, newest[name]), names)
            found = dict(zip(names, read, strict=True))
        painted = {
            # What has no record is an image by itself.
            name: painted_images(record) if record else {name}
            for name, (record, _) in found.items()
        }
        everything = set[str]().union(*painted.values())
        seen = live_images(self.identifiers, everything).keys()
        to_come = images_to_come(self.identifiers, everything - seen)
        return {
            name
            for name, (record, is_readable) in found.items()
            if not (is_readable and (painted[name] & seen or _shows(record, to_come)))
        }

    def leave_out(self, record: ObjectRecord, images: Mapping[str, Live]) -> ObjectRecord:
        """Return the record of a collection without them; any other as it is."""
        match record:
            case Described(item=ObjectCollection(members=members) as item):
                absent = self.find(members, images)
                shown = tuple(one for one in members if one.identifier not in absent)
                return msgspec.structs.replace(
                    record, item=msgspec.structs.replace(item, members=shown)
                )
        return record

    def _read(self, identifier: str, revision: int) -> _Read:
        """Return the record of a member; of one that cannot be read, nobody knows what it shows."""
        try:
            return follow_renames(self.catalogue.journal, identifier, revision)[1], True
        except FAULTS as error:
            logger.error('The record of "%s" cannot be read (%s): %s', identifier, RUNBOOK, error)
            return None, False


def _shows(record: ObjectRecord | None, to_come: set[str]) -> bool:
    """Return True if a record has a page without any image that is published here."""
    match record:
        case Described(item=PublishedObject(canvases=canvases, page_before_images=is_early)):
            is_elsewhere = any(canvas.elsewhere for canvas in canvases)
            return is_elsewhere or (is_early and painted_images(record) <= to_come)
    return False
