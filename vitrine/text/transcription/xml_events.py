"""XML read in pieces: what was read is dropped at once, and no entity is resolved."""

from collections.abc import Iterator
from typing import IO, Any

from lxml import etree

from vitrine.errors import TextRefused

MAX_BYTES = 64 << 20
"""Bytes of a file. Glyphs take some 1,400 bytes a word."""
MAX_BOOK_BYTES = 1 << 30
"""Bytes of a file with the pages of a book, of which one at a time is in memory."""
_PIECE = 64 << 10


def read_pieces(file: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield a file in pieces. Raises TextRefused for one of more than `most` bytes."""
    size = 0
    while piece := file.read(_PIECE):
        size += len(piece)
        if size > most:
            raise TextRefused("bytes", f"it is larger than {most >> 20} MiB")
        yield piece


def read_events(pieces: Iterator[bytes]) -> Iterator[tuple[bool, str, Any]]:
    """Yield each element when it starts (True) and when it ends, with its name in no namespace.

    Attributes are there at the start, the element's own text at the end. Raises TextRefused.
    """
    parser = etree.XMLPullParser(
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    root = None
    try:
        for piece in pieces:
            parser.feed(piece)
            for event, element in parser.read_events():
                if root is None:
                    root = element
                    _refuse_entities(root)
                yield event == "start", element.tag.rpartition("}")[2], element
                if event == "end":
                    _drop(element)
        parser.close()
    except etree.XMLSyntaxError as error:
        raise TextRefused("xml", f"it is not XML: {error}") from None


def _refuse_entities(root: Any) -> None:
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(iter(declared.iterentities()), None) is not None:
        raise TextRefused("entities", "it declares entities: write their texts in their places")


def _drop(element: Any) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and parent[0] is not element:
        del parent[0]
