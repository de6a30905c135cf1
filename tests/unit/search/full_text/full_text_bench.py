"""Segments in memory, made of small objects."""

from bisect import bisect_right
from collections.abc import Iterable
from io import BytesIO
from typing import Any

from tests.unit.search.content.content_bench import Reads
from tests.unit.search.content.scan import Scan
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.search.content.build import build_index
from vitrine.search.content.form import RemarkEntry
from vitrine.search.content.query import parse_query
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.content.text_index import TextIndex
from vitrine.search.full_text.form import IndexedObject
from vitrine.search.full_text.gather import Gathered
from vitrine.search.full_text.live_list import SEGMENTS, LiveSegment
from vitrine.search.full_text.merge import merge_segments
from vitrine.search.full_text.postings import unpack_pages
from vitrine.search.full_text.search import FoundObjects, FullTextSearch
from vitrine.search.full_text.segment import Segment
from vitrine.search.full_text.segment_writer import write_segment
from vitrine.search.full_text.update import FullTextUpdate, update_full_text
from vitrine.store.layout import publication_key, text_index_key
from vitrine.store.publications import (
    Publication,
    Published,
    Withdrawn,
    decode_publication,
    encode_publication,
)
from vitrine.text.transcription.page_text import PageText

Opened = tuple[LiveSegment, Segment]


def segment_of(**objects: list[PageText]) -> Opened:
    """Return a segment of some objects with their pages."""
    gathered = Gathered()
    for identifier, pages in objects.items():
        named = IndexedObject(identifier, f"index-of-{identifier}")
        gathered.add(named, TextIndex(Reads(build_index(pages))))
    file = BytesIO()
    live = write_segment(file, gathered.objects, gathered.postings())
    return live, Segment(Reads(file.getvalue()), live)


def merge(*segments: Opened) -> Opened:
    """Return the segment that some become."""
    file = BytesIO()
    live = merge_segments(file, segments)
    assert live
    return live, Segment(Reads(file.getvalue()), live)


def words_by_page(opened: Opened) -> dict[tuple[str, int], set[str]]:
    """Return the words of each page of all objects, by identifier and number."""
    live, segment = opened
    named = segment.read_objects(range(live.objects))
    pages = {
        first + page: (named[number].identifier, page)
        for number, (first, count) in enumerate(
            zip(segment.first_pages, segment.page_counts, strict=True)
        )
        for page in range(count)
    }
    found: dict[tuple[str, int], set[str]] = {}
    for posting in segment.read_all_words():
        numbers = unpack_pages(posting, segment.total)
        assert len(numbers) == posting.count
        for number in numbers:
            found.setdefault(pages[number], set()).add(posting.word)
    return found


class Library:
    """Objects with texts that are published, and the index of all their pages."""

    def __init__(self) -> None:
        self.site = MemoryObjectStore()
        self.texts: dict[str, list[PageText]] = {}
        self.full_text = FullTextSearch(self.site, StoredIndexes(self.site))
        self._names = 0
        self._scans: dict[str, tuple[list[PageText], Scan]] = {}

    def publish(
        self,
        identifier: str,
        *pages: PageText,
        remarks: Iterable[tuple[RemarkEntry, PageText]] = (),
    ) -> str:
        """Publish an object with its pages; return the name of its text index, "" for none."""
        index = build_index(pages, remarks)
        self._names += 1
        name = f"{self._names:016x}" if index else ""
        if index:
            self.site.put(text_index_key(identifier, name), index, content_type="x/y")
        self._write(
            identifier, Published(revision=1, kind="manifest", documents={}, text_index=name)
        )
        self.texts[identifier] = list(pages)
        return name

    def withdraw(self, identifier: str) -> None:
        """Take an object off the web."""
        self._write(identifier, Withdrawn(revision=2, reason="", since=""))
        self.texts.pop(identifier, None)

    def _write(self, identifier: str, publication: Publication) -> None:
        body = encode_publication(publication)
        self.site.put(publication_key(identifier), body, content_type="x/y")

    def segments(self) -> list[str]:
        """Return the keys of all segments, live or replaced."""
        entries = self.site.list_keys(SEGMENTS).entries
        return [one.key for one in entries if one.key.startswith(SEGMENTS)]

    def admit(self, identifier: str, name: str) -> bool:
        """Return whether the name is that of what is published."""
        body, _ = self.site.get(publication_key(identifier))
        publication = decode_publication(body)
        return isinstance(publication, Published) and publication.text_index == name

    def update(self, **options: Any) -> FullTextUpdate:
        """Bring the index up to date, as a process does that answers nothing."""
        result = update_full_text(self.site, **options)
        self.restart()
        return result

    def restart(self) -> None:
        """Forget all that was read."""
        self.full_text = FullTextSearch(self.site, StoredIndexes(self.site))

    def find(self, query: str, start: int = 0) -> FoundObjects:
        """Return an answer."""
        return self.full_text.find(parse_query(query), start, self.admit)

    def find_all(self, query: str) -> list[tuple[str, int]]:
        """Return all objects that a query finds with their pages, as they are ranked."""
        items, start = [], 0
        while True:
            found = self.find(query, start)
            items += [(one.identifier, one.pages) for one in found.items]
            start = found.next
            if not start:
                return items

    def scan_all(self, query: str) -> dict[str, int]:
        """Return what `find_all` has to find, by reading everything."""
        for identifier, pages in self.texts.items():
            if identifier not in self._scans or self._scans[identifier][0] is not pages:
                self._scans[identifier] = pages, Scan(pages)
        scans = {identifier: self._scans[identifier][1] for identifier in self.texts}
        found = {
            identifier: {bisect_right(scan.starts, begin) for begin, _ in scan.find(query)}
            for identifier, scan in scans.items()
        }
        return {identifier: len(pages) for identifier, pages in found.items() if pages}
