"""The making of a text index, page by page."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from zlib import crc32

import msgspec

from vitrine.errors import TextRefused
from vitrine.search.content.form import (
    MAGIC,
    PREFIX,
    PageBlock,
    RemarkEntry,
    TermBlock,
    TextIndexHead,
    compress,
    pack_terms,
)
from vitrine.search.content.packed_pages import pack_boxes, pack_texts
from vitrine.search.content.packing import pack_positions
from vitrine.search.content.tokens import list_tokens
from vitrine.text.transcription.page_text import PageText

MAX_WORDS = 5_000_000
"""Words of an object; an encyclopaedia of twenty volumes has some two million a volume."""
PAGE_BLOCK_WORDS = 2_000
"""After which a block of pages ends: some five pages of a book."""
TERM_BLOCK_BYTES = 16 << 10
"""Bytes of positions after which a block of terms ends."""
TERM_BLOCK_WORDS = 1_024


def build_index(
    pages: Iterable[PageText], remarks: Iterable[tuple[RemarkEntry, PageText]] = ()
) -> bytes:
    """Return the text index of an object; b"" if none of its pages has a word.

    `pages` are those of its canvases, in order; one without words for a canvas without a text.
    `remarks` are asked for after them, each with its words. Raises TextRefused for an object with
    too many words.
    """
    entries: list[RemarkEntry] = []
    positions: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    wholes: list[int] = []
    starts = [0]
    blocks: list[PageBlock] = []
    bodies: list[bytes] = []
    gathered: list[PageText] = []
    words = position = 0
    for number, page in enumerate(chain(pages, _note(remarks, entries))):
        position = _add_page(page, position, positions, wholes)
        starts.append(position)
        gathered.append(page)
        words += sum(len(line.words) for line in page.lines)
        if position > MAX_WORDS:
            raise TextRefused("words", f"its pages have more than {MAX_WORDS:,} words")
        if words >= PAGE_BLOCK_WORDS:
            blocks.append(_add_block(number + 1 - len(gathered), gathered, bodies))
            gathered, words = [], 0
    if not positions:
        return b""
    if gathered:
        blocks.append(_add_block(len(starts) - 1 - len(gathered), gathered, bodies))
    terms, term_bodies = _pack_all_terms(positions)
    head = TextIndexHead(
        pack_positions(starts), terms, tuple(blocks), tuple(entries), pack_positions(wholes)
    )
    packed = compress(msgspec.msgpack.encode(head))
    prefix = PREFIX.pack(MAGIC, len(packed), crc32(packed))
    return b"".join([prefix, packed, *term_bodies, *bodies])


def _note(
    remarks: Iterable[tuple[RemarkEntry, PageText]], entries: list[RemarkEntry]
) -> Iterator[PageText]:
    """Yield the words of each annotation that has some, and note what it is."""
    for entry, page in remarks:
        if page.lines:
            entries.append(entry)
            yield page


def _add_page(
    page: PageText, position: int, positions: defaultdict[str, "array[int]"], wholes: list[int]
) -> int:
    """Add the words of a page; return the position of the next page's first."""
    lines = ([word.text for word in line.words] for line in page.lines)
    for token in list_tokens(lines):
        positions[token.text].append(position)
        if token.is_whole:
            wholes.append(position)
        position += 1
    return position + 1


def _add_block(first: int, pages: list[PageText], bodies: list[bytes]) -> PageBlock:
    texts, boxes = compress(pack_texts(pages)), compress(pack_boxes(pages))
    bodies += [texts, boxes]
    return PageBlock(first, len(texts), len(boxes), crc32(texts + boxes))


def _pack_all_terms(
    positions: "dict[str, array[int]]",
) -> tuple[tuple[TermBlock, ...], list[bytes]]:
    """Return the blocks of terms, and their bytes."""
    blocks: list[TermBlock] = []
    bodies: list[bytes] = []
    words: list[str] = []
    ends: list[int] = []
    packed = bytearray()

    def end_block() -> None:
        names = pack_terms(words, ends)
        checksum = crc32(packed, crc32(names))
        blocks.append(TermBlock(words[0], len(names), len(packed), checksum))
        bodies.extend([names, bytes(packed)])
        words.clear()
        ends.clear()
        packed.clear()

    for word in sorted(positions):
        packed += pack_positions(positions[word])
        words.append(word)
        ends.append(len(packed))
        if len(packed) >= TERM_BLOCK_BYTES or len(words) >= TERM_BLOCK_WORDS:
            end_block()
    if words:
        end_block()
    return tuple(blocks), bodies
