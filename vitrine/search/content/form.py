"""The form of a text index: what its bytes mean.

First the magic, length and checksum of the head, then the head, the blocks of terms, and the
blocks of pages. A block of terms has some words in order, and all their positions; a block of pages
has the texts and boxes of some pages. The head says where each is and its checksum, so that a query
reads the few it needs.

Positions count the words of the whole object. Between two pages one is left out, so that nothing
that follows a page's last word is next to it. A word that a hyphen divides at the end of a line has
three positions, one for the whole word and one for each part (`tokens.py`). Behind the pages of all
canvases, each annotation that is not the text of one has a page of its own, of which the head says
what it is of.
"""

import struct
from collections.abc import Iterable, Sequence
from hashlib import sha256

import brotli
import msgspec

from vitrine.search.content.packing import pack_positions, unpack_positions

FORM = 3
"""Version of the file's format; indexes of another one have another name."""
MAGIC = b"VTX2"
PREFIX = struct.Struct("<4sII")
"""Magic, length and checksum of the head."""
QUALITY = 9
"""Quality of Brotli, 0 to 11."""
CONTENT_TYPE = "application/octet-stream"
_NAME_DIGITS = 16


class TermBlock(msgspec.Struct, frozen=True, array_like=True):
    """Some words in order, and their positions right after them."""

    first: str
    """The first of the words."""
    words: int
    """Bytes of the words, compressed."""
    positions: int
    """Bytes of their positions."""
    checksum: int
    """CRC-32 of both."""

    @property
    def size(self) -> int:
        """Bytes of the block."""
        return self.words + self.positions


class PageBlock(msgspec.Struct, frozen=True, array_like=True):
    """Some pages, each with all of its words."""

    first: int
    """The first of the pages, from 0."""
    texts: int
    """Bytes of the texts, compressed."""
    boxes: int
    """Bytes of the boxes, compressed, right after the texts."""
    checksum: int
    """CRC-32 of both."""

    @property
    def size(self) -> int:
        """Bytes of the block."""
        return self.texts + self.boxes


class RemarkEntry(msgspec.Struct, frozen=True, array_like=True):
    """An annotation that has a page of its own."""

    canvas: int
    """From 0."""
    name: str
    """On its canvas."""
    motivations: tuple[str, ...]


class TextIndexHead(msgspec.Struct, frozen=True, array_like=True):
    """What is known of an object before any word of it is read."""

    starts: bytes
    """Packed: the position of each page's first word, and the one after the last page's end."""
    terms: tuple[TermBlock, ...]
    pages: tuple[PageBlock, ...]
    remarks: tuple[RemarkEntry, ...]
    """Annotations, each of which is one of the last pages."""
    wholes: bytes
    """Packed: the positions of divided words as a whole."""


def index_name(texts: Iterable[str]) -> str:
    """Return the name of a text index: 16 hex digits that depend on its form and its texts.

    `texts` has one string for each canvas that says which text it has; "" for none.
    """
    digest = sha256(f"{FORM}".encode())
    for text in texts:
        digest.update(f"\0{text}".encode())
    return digest.hexdigest()[:_NAME_DIGITS]


def compress(body: bytes) -> bytes:
    """Return bytes as blocks and the head have them."""
    compressed: bytes = brotli.compress(body, quality=QUALITY)
    return compressed


def pack_terms(words: Sequence[str], ends: Sequence[int]) -> bytes:
    """Return words in order and where the positions of each end."""
    return compress("\n".join(words).encode() + b"\0" + pack_positions(ends))


def unpack_terms(packed: bytes) -> tuple[list[str], list[int]]:
    """Return what `pack_terms` was given."""
    words, _, ends = brotli.decompress(packed).partition(b"\0")
    return words.decode().split("\n"), unpack_positions(ends)
