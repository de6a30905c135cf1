"""The one door: a file with the text of a page or of many, in any of the formats."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import PurePath
from typing import IO

from vitrine.errors import TextRefused
from vitrine.text.transcription.alto import AltoReader
from vitrine.text.transcription.annotations import read_annotations
from vitrine.text.transcription.file_names import HTML, SUFFIXES, XML
from vitrine.text.transcription.hocr import read_hocr
from vitrine.text.transcription.page_text import CanvasSize, PageText
from vitrine.text.transcription.page_xml import PageXmlReader
from vitrine.text.transcription.plain_text import read_plain
from vitrine.text.transcription.text_pages import TextPages
from vitrine.text.transcription.xml_events import (
    MAX_BOOK_BYTES,
    MAX_BYTES,
    read_events,
    read_pieces,
)

_HEAD_BYTES = 4_096
_READERS: dict[str, Callable[[TextPages], AltoReader | PageXmlReader]] = {
    "alto": AltoReader,
    "PcGts": PageXmlReader,
}
"""Readers of XML, by its first element."""


def read_text(name: str, file: IO[bytes], canvas: CanvasSize) -> PageText:
    """Return the text of a page, with boxes in pixels of its canvas.

    The name says by its suffix what the file is; XML says it with its first element. Raises
    TextRefused, and what reading the file raises.
    """
    (page,) = _read(name, read_pieces(file, MAX_BYTES), [canvas])
    if isinstance(page, TextRefused):
        raise page
    return page


def read_pages(
    name: str, file: IO[bytes], canvases: Sequence[CanvasSize]
) -> Iterator[PageText | TextRefused]:
    """Yield the text of each page of a file that has those of several canvases, in their order.

    A page whose boxes are outside comes as the reason for it. Raises TextRefused for a file that is
    damaged or has more pages than canvases, and what reading it raises.
    """
    yield from _read(name, read_pieces(file, MAX_BOOK_BYTES), canvases)


def _read(
    name: str, pieces: Iterator[bytes], canvases: Sequence[CanvasSize]
) -> Iterator[PageText | TextRefused]:
    pages, suffix = TextPages(canvases), PurePath(name).suffix.lower()
    head = next(pieces, b"")
    pieces = chain([head], pieces)
    if suffix in HTML or (suffix in XML and b"<html" in head[:_HEAD_BYTES].lower()):
        yield from read_hocr(pieces, head, pages)
    elif suffix in XML:
        yield from _read_xml(pieces, pages)
    elif suffix == ".txt":
        read_plain(pieces, head, pages.builder)
    elif suffix == ".json":
        read_annotations(pieces, canvases[0], pages.builder)
    else:
        raise TextRefused("format", f"its name ends with none of {', '.join(SUFFIXES)}")
    yield from pages.finish()


def _read_xml(pieces: Iterator[bytes], pages: TextPages) -> Iterator[PageText | TextRefused]:
    events = read_events(pieces)
    first = next(events, None)
    root = first[1] if first else ""
    if first is None or root not in _READERS:
        raise TextRefused("format", f"its root {root[:40]!r} is of neither ALTO, PAGE nor hOCR")
    reader = _READERS[root](pages)
    for event in chain([first], events):
        reader.read(event)
        if event[1] == "Page":
            yield from pages.take()
