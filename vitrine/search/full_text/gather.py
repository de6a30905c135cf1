"""The words of some objects, gathered from their text indexes into one segment."""

from array import array
from collections import defaultdict
from collections.abc import Iterator

from vitrine.search.content.text_index import TextIndex
from vitrine.search.full_text.form import IndexedObject
from vitrine.search.full_text.postings import Posting, pack_posting
from vitrine.search.full_text.segment_writer import PlacedObject, count_page_numbers


class Gathered:
    """Objects in memory that become a segment."""

    def __init__(self) -> None:
        self.objects: list[PlacedObject] = []
        self.pages = 0
        self._pages: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))

    def add(self, named: IndexedObject, index: TextIndex) -> None:
        """Add an object. Raises UnusableIndex, and what reading raises; then nothing is added."""
        words = list(index.words(self.pages))
        for word, pages in words:
            self._pages[word].extend(pages)
        self.objects.append(PlacedObject(named, self.pages, index.page_count))
        self.pages += index.page_count

    def postings(self) -> Iterator[Posting]:
        """Yield all words in order."""
        total = count_page_numbers(self.objects)
        for word in sorted(self._pages):
            yield pack_posting(word, self._pages[word], total)
