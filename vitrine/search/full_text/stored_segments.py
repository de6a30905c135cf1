"""Segments in the bucket of the site, and their list: what was read last stays in memory."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock

from vitrine.ports import ObjectStore
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.full_text.live_list import LiveList, LiveSegment, load_list
from vitrine.search.full_text.segment import Segment
from vitrine.store.omissions import FAULTS

LIST_SECONDS = 30
"""After which the list is read again."""
JUST_SECONDS = 1
"""A list that is younger is not read again for anybody."""
MAX_BYTES = 128 << 20
"""Bytes that are kept of all segments; then all but their heads is dropped."""
_READS_AT_ONCE = 8


class DamagedSegment(Exception):
    """A segment is lost, or its bytes do not mean what they should."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


@contextmanager
def naming_damage(live: LiveSegment) -> Iterator[None]:
    """Raise what the data of a segment raise in the block as DamagedSegment."""
    try:
        yield
    except FAULTS as error:
        raise DamagedSegment(live.name) from error


class StoredSegments:
    """The segments that answer now."""

    def __init__(self, site: ObjectStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._site = site
        self._clock = clock
        self._lock = Lock()
        self._list = LiveList()
        self._read_at = -float("inf")
        self._kept: dict[str, Segment] = {}
        self._set_aside: set[str] = set()

    def open_all(self) -> list[tuple[LiveSegment, Segment]]:
        """Return all that answer, but for those that were set aside.

        Raises DamagedSegment, TransientError, and UnusableIndex if no segment is left.
        """
        with self._lock:
            if self._clock() - self._read_at >= LIST_SECONDS:
                self._read_list()
            live = [one for one in self._list.segments if one.name not in self._set_aside]
            if self._set_aside and not live:
                raise UnusableIndex("no segment can be read")
            kept = self._kept
            self._open_missing([one for one in live if one.name not in kept], kept)
            self._kept = {one.name: kept[one.name] for one in live}
            if sum(segment.kept_bytes for segment in self._kept.values()) > MAX_BYTES:
                for segment in self._kept.values():
                    segment.forget()
            return [(one, self._kept[one.name]) for one in live]

    def renew_list(self) -> bool:
        """Read the list unless that was just done; return whether it is another one.

        Raises UnusableIndex, TransientError.
        """
        with self._lock:
            if self._clock() - self._read_at < JUST_SECONDS:
                return False
            before = self._list
            self._read_list()
            return self._list != before

    def forget(self) -> None:
        """Read all again when it is asked for."""
        with self._lock:
            self._kept = {}
            self._read_at = -float("inf")

    def set_aside(self, name: str) -> None:
        """Answer without a segment that is damaged, until the list is another one."""
        with self._lock:
            self._set_aside.add(name)

    @property
    def missing(self) -> int:
        """Segments that were set aside."""
        return len(self._set_aside)

    def _read_list(self) -> None:
        before, self._list = self._list, load_list(self._site)[0]
        self._read_at = self._clock()
        if self._list != before:
            self._set_aside = set()

    def _open_missing(self, missing: Sequence[LiveSegment], kept: dict[str, Segment]) -> None:
        if not missing:
            return
        with ThreadPoolExecutor(min(len(missing), _READS_AT_ONCE)) as threads:
            for live, segment in zip(
                missing,
                threads.map(self._open, missing),
                strict=True,
            ):
                kept[live.name] = segment

    def _open(self, live: LiveSegment) -> Segment:
        with naming_damage(live):
            return open_segment(self._site, live)


def open_segment(site: ObjectStore, live: LiveSegment) -> Segment:
    """Return a segment. Raises UnusableIndex, ObjectMissing, TransientError."""
    return Segment(lambda start, length: site.read(live.key, start, length).data, live)
