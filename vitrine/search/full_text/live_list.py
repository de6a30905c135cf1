"""The list of segments that answer, and which of their objects do not any more.

It is replaced on condition of its ETag, so that of two writers one fails; segments never change.
"""

from collections.abc import Sequence

import msgspec

from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.ports import ObjectStore
from vitrine.search.content.packing import pack_positions, unpack_positions
from vitrine.search.full_text.form import CONTENT_TYPE, FORM, compress, decompress, seal, unseal
from vitrine.store.site_layout import FULL_TEXT

LIST = f"{FULL_TEXT}list"
SEGMENTS = f"{FULL_TEXT}segments/"


def segment_key(name: str) -> str:
    """Return the key of a segment, in the site's bucket."""
    return f"{SEGMENTS}{name}"


class LiveSegment(msgspec.Struct, frozen=True, array_like=True):
    """A segment that answers."""

    name: str
    """Its number, and digits that depend on what is in it."""
    head: int
    """Offset of its head."""
    size: int
    """Bytes of its file."""
    objects: int
    pages: int
    """Pages of all objects."""
    dead: bytes = b""
    """Numbers of the objects that do not answer any more, packed."""
    dead_pages: int = 0
    """Theirs."""

    @property
    def key(self) -> str:
        """Return its key in the site's bucket."""
        return segment_key(self.name)

    @property
    def live_pages(self) -> int:
        """Return the pages that can be found."""
        return self.pages - self.dead_pages

    @property
    def live_objects(self) -> int:
        """Return the objects that can be found."""
        return self.objects - len(self.dead_numbers())

    def dead_numbers(self) -> list[int]:
        """Return the numbers of the objects that do not answer any more, rising."""
        return unpack_positions(self.dead)

    def bury(self, numbers: Sequence[int], pages: int) -> "LiveSegment":
        """Return the segment without some more objects, which have `pages` pages together."""
        dead = pack_positions(sorted({*self.dead_numbers(), *numbers}))
        return msgspec.structs.replace(self, dead=dead, dead_pages=self.dead_pages + pages)


class Retired(msgspec.Struct, frozen=True, array_like=True):
    """A segment that was replaced: a query may still be reading it."""

    name: str
    since: str
    """RFC 3339 UTC."""


class LiveList(msgspec.Struct, frozen=True):
    """What a query needs to know first."""

    form: int = FORM
    next_number: int = 0
    """Number of the next segment."""
    segments: tuple[LiveSegment, ...] = ()
    retired: tuple[Retired, ...] = ()


def load_list(site: ObjectStore) -> tuple[LiveList, str]:
    """Return the list and its ETag; an empty one and "" if there is no list yet.

    One of another form is empty too. Raises UnusableIndex, and TransientError.
    """
    try:
        body, info = site.get(LIST)
    except ObjectMissing:
        return LiveList(), ""
    found = decompress(unseal(body), LiveList)
    return (found if found.form == FORM else LiveList()), info.etag


def store_list(site: ObjectStore, live: LiveList, etag: str) -> str:
    """Replace the list that has an ETag; return that of the new one.

    Raises TransientError, also if somebody else replaced it.
    """
    try:
        return site.put(LIST, seal(compress(live)), content_type=CONTENT_TYPE, if_etag=etag).etag
    except PreconditionFailed:
        raise TransientError(
            "Another process wrote the index of all pages at the same time; try again."
        ) from None
