"""The form of a segment: what the bytes of its file mean.

First the magic, then blocks of words, blocks of objects, and the head, of which the list of
segments says where it begins. A block of words has some of them in order, with the pages of each;
pages are counted through all objects of the segment. A block of objects has their identifiers and
the names of their text indexes. Everything is compressed by Brotli.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TypeVar
from zlib import crc32

import brotli
import msgspec

from vitrine.search.content.packing import pack_column, unpack_column
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.full_text.postings import Posting

FORM = 1
"""Version of the format of segments and of their list; another one is not read."""
MAGIC = b"VTS1"
CONTENT_TYPE = "application/octet-stream"
QUALITY = 5
"""Quality of Brotli, 0 to 11: segments are written more often than a text index."""
BLOCK_BYTES = 48 << 10
"""After which a block of words ends, before it is compressed."""
BLOCK_OBJECTS = 256
T = TypeVar("T")
_BEHIND_ALL = "\U0010ffff" * 2


class WordBlock(msgspec.Struct, frozen=True, array_like=True):
    """Some words in order: columns of what postings say."""

    words: str
    """Separated by line feeds."""
    counts: bytes
    firsts: bytes
    spans: bytes
    sizes: bytes
    """Bytes of each word's pages."""
    packed: bytes
    """All pages."""


class IndexedObject(msgspec.Struct, frozen=True, array_like=True):
    """An object of a segment."""

    identifier: str
    index: str
    """Name of the text index that its words are from."""


class SegmentHead(msgspec.Struct, frozen=True, array_like=True):
    """What is known of a segment before any word of it is read."""

    total: int
    """Page numbers, an aligned number; some may be no page."""
    first_words: str
    """First word of each block of words, separated by line feeds."""
    sizes: bytes
    """Bytes of each block: those of words, then those of objects."""
    checksums: tuple[int, ...]
    """CRC-32 of each block."""
    first_pages: bytes
    """First page of each object."""
    page_counts: bytes
    """Number of pages of each object."""


def pack_words(postings: Sequence[Posting]) -> bytes:
    """Return a block of words."""
    block = WordBlock(
        "\n".join(posting.word for posting in postings),
        pack_column([posting.count for posting in postings]),
        pack_column([posting.first for posting in postings]),
        pack_column([posting.span for posting in postings]),
        pack_column([len(posting.packed) for posting in postings]),
        b"".join(posting.packed for posting in postings),
    )
    return compress(block)


def unpack_words(body: bytes, first: str = "", end: str = _BEHIND_ALL) -> Iterator[Posting]:
    """Yield what `pack_words` was given, from a word up to one that is not among them.

    Raises UnusableIndex.
    """
    block = decompress(body, WordBlock)
    words, sizes = block.words.split("\n"), unpack_column(block.sizes)
    begin, stop = bisect_left(words, first), bisect_left(words, end)
    place = sum(sizes[:begin])
    for word, count, page, span, size in zip(
        words[begin:stop],
        unpack_column(block.counts)[begin:stop],
        unpack_column(block.firsts)[begin:stop],
        unpack_column(block.spans)[begin:stop],
        sizes[begin:stop],
        strict=True,
    ):
        yield Posting(word, count, page, span, block.packed[place : place + size])
        place += size


def compress(body: msgspec.Struct | Sequence[msgspec.Struct]) -> bytes:
    """Return something as blocks and heads have it."""
    packed: bytes = brotli.compress(msgspec.msgpack.encode(body), quality=QUALITY)
    return packed


def decompress(body: bytes, kind: type[T]) -> T:
    """Return what `compress` was given. Raises UnusableIndex."""
    try:
        return msgspec.msgpack.decode(brotli.decompress(body), type=kind)
    except (brotli.error, msgspec.DecodeError) as error:
        raise UnusableIndex(str(error)) from None


def seal(body: bytes) -> bytes:
    """Return bytes with their checksum before them."""
    return crc32(body).to_bytes(4) + body


def unseal(body: bytes) -> bytes:
    """Return what `seal` was given. Raises UnusableIndex."""
    if len(body) < 4 or seal(body[4:]) != body:
        raise UnusableIndex("its checksum is another one")
    return body[4:]
