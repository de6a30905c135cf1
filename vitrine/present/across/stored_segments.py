"""Segments in the bucket of the site, and their list: what was read last stays in memory."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from vitrine.ports import ObjectStore
from vitrine.present.across.live_list import LiveList, LiveSegment, load_list
from vitrine.present.across.segment import Segment

LIST_SECONDS = 30
"""After which the list is read again."""
JUST_SECONDS = 1
"""A list that is younger is not read again for anybody."""
MOST_BYTES = 128 << 20
"""Of what is kept of all segments; then all but their heads is dropped."""
_READS_AT_ONCE = 8


class StoredSegments:
    """The segments that answer now."""

    def __init__(self, site: ObjectStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._site = site
        self._clock = clock
        self._lock = Lock()
        self._list = LiveList()
        self._read_at = -float("inf")
        self._kept: dict[str, Segment] = {}

    def open_all(self) -> list[tuple[LiveSegment, Segment]]:
        """Return all that answer. Raises UnusableIndex, ObjectMissing, TransientError."""
        with self._lock:
            if self._clock() - self._read_at >= LIST_SECONDS:
                self._list, _ = load_list(self._site)
                self._read_at = self._clock()
            live, kept = self._list.segments, self._kept
            self._open_missing([one for one in live if one.name not in kept], kept)
            self._kept = {one.name: kept[one.name] for one in live}
            if sum(segment.kept_bytes for segment in self._kept.values()) > MOST_BYTES:
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
            before, self._list = self._list, load_list(self._site)[0]
            self._read_at = self._clock()
            return self._list != before

    def forget(self) -> None:
        """Read all again when it is asked for."""
        with self._lock:
            self._kept = {}
            self._read_at = -float("inf")

    def _open_missing(self, missing: Sequence[LiveSegment], kept: dict[str, Segment]) -> None:
        if not missing:
            return
        with ThreadPoolExecutor(min(len(missing), _READS_AT_ONCE)) as threads:
            for live, segment in zip(
                missing,
                threads.map(lambda live: open_segment(self._site, live), missing),
                strict=True,
            ):
                kept[live.name] = segment


def open_segment(site: ObjectStore, live: LiveSegment) -> Segment:
    """Return a segment. Raises UnusableIndex, ObjectMissing, TransientError."""
    return Segment(lambda start, length: site.read(live.key, start, length).data, live)
