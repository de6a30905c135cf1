"""The pages of a word as bytes: gaps between them, or a bit for each page of the segment.

How many pages a word is on decides between the two: on a sixteenth of the pages or more, bits are
as short as gaps, and are intersected as whole numbers of a million bits. Page 0 is the highest bit
of the first byte.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress

from vitrine.search.content.packing import pack_positions, unpack_positions

DENSE = 16
ALIGNED = 8
"""Pages of a segment are a multiple of it, so that bits can be joined as bytes."""
_TO_DIGITS = bytes.maketrans(b"\0\1", b"01")
_TO_FLAGS = bytes.maketrans(b"01", b"\0\1")


@dataclass(frozen=True, slots=True)
class Posting:
    """A word and the pages that have it."""

    word: str
    count: int
    """Number of these pages."""
    first: int
    """The first of them; 0 if it has bits."""
    span: int
    """From the first to the last; 0 if it has bits."""
    packed: bytes
    """The gaps behind the first, or the bits."""


def is_dense(count: int, total: int) -> bool:
    """Return whether a word on `count` of `total` pages has bits."""
    return count * DENSE >= total


def align(pages: int) -> int:
    """Return the next number of pages that a segment may have."""
    return -(-pages // ALIGNED) * ALIGNED


def pack_posting(word: str, pages: Sequence[int], total: int) -> Posting:
    """Return the posting of a word in a segment of `total` pages, an aligned number."""
    if is_dense(len(pages), total):
        return Posting(word, len(pages), 0, 0, flags_to_bits(flag_pages(pages, total)))
    first, packed = pages[0], pack_positions(pages)
    skipped = next(place for place, byte in enumerate(packed) if byte < 0x80) + 1
    return Posting(word, len(pages), first, pages[-1] - first, packed[skipped:])


def unpack_pages(posting: Posting, total: int) -> list[int]:
    """Return the pages of a posting, rising."""
    if is_dense(posting.count, total):
        return list_flagged(bits_to_flags(posting.packed))
    if posting.packed.isascii():
        return list(accumulate(posting.packed, initial=posting.first))
    return [posting.first + page for page in (0, *unpack_positions(posting.packed))]


def join_postings(parts: Sequence[tuple[Posting, int, int]], total: int) -> Posting:
    """Return the posting of segments that follow each other in one of `total` pages.

    `parts` are postings of one word, each with the first page of its segment in the new one, and
    the pages of that segment.
    """
    word, count = parts[0][0].word, sum(posting.count for posting, _, _ in parts)
    dense = [is_dense(posting.count, pages) for posting, _, pages in parts]
    if not any(dense) and not is_dense(count, total):
        return _join_gaps(word, count, parts)
    if all(dense) and is_dense(count, total):
        return Posting(word, count, 0, 0, _join_bits(parts, total))
    pages = [base + page for one, base, size in parts for page in unpack_pages(one, size)]
    return pack_posting(word, pages, total)


def _join_gaps(word: str, count: int, parts: Sequence[tuple[Posting, int, int]]) -> Posting:
    posting, base, _ = parts[0]
    first, packed = base + posting.first, bytearray(posting.packed)
    last = first + posting.span
    for posting, base, _ in parts[1:]:
        packed += pack_positions([base + posting.first - last])
        packed += posting.packed
        last = base + posting.first + posting.span
    return Posting(word, count, first, last - first, bytes(packed))


def _join_bits(parts: Sequence[tuple[Posting, int, int]], total: int) -> bytes:
    joined = bytearray(total // ALIGNED)
    for posting, base, _ in parts:
        joined[base // ALIGNED : base // ALIGNED + len(posting.packed)] = posting.packed
    return bytes(joined)


def flag_pages(pages: Iterable[int], total: int) -> bytearray:
    """Return a byte for each page: 1 if it is one of `pages`."""
    flags = bytearray(total)
    for page in pages:
        flags[page] = 1
    return flags


def flags_to_bits(flags: bytes | bytearray) -> bytes:
    """Return a bit for each of the flags."""
    number = int(flags.translate(_TO_DIGITS), 2) if flags else 0
    return number.to_bytes(len(flags) // ALIGNED)


def bits_to_flags(bits: bytes) -> bytes:
    """Return what `flags_to_bits` was given."""
    total = len(bits) * ALIGNED
    digits = f"{int.from_bytes(bits):0{total}b}" if total else ""
    return digits.encode().translate(_TO_FLAGS)


def list_flagged(flags: bytes) -> list[int]:
    """Return the pages whose flag is 1, rising."""
    return list(compress(range(len(flags)), flags))
