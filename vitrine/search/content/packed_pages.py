"""Texts and boxes of some pages as bytes.

Words are separated by spaces, lines by line feeds, pages by form feeds. Boxes are in columns: how
many each word has, the gaps between them from left to right, and the changes of the rest.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import add

from vitrine.search.content.packing import pack_column, unpack_column
from vitrine.text.transcription.page_text import PageText, TextBox, Word

_START = TextBox(0, 0, 0, 0)


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


class PackedPages:
    """Texts and boxes of some pages, of which each is made when it is read."""

    def __init__(self, texts: bytes, boxes: bytes) -> None:
        self._pages = texts.decode().split("\f")
        counts = [_count_words(page) for page in self._pages]
        self._first_words = list(accumulate(counts, initial=0))
        words = self._first_words[-1]
        self._boxes_of_words = unpack_column(boxes[: 4 * words])
        self._first_boxes = list(accumulate(self._boxes_of_words, initial=0))
        size = 4 * self._first_boxes[-1]
        gaps, downs, self._widths, heights = (
            unpack_column(boxes[4 * words + place * size :][:size]) for place in range(4)
        )
        self._rights = list(accumulate(map(add, gaps, self._widths)))
        self._tops, self._heights = list(accumulate(downs)), list(accumulate(heights))

    def __len__(self) -> int:
        return len(self._pages)

    def lines(self, number: int) -> tuple[tuple[str, ...], ...]:
        """Return the words of a page, by its place here, line by line."""
        text = self._pages[number]
        return tuple(tuple(line.split(" ")) for line in text.split("\n")) if text else ()

    def boxes(self, number: int, word: int) -> tuple[TextBox, ...]:
        """Return the boxes of a word of a page, by their places."""
        place = self._first_words[number] + word
        first = self._first_boxes[place]
        return tuple(
            TextBox(
                self._rights[box] - self._widths[box],
                self._tops[box],
                self._widths[box],
                self._heights[box],
            )
            for box in range(first, first + self._boxes_of_words[place])
        )


class PackedPage:
    """A page whose boxes are made one by one: a match needs few of them."""

    def __init__(self, pages: PackedPages, number: int) -> None:
        self._pages, self._number = pages, number
        self.lines = pages.lines(number)

    def boxes(self, word: int) -> tuple[TextBox, ...]:
        """Return the boxes of a word by its place on the page."""
        return self._pages.boxes(self._number, word)


def _count_words(page: str) -> int:
    return page.count(" ") + page.count("\n") + 1 if page else 0


def _words(pages: Sequence[PageText]) -> Iterator[Word]:
    return (word for page in pages for line in page.lines for word in line.words)


def _plain(word: Word) -> str:
    """Return a word as it stands between spaces."""
    return "\u00a0".join(word.text.split()) or "\u00a0"
