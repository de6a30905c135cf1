"""The index as its one writer changes it: segments that are added, joined and retired."""

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from vitrine.ports import VersionedStore
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.full_text.form import CONTENT_TYPE
from vitrine.search.full_text.gather import Gathered
from vitrine.search.full_text.live_list import (
    LIST,
    SEGMENTS,
    LiveList,
    LiveSegment,
    Retired,
    load_list,
    segment_key,
    store_list,
)
from vitrine.search.full_text.merge import merge_segments, plan_merge
from vitrine.search.full_text.segment_writer import write_segment
from vitrine.search.full_text.stored_segments import open_segment
from vitrine.store.clock import rfc3339
from vitrine.store.omissions import FAULTS
from vitrine.store.revisions import list_entries

RETIRED_FOR = timedelta(hours=1)
"""After which nobody reads a segment that was replaced: it is emptied."""


@dataclass(frozen=True, slots=True)
class SegmentPlace:
    """Where an object answers from."""

    segment: str
    number: int
    index: str
    """Name of the text index that its words are from."""
    pages: int


class IndexWriter:
    """The list and its segments while they are changed; others see what is committed."""

    def __init__(self, site: VersionedStore, folder: Path) -> None:
        """Read the list. One that is damaged is replaced by a new one. Raises TransientError."""
        self._site = site
        self._path = folder / "segment"
        try:
            live, self._etag = load_list(site)
        except UnusableIndex:
            live, self._etag = LiveList(), site.head(LIST).etag
        self._next = live.next_number
        self._segments = {segment.name: segment for segment in live.segments}
        self._retired = list(live.retired)
        self._buried: dict[str, list[SegmentPlace]] = {}
        self._is_changed = False
        self.written = 0
        """Bytes of segments."""

    def retire_lost(self) -> None:
        """Retire files that the list does not know: their writer died, or the list was damaged.

        Their numbers are not given again. Raises TransientError.
        """
        known = self._segments.keys() | {one.name for one in self._retired}
        for entry in list_entries(self._site, SEGMENTS, segment_key(f"{self._next:06}")):
            name = entry.key.removeprefix(SEGMENTS)
            number = name.partition("-")[0]
            if name not in known and number.isdecimal() and int(number) >= self._next:
                self._note_retired(name)
                self._next = int(number) + 1

    def places(self) -> dict[str, SegmentPlace]:
        """Return where each object answers from, by its identifier.

        Segments that are damaged are taken off the list: their objects are new then. Raises
        TransientError.
        """
        found: dict[str, SegmentPlace] = {}
        for live in list(self._segments.values()):
            try:
                segment = open_segment(self._site, live)
                dead = set(live.dead_numbers())
                numbers = [number for number in range(live.objects) if number not in dead]
                objects = segment.read_objects(numbers)
            except FAULTS:
                self._retire(live)
                continue
            for number, named in objects.items():
                pages = segment.page_counts[number]
                found[named.identifier] = SegmentPlace(live.name, number, named.index, pages)
        return found

    def bury(self, place: SegmentPlace) -> None:
        """Let an object not answer any more."""
        self._buried.setdefault(place.segment, []).append(place)
        self._is_changed = True

    def add(self, gathered: Gathered) -> None:
        """Let some objects answer. Raises TransientError."""
        with self._path.open("wb") as file:
            segment = write_segment(file, gathered.objects, gathered.postings())
        self._upload(segment)

    def merge(self) -> bool:
        """Join the segments that should be one, and commit; return whether there were any.

        If some are damaged, these are taken off the list instead: the next update adds their
        objects again. Raises TransientError.
        """
        joined = plan_merge(list(self._segments.values()))
        if not joined:
            return False
        try:
            with self._path.open("wb") as file:
                opened = [(live, open_segment(self._site, live)) for live in joined]
                segment = merge_segments(file, opened)
        except FAULTS:
            joined, segment = [live for live in joined if not self._is_sound(live)], None
        for live in joined:
            self._retire(live)
        if segment:
            self._upload(segment)
        self.commit()
        return bool(joined)

    def commit(self) -> None:
        """Replace the list if anything changed, or a file is due to be emptied.

        Raises TransientError.
        """
        due = rfc3339(datetime.now(UTC) - RETIRED_FOR)
        if not self._is_changed and all(one.since > due for one in self._retired):
            return
        for name, places in self._buried.items():
            if name in self._segments:
                numbers, pages = [one.number for one in places], sum(one.pages for one in places)
                self._segments[name] = self._segments[name].bury(numbers, pages)
        self._empty_retired(due)
        live = LiveList(
            next_number=self._next,
            segments=tuple(self._segments.values()),
            retired=tuple(self._retired),
        )
        self._etag = store_list(self._site, live, self._etag)
        self._buried, self._is_changed = {}, False

    def counts(self) -> tuple[int, int, int]:
        """Return the objects and pages that can be found, and the segments."""
        segments = self._segments.values()
        objects = sum(segment.live_objects for segment in segments)
        return objects, sum(segment.live_pages for segment in segments), len(segments)

    def _is_sound(self, live: LiveSegment) -> bool:
        """Return whether all of a segment can be read."""
        try:
            segment = open_segment(self._site, live)
            deque(segment.read_all_words(), maxlen=0)
            segment.read_objects(range(live.objects))
        except FAULTS:
            return False
        return True

    def _retire(self, live: LiveSegment) -> None:
        del self._segments[live.name]
        self._note_retired(live.name)

    def _note_retired(self, name: str) -> None:
        self._retired.append(Retired(name, rfc3339(datetime.now(UTC))))
        self._is_changed = True

    def _empty_retired(self, due: str) -> None:
        """Empty the files that nobody reads any more: no role of ours may delete them."""
        for retired in self._retired:
            if retired.since <= due:
                self._site.put(segment_key(retired.name), b"", content_type=CONTENT_TYPE)
        self._retired = [retired for retired in self._retired if retired.since > due]

    def _upload(self, segment: LiveSegment) -> None:
        live = msgspec.structs.replace(segment, name=f"{self._next:06}-{segment.name}")
        self._site.upload(self._path, live.key, content_type=CONTENT_TYPE, metadata={})
        self._segments[live.name] = live
        self._next += 1
        self._is_changed = True
        self.written += live.size
