"""The other form: titles in one segment of the search in all pages, as a Lambda would read it.

A page stands for each level of an object: short title, long title, elsewhere. A word that is not
its own stem is a term with its stem behind it.
"""

import json
import math
import time
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO
from zlib import crc32

import brotli
import msgspec

from loadtest.studies.search_forms.form_figures import Answer
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.ports import ObjectInfo, ObjectPart
from vitrine.search.content.packing import pack_column, unpack_column
from vitrine.search.content.query import Term
from vitrine.search.content.ranged_blocks import RangedBlocks
from vitrine.search.full_text.form import QUALITY, IndexedObject, compress, decompress
from vitrine.search.full_text.live_list import LIST, LiveList, LiveSegment, store_list
from vitrine.search.full_text.postings import Posting, pack_posting, unpack_pages
from vitrine.search.full_text.segment import Segment
from vitrine.search.full_text.segment_writer import (
    PlacedObject,
    count_page_numbers,
    write_segment,
)
from vitrine.search.full_text.stored_segments import StoredSegments
from vitrine.search.full_text.update import KnownIndex
from vitrine.search.titles.rows import LEVELS, Row
from vitrine.search.titles.words import IGNORED
from vitrine.site.pages.cards import Card
from vitrine.text.folding import split_words

CARDS, SHOWN = 64, 20
# As in site/search/index.js.
_WEIGHTS = (6, 3, 1)
_BEGINNING, _MIN_BEGINNING_LENGTH = 0.4, 3
_FORM_OF = "\t"
"""Between a word and its stem."""
_CARDS, _CARD_BLOCKS = "cards", "card-blocks"


class _CardBlocks(msgspec.Struct, array_like=True):
    sizes: bytes
    checksums: tuple[int, ...]


class _CountedStore(MemoryObjectStore):
    """Counts what is read of it."""

    def __init__(self) -> None:
        super().__init__()
        self.read_keys: list[tuple[str, int]] = []

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        body, info = super().get(key)
        self.read_keys.append((key, len(body)))
        return body, info

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        self.read_keys.append((key, length))
        return super().read(key, start, length, version=version, if_etag=if_etag)


class TitleSegment:
    """A segment with the cards of its objects next to it, in a store in memory."""

    def __init__(self) -> None:
        self._store = _CountedStore()
        self._pages: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self._forms: set[str] = set()
        self._objects: list[PlacedObject] = []
        self._card_sizes: list[int] = []
        self._checksums: list[int] = []
        self._card_file = bytearray()
        self._cards: list[Card] = []
        self.cpu_seconds = 0.0
        self.bytes = self.card_bytes = self.list_bytes = 0

    def add(self, row: Row) -> None:
        """Add an object; the first one has the least number."""
        began = time.process_time()
        assert row.card
        first = len(LEVELS) * len(self._objects)
        levels: dict[str, int] = {}
        for word, stem, level in row.words:
            levels[stem] = min(level, levels.get(stem, level))
            if word != stem:
                self._forms.add(f"{word}{_FORM_OF}{stem}")
        for one in row.facets:
            levels[":".join(one.slugs)] = 0
        for term, level in levels.items():
            self._pages[term].append(first + level)
        self._objects.append(
            PlacedObject(IndexedObject(row.identifier, row.version), first, len(LEVELS))
        )
        self._cards.append(row.card)
        if len(self._cards) == CARDS:
            self._end_cards()
        self.cpu_seconds += time.process_time() - began

    def _end_cards(self) -> None:
        block = compress(self._cards)
        self._card_sizes.append(len(block))
        self._checksums.append(crc32(block))
        self._card_file += block
        self._cards = []

    def write(self) -> None:
        """Write segment, list and cards."""
        began = time.process_time()
        self._end_cards()
        file = BytesIO()
        live = write_segment(file, self._objects, self._list_postings())
        self._store.put(live.key, file.getvalue(), content_type="")
        store_list(self._store, LiveList(segments=(live,)), "")
        blocks = compress(_CardBlocks(pack_column(self._card_sizes), tuple(self._checksums)))
        self._store.put(_CARDS, bytes(self._card_file), content_type="")
        self._store.put(_CARD_BLOCKS, blocks, content_type="")
        self.bytes, self.list_bytes = live.size, self._store.head(LIST).size
        self.card_bytes = len(self._card_file) + len(blocks)
        self.cpu_seconds += time.process_time() - began

    def _list_postings(self) -> Iterator[Posting]:
        total = count_page_numbers(self._objects)
        for term in sorted(self._pages.keys() | self._forms):
            yield pack_posting(term, self._pages.get(term) or [0], total)

    def known(self) -> Iterator[KnownIndex]:
        """Yield what an update keeps for the next one."""
        for one in self._objects:
            yield KnownIndex(one.named.identifier, one.named.index)

    def ask(self, visits: Sequence[Sequence[str]]) -> list[list[Answer]]:
        """Return the answers of each visit, a list of queries to one process."""
        return [
            [reader.ask(query) for query in visit]
            for visit in visits
            for reader in [_Reader(self._store)]
        ]


class _Reader:
    """A process that answers."""

    def __init__(self, store: _CountedStore) -> None:
        self._store = store
        self._segments = StoredSegments(store)
        self._card_blocks: RangedBlocks | None = None

    def ask(self, query: str) -> Answer:
        """Return the best objects with all words of a query, as site/search/index.js does."""
        self._store.read_keys.clear()
        began = time.process_time()
        words = list(dict.fromkeys(one for one in split_words(query) if one not in IGNORED))
        found = self._find(words) if words else []
        shown = self._read_cards(found[:SHOWN])
        sent = brotli.compress(json.dumps(shown).encode(), quality=QUALITY)
        cpu, keys = time.process_time() - began, self._store.read_keys
        return Answer(
            found=found,
            cpu_ms=1000 * cpu,
            requests=len(keys),
            card_requests=sum(key == _CARDS for key, _ in keys),
            bytes=sum(size for _, size in keys),
            browser_bytes=len(sent),
        )

    def _find(self, words: Sequence[str]) -> list[int]:
        [(live, segment)] = self._segments.open_all()
        scores = [
            _score(segment, live, word, is_last=place == len(words) - 1)
            for place, word in enumerate(words)
        ]
        scores.sort(key=len)
        common = [one for one in scores[0] if all(one in other for other in scores[1:])]
        return sorted(
            common, key=lambda one: (-round(1000 * sum(score[one] for score in scores)), one)
        )

    def _read_cards(self, numbers: Sequence[int]) -> list[object]:
        if self._card_blocks is None:
            known = decompress(self._store.get(_CARD_BLOCKS)[0], _CardBlocks)
            sizes = unpack_column(known.sizes)
            self._card_blocks = RangedBlocks(
                lambda start, length: self._store.read(_CARDS, start, length).data,
                0,
                sizes,
                known.checksums,
            )
        blocks = sorted({number // CARDS for number in numbers})
        bodies = dict(zip(blocks, self._card_blocks.read(blocks), strict=True))
        cards = {block: decompress(body, list[Card]) for block, body in bodies.items()}
        return [msgspec.to_builtins(cards[one // CARDS][one % CARDS]) for one in numbers]


def _score(segment: Segment, live: LiveSegment, word: str, *, is_last: bool) -> dict[int, float]:
    """Return what a word counts in each object, by its number."""
    exact = _find_stems(segment, f"{word}{_FORM_OF}") | {word}
    weighed = [(stem, 1.0) for stem in exact]
    if is_last and len(word) >= _MIN_BEGINNING_LENGTH:
        weighed += [(stem, _BEGINNING) for stem in _find_stems(segment, word) - exact]
    terms = [Term(stem) for stem, _ in weighed]
    segment.read_blocks(sorted({number for term in terms for number in segment.blocks_of(term)}))
    scores: dict[int, float] = {}
    for term, (_, weight) in zip(terms, weighed, strict=True):
        for posting in segment.read_term(term):
            rarity = math.log(1 + live.objects / posting.count)
            counted = [weight * rarity * level for level in _WEIGHTS]
            for page in unpack_pages(posting, segment.total):
                number, level = divmod(page, len(LEVELS))
                scores[number] = max(scores.get(number, 0.0), counted[level])
    return scores


def _find_stems(segment: Segment, beginning: str) -> set[str]:
    """Return the stems of the words with a beginning, but for values of facets."""
    words = (one.word for one in segment.read_term(Term(beginning, is_beginning=True)))
    return {word.rpartition(_FORM_OF)[2] for word in words if ":" not in word}
