"""Bringing the index of all pages up to date: what is published now, next to what answers.

Objects that are new or have other words become a segment of their own, older ones are marked
as dead, and the list is replaced; only then, segments are joined. Each step leaves an index that
answers, so the next update continues one that died.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from vitrine.identify.redirects.bulk import Workers
from vitrine.ports import ListedObject, VersionedStore
from vitrine.search.claim import Claim
from vitrine.search.content.text_index import TextIndex
from vitrine.search.full_text.form import IndexedObject
from vitrine.search.full_text.gather import Gathered
from vitrine.search.full_text.index_writer import IndexWriter, SegmentPlace
from vitrine.search.stored_lines import NewLines, read_lines
from vitrine.store.changed_publications import (
    TextIndexes,
    list_publications,
    pair_rows,
    read_publication,
    text_index_of,
)
from vitrine.store.layout import identifier_of_publication, text_index_key
from vitrine.store.omissions import TEXT_SEARCH, Omissions
from vitrine.store.site_layout import FULL_TEXT

CLAIM = f"{FULL_TEXT}claim.json"
KNOWN = f"{FULL_TEXT}known.jsonl.gz"
"""Names of text indexes by publication, so that only changed ones are read."""
PATIENCE = timedelta(minutes=5)
"""Time for which an update waits for another one to finish."""
MAX_SECONDS = 600
"""After which an update begins nothing more: a Lambda lives for 900."""
BATCH_PAGES = 16_384
"""Pages of a new segment, about: they are in memory together."""
_INDEXES_AT_ONCE = 2
"""Whole text indexes are read, some of them ahead: they are in memory together."""
T = TypeVar("T")


@dataclass
class FullTextUpdate:
    """What an update found and did."""

    objects: int = 0
    """Objects that can be found."""
    pages: int = 0
    """Theirs."""
    read: int = 0
    """Publications that had changed, or that no update had read."""
    added: int = 0
    """Objects whose words are new."""
    removed: int = 0
    """Objects that cannot be found any more."""
    left_out: int = 0
    """Objects of which the publication or the text index is missing or damaged."""
    segments: int = 0
    """Segments that answer now."""
    written: int = 0
    """Bytes of segments."""
    is_complete: bool = True
    """False if there was no time for all; the next update goes on."""

    @property
    def has_advanced(self) -> bool:
        """Return True if the next update has less to do."""
        return bool(self.read or self.added or self.removed or self.written)


def update_full_text(
    site: VersionedStore,
    *,
    everything: bool = False,
    claim: Claim | None = None,
    most_seconds: float = MAX_SECONDS,
    on_progress: Callable[[int], None] = lambda objects: None,
    texts: TextIndexes | None = None,
) -> FullTextUpdate:
    """Let the pages of all objects be found that are published, and of no others.

    With `everything`, all text indexes are read, and all publications that `texts` does not have,
    which the update of titles noted. Waiting for another update
    counts. Raises TransientError; the next update does what this one did not.
    """
    end = time.monotonic() + most_seconds
    claim = claim or Claim(site, key=CLAIM)
    claim.take(timedelta(seconds=min(PATIENCE.total_seconds(), most_seconds)))
    try:
        with ExitStack() as stack:
            made = tempfile.TemporaryDirectory(prefix="vitrine-across-")
            folder = Path(stack.enter_context(made))
            omissions = stack.enter_context(Omissions(site, TEXT_SEARCH))
            update = _FullTextUpdate(
                site, folder, claim, omissions, end, everything, {} if texts is None else texts
            )
            return update.run(on_progress)
    finally:
        claim.release(finished=True)


class KnownIndex(msgspec.Struct, frozen=True, array_like=True):
    """What one version of a publication says, as it is kept."""

    identifier: str
    version: str
    """Version of the publication, in the bucket."""
    index: str = ""
    """Name of its text index; empty: it has none."""


@dataclass(frozen=True, slots=True)
class _Change:
    """An object whose words are to be added."""

    named: IndexedObject
    replaced: SegmentPlace | None
    """Place from which it answers until now."""


class _FullTextUpdate:
    def __init__(
        self,
        site: VersionedStore,
        folder: Path,
        claim: Claim,
        omissions: Omissions,
        end: float,
        everything: bool,
        texts: TextIndexes,
    ) -> None:
        self._site = site
        self._texts = texts
        self._folder = folder
        self._claim = claim
        self._omissions = omissions
        self._end = end
        self._everything = everything
        self._index = IndexWriter(site, folder)
        self._result = FullTextUpdate()
        self._left_out: set[str] = set()

    def run(self, on_progress: Callable[[int], None]) -> FullTextUpdate:
        self._index.retire_lost()
        changes = self._compare()
        self._index.commit()
        self._add(changes, on_progress)
        while self._is_in_time() and self._index.merge():
            pass
        result = self._result
        result.objects, result.pages, result.segments = self._index.counts()
        result.written = self._index.written
        result.left_out = len(self._left_out)
        return result

    def _is_in_time(self) -> bool:
        self._result.is_complete &= time.monotonic() < self._end
        return self._result.is_complete

    def _compare(self) -> list[_Change]:
        """Mark what is not published any more as dead; return what is new.

        What there is no time to look at stays as it was, and what was read is kept.
        """
        answering = self._index.places()
        changes: list[_Change] = []
        gone: list[SegmentPlace] = []
        differs = False
        with Workers() as workers, NewLines(self._folder) as kept:
            pairs = pair_rows(
                self._in_time(list_publications(self._site)),
                iter(()) if self._everything else self._read_known(),
                lambda known: known.identifier,
            )
            for before, known in workers.map(self._look, pairs):
                self._claim.renew()
                differs |= known != before
                self._result.read += known is not before
                if known is None:
                    continue
                kept.add(known)
                place = answering.pop(known.identifier, None)
                if place and place.index == known.index and not self._everything:
                    continue
                if known.index:
                    named = IndexedObject(known.identifier, known.index)
                    changes.append(_Change(named, place))
                elif place:
                    gone.append(place)
            if differs:
                kept.store(self._site, KNOWN)
        if self._is_in_time():
            gone += answering.values()
        for place in gone:
            self._index.bury(place)
        self._result.removed = len(gone)
        return changes

    def _read_known(self) -> Iterator[KnownIndex]:
        decode = msgspec.json.Decoder(KnownIndex).decode
        return read_lines(self._site, KNOWN, self._folder, decode)

    def _look(
        self, pair: tuple[ListedObject | None, KnownIndex | None]
    ) -> tuple[KnownIndex | None, KnownIndex | None]:
        """Return what was known of a publication, and what it says now."""
        entry, known = pair
        if time.monotonic() >= self._end:
            return known, known
        if entry is None:
            if known:
                self._omissions.note_processed(known.identifier)
            return known, None
        if known and known.version == entry.version and not self._everything:
            return known, known
        name = identifier_of_publication(entry.key)
        left_out = KnownIndex(name, entry.version)
        found = self._omissions.attempt(name, lambda: self._find_index(name, entry), left_out)
        if found is left_out:
            self._left_out.add(name)
        return known, found

    def _find_index(self, name: str, entry: ListedObject) -> KnownIndex | None:
        noted = self._texts.get((name, entry.version))
        if noted is not None:
            return KnownIndex(name, entry.version, noted)
        found = read_publication(self._site, entry)
        if found is None:
            return None
        publication, version = found
        return KnownIndex(name, version, text_index_of(publication))

    def _add(self, changes: Iterable[_Change], on_progress: Callable[[int], None]) -> None:
        gathered, replaced = Gathered(), list[SegmentPlace]()

        def end_batch() -> None:
            self._index.add(gathered)
            for place in replaced:
                self._index.bury(place)
            self._index.commit()
            self._result.added += len(gathered.objects)
            on_progress(self._result.added)

        with Workers(_INDEXES_AT_ONCE) as workers:
            for change, index in workers.map(self._open, self._in_time(changes)):
                self._claim.renew()
                if not (index and self._gather(gathered, change, index)):
                    self._left_out.add(change.named.identifier)
                    continue
                if change.replaced:
                    replaced.append(change.replaced)
                if gathered.pages >= BATCH_PAGES:
                    end_batch()
                    gathered, replaced = Gathered(), []
        if gathered.objects:
            end_batch()

    def _in_time(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            if not self._is_in_time():
                return
            yield item

    def _open(self, change: _Change) -> tuple[_Change, TextIndex | None]:
        """Return the text index of an object; None if it is missing or damaged."""
        name = change.named.identifier

        def read() -> TextIndex:
            body, _ = self._site.get(text_index_key(name, change.named.index))
            return TextIndex(lambda start, length: body[start : start + length])

        return change, self._omissions.attempt(name, read, None)

    def _gather(self, gathered: Gathered, change: _Change, index: TextIndex) -> bool:
        def add() -> bool:
            gathered.add(change.named, index)
            return True

        return self._omissions.attempt(change.named.identifier, add, False)
