"""Texts and boxes of some pages as bytes.

Words are separated by spaces, lines by line feeds, pages by form feeds. Boxes are in columns: how
many each word has, the gaps between them from left to right, and the changes of the rest.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from vitrine.present.inside.packing import pack_column, unpack_column
from vitrine.present.text.page_text import Box, Line, PageText, Word

_START = Box(0, 0, 0, 0)


def pack_texts(pages: Sequence[PageText]) -> bytes:
    """Return the texts of pages."""
    return "\f".join(
        "\n".join(
            " ".join(_plain(word) for word in line.words) for line in page.lines if line.words
        )
        for page in pages
    ).encode("utf-8", "replace")


def pack_boxes(pages: Sequence[PageText]) -> bytes:
    """Return the boxes of pages: five columns of the same words."""
    words = list(_words(pages))
    boxes = [box for word in words for box in word.boxes]
    pairs = list(pairwise([_START, *boxes]))
    columns = (
        [len(word.boxes) for word in words],
        [box.x - before.x - before.width for before, box in pairs],
        [box.y - before.y for before, box in pairs],
        [box.width for box in boxes],
        [box.height - before.height for before, box in pairs],
    )
    return b"".join(pack_column(column) for column in columns)


def unpack_pages(texts: bytes, boxes: bytes) -> list[PageText]:
    """Return what was packed, without languages and directions."""
    pages = [
        [line.split(" ") for line in page.split("\n")] if page else []
        for page in texts.decode().split("\f")
    ]
    numbers = _unpack_boxes(boxes, sum(len(line) for page in pages for line in page))
    return [
        PageText(tuple(Line(tuple(Word(text, next(numbers)) for text in line)) for line in page))
        for page in pages
    ]


def _unpack_boxes(packed: bytes, words: int) -> Iterator[tuple[Box, ...]]:
    """Yield the boxes of each word."""
    counts = unpack_column(packed[: 4 * words])
    size = 4 * sum(counts)
    gaps, downs, widths, heights = (
        unpack_column(packed[4 * words + place * size :][:size]) for place in range(4)
    )
    rows = zip(gaps, accumulate(downs), widths, accumulate(heights), strict=True)
    right = 0
    found: list[Box] = []
    for gap, y, width, height in rows:
        found.append(Box(right + gap, y, width, height))
        right += gap + width
    place = 0
    for count in counts:
        yield tuple(found[place : place + count])
        place += count


def _words(pages: Sequence[PageText]) -> Iterator[Word]:
    return (word for page in pages for line in page.lines for word in line.words)


def _plain(word: Word) -> str:
    """Return a word as it stands between spaces."""
    return "\u00a0".join(word.text.split()) or "\u00a0"
