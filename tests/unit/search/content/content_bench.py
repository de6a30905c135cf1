"""Small objects whose pages are searched."""

from vitrine.search.content.build import build_index
from vitrine.search.content.query import parse_query
from vitrine.search.content.search import Matches, find_matches
from vitrine.search.content.text_index import TextIndex
from vitrine.text.transcription.page_text import Line, PageText, TextBox, Word


def page(*lines: str) -> PageText:
    """A page of lines; each sign is 10 pixels wide, each line 20 high."""
    return PageText(tuple(_line(text, 20 * number) for number, text in enumerate(lines)))


def _line(text: str, top: int) -> Line:
    words, left = [], 0
    for piece in text.split():
        words.append(Word(piece, (TextBox(left, top, 10 * len(piece), 15),)))
        left += 10 * len(piece) + 10
    return Line(tuple(words))


class Reads:
    """A file in memory that keeps which of its ranges were read."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.ranges: list[tuple[int, int]] = []

    def __call__(self, offset: int, length: int) -> bytes:
        """Read a range."""
        self.ranges.append((offset, length))
        return self.body[offset : offset + length]


def index_of(*pages: PageText) -> TextIndex:
    """The text index of an object."""
    return TextIndex(Reads(build_index(pages)))


def search(index: TextIndex, query: str, number: int = 1) -> Matches:
    """What a query finds."""
    return find_matches(index, parse_query(query), number)


def found(index: TextIndex, query: str) -> list[tuple[int, str]]:
    """Page and text of each match, of the first of them."""
    return [(one.page, one.text) for one in search(index, query).items]
