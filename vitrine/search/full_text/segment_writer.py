"""The making of a segment's file: postings in the order of their words are written as they come."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO
from zlib import crc32

from vitrine.search.content.packing import pack_column
from vitrine.search.full_text.form import (
    BLOCK_BYTES,
    BLOCK_OBJECTS,
    MAGIC,
    IndexedObject,
    SegmentHead,
    compress,
    pack_words,
    seal,
)
from vitrine.search.full_text.live_list import LiveSegment
from vitrine.search.full_text.postings import Posting, align

COLUMN_BYTES = 6
"""Bytes that the columns of a word take in a block, about."""
_NAME_DIGITS = 16


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """An object with its pages in a segment."""

    named: IndexedObject
    first_page: int
    pages: int


def count_page_numbers(objects: Sequence[PlacedObject]) -> int:
    """Return the page numbers of a segment with these objects."""
    return align(objects[-1].first_page + objects[-1].pages) if objects else 0


def write_segment(
    file: BinaryIO, objects: Sequence[PlacedObject], postings: Iterable[Posting]
) -> LiveSegment:
    """Write a segment into an empty file; return what the list says of it."""
    writer = _PostingsWriter(file)
    gathered: list[Posting] = []
    size = 0
    for posting in postings:
        gathered.append(posting)
        size += len(posting.word) + len(posting.packed) + COLUMN_BYTES
        if size >= BLOCK_BYTES:
            writer.add_words(gathered)
            gathered, size = [], 0
    if gathered:
        writer.add_words(gathered)
    for start in range(0, len(objects), BLOCK_OBJECTS):
        writer.add(compress([one.named for one in objects[start : start + BLOCK_OBJECTS]]))
    return writer.finish(objects)


class _PostingsWriter:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._first_words: list[str] = []
        self._sizes: list[int] = []
        self._checksums: list[int] = []
        self._end = 0
        self._write(MAGIC)

    def _write(self, body: bytes) -> None:
        self._end += self._file.write(body)
        self._digest.update(body)

    def add_words(self, postings: Sequence[Posting]) -> None:
        self._first_words.append(postings[0].word)
        self.add(pack_words(postings))

    def add(self, block: bytes) -> None:
        self._sizes.append(len(block))
        self._checksums.append(crc32(block))
        self._write(block)

    def finish(self, objects: Sequence[PlacedObject]) -> LiveSegment:
        head = SegmentHead(
            total=count_page_numbers(objects),
            first_words="\n".join(self._first_words),
            sizes=pack_column(self._sizes),
            checksums=tuple(self._checksums),
            first_pages=pack_column([one.first_page for one in objects]),
            page_counts=pack_column([one.pages for one in objects]),
        )
        start = self._end
        self._write(seal(compress(head)))
        return LiveSegment(
            name=self._digest.hexdigest()[:_NAME_DIGITS],
            head=start,
            size=self._end,
            objects=len(objects),
            pages=sum(one.pages for one in objects),
        )
