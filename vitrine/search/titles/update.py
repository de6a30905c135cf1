"""Bringing search and facets up to date: what is published now, next to what the index was made of.

Only what changed is read. The index is then made again as a whole, in a folder, which takes seconds
for 100,000 objects, and only files that differ are written; of the lists of facets only those of
values that a change touched are made. See docs/explanations/the-site.md for the format.
"""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from vitrine.identify.redirects.bulk import Workers
from vitrine.ports import ListedObject, VersionedStore
from vitrine.search.claim import Claim
from vitrine.search.stored_lines import NewLines
from vitrine.search.titles.files import IndexFiles, describe_look, list_written
from vitrine.search.titles.index import TitleIndex
from vitrine.search.titles.rows import Row, make_row
from vitrine.search.titles.stored_state import STATE, StateHead, StoredState, read_state
from vitrine.site.pages.stored_theme import load_theme
from vitrine.store.changed_publications import (
    TextIndexes,
    list_publications,
    pair_rows,
    read_publication,
    text_index_of,
)
from vitrine.store.layout import identifier_of_publication
from vitrine.store.omissions import SEARCH, Omissions
from vitrine.store.site_layout import SEARCH_STATE

CLAIM = f"{SEARCH_STATE}claim.json"
PATIENCE = timedelta(minutes=5)
"""Time for which an update waits for another one to finish."""


@dataclass
class SearchUpdate:
    """What an update found and did."""

    objects: int = 0
    """Objects that can be found."""
    read: int = 0
    """Publications that had changed."""
    written: int = 0
    """Files that differed."""
    left_out: int = 0
    """Objects among what was read that nothing finds until they are published again."""


def update_search(
    site: VersionedStore,
    base: str,
    *,
    everything: bool = False,
    claim: Claim | None = None,
    on_progress: Callable[[int], None] = lambda objects: None,
    texts: TextIndexes | None = None,
) -> SearchUpdate:
    """Write the files of search and facets that differ from what is published.

    `base` is scheme and host of the addresses; with `everything`, all publications are read and all
    files written. In `texts` it notes what the update of the texts would read again. Raises
    TransientError; the next update does what this one did not.
    """
    claim = claim or Claim(site, CLAIM)
    claim.take(PATIENCE)
    finished = False
    try:
        with ExitStack() as stack:
            made = tempfile.TemporaryDirectory(prefix="vitrine-search-")
            folder = Path(stack.enter_context(made))
            workers = stack.enter_context(Workers())
            omissions = stack.enter_context(Omissions(site, SEARCH))
            state = stack.enter_context(NewLines(folder))
            last = read_state(site, folder)
            index = stack.enter_context(TitleIndex(folder))
            update = _TitlesUpdate(
                site, base, everything, claim, workers, omissions, state, last, index, texts
            )
            result = update.run(on_progress)
        finished = True
        return result
    finally:
        claim.release(finished=finished)


class _IndexedObject(NamedTuple):
    """What became of an object since the last update."""

    before: Row | None
    found: Row | None
    was_read: bool = False
    is_left_out: bool = False


class _TitlesUpdate:
    def __init__(
        self,
        site: VersionedStore,
        base: str,
        everything: bool,
        claim: Claim,
        workers: Workers,
        omissions: Omissions,
        state: NewLines,
        last: StoredState,
        index: TitleIndex,
        texts: TextIndexes | None,
    ) -> None:
        self._site = site
        self._base = base
        self._everything = everything
        self._claim = claim
        self._workers = workers
        self._omissions = omissions
        self._state = state
        self._last = last
        self._index = index
        self._texts = {} if texts is None else texts
        self._next = self._last.head.next_number if self._last.head else 0
        self._touched: set[tuple[str, str]] = set()
        """Slugs of facets and values whose lists may differ."""
        self._result = SearchUpdate()

    def run(self, on_progress: Callable[[int], None]) -> SearchUpdate:
        is_state_old = self._gather(on_progress)
        last, theme = self._last.head or StateHead(), load_theme(self._site)
        look = describe_look(theme, self._base)
        is_complete = not (self._everything or self._claim.is_behind or self._last.head is None)
        if is_complete and not is_state_old and look == last.look:
            return self._result
        self._claim.begin_writing()
        files = IndexFiles(self._index, theme, self._base)
        kept = last.digests if is_complete else {}
        touched = self._touched if is_complete and look == last.look else None
        known = last.digests
        if not is_complete:
            # What died while it wrote has noted none of its files, and a state may be lost.
            known = dict.fromkeys(list_written(self._site), "") | known
        digests, self._result.written = files.write(
            self._site, self._workers, kept, known, touched, self._claim.renew
        )
        head = StateHead(look=look, next_number=self._next, digests=digests)
        self._state.store(self._site, STATE, head)
        return self._result

    def _gather(self, on_progress: Callable[[int], None]) -> bool:
        """Add all rows to the index and the next state; return whether any is another one."""
        differs = False
        pairs = pair_rows(
            list_publications(self._site), self._last.rows, lambda row: row.identifier
        )
        for looked in self._workers.map(self._look, pairs):
            self._claim.renew()
            self._result.read += looked.was_read
            self._result.left_out += looked.is_left_out
            before = looked.before
            after = self._number(before, looked.found) if looked.found else None
            differs |= after != before
            if _says(before) != _says(after):
                for row in filter(None, (before, after)):
                    self._touched |= {one.slugs for one in row.facets}
            if after is None:
                continue
            self._state.add(after)
            if after.card:
                self._index.add(after)
                self._result.objects += 1
                on_progress(self._result.objects)
        return differs

    def _look(self, pair: tuple[ListedObject | None, Row | None]) -> _IndexedObject:
        entry, row = pair
        if entry is None:
            if row:
                self._omissions.note_processed(row.identifier)
            return _IndexedObject(row, None)
        if row and row.version == entry.version and not self._everything:
            return _IndexedObject(row, row)
        name = identifier_of_publication(entry.key)
        left_out = Row(name, entry.version)
        made = self._omissions.attempt(name, lambda: self._make_row(name, entry), left_out)
        return _IndexedObject(row, made, was_read=True, is_left_out=made is left_out)

    def _make_row(self, name: str, entry: ListedObject) -> Row | None:
        found = read_publication(self._site, entry)
        if found is None:
            return None
        publication, version = found
        self._texts[name, version] = text_index_of(publication)
        return make_row(name, version, publication, self._base)

    def _number(self, before: Row | None, found: Row) -> Row:
        """Return a row with the number that its identifier had, or with the next one."""
        number = before.number if before else -1
        if found.card and number < 0:
            number, self._next = self._next, self._next + 1
        return found if found.number == number else msgspec.structs.replace(found, number=number)


def _says(row: Row | None) -> object:
    """Return what of a row is in the index."""
    return row and (row.number, row.card, row.words, row.facets, row.collections, row.cell)
