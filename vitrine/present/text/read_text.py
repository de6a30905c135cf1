"""The one door: a file with the text of a page, in any of the formats."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import PurePath
from typing import IO

from vitrine.errors import TextRefused
from vitrine.present.text.alto import AltoReader
from vitrine.present.text.annotations import read_annotations
from vitrine.present.text.hocr import read_hocr
from vitrine.present.text.page_builder import PageBuilder
from vitrine.present.text.page_text import CanvasSize, PageText
from vitrine.present.text.page_xml import PageXmlReader
from vitrine.present.text.plain_text import read_plain
from vitrine.present.text.xml_events import read_events, read_pieces

_HEAD_BYTES = 4_096
_HTML = (".hocr", ".html", ".htm", ".xhtml")
_XML = (".xml", ".alto")
_READERS: dict[str, Callable[[PageBuilder], AltoReader | PageXmlReader]] = {
    "alto": AltoReader,
    "PcGts": PageXmlReader,
}
"""Of XML, by its first element."""
SUFFIXES = (*_XML, *_HTML, ".txt", ".json")


def read_text(name: str, file: IO[bytes], canvas: CanvasSize) -> PageText:
    """Return the text of a page, with boxes in pixels of its canvas.

    The name says by its suffix what the file is; XML says it with its first element. Raises
    TextRefused, and what reading the file raises.
    """
    builder, suffix = PageBuilder(canvas), PurePath(name).suffix.lower()
    pieces = read_pieces(file)
    head = next(pieces, b"")
    pieces = chain([head], pieces)
    if suffix in _HTML or (suffix in _XML and b"<html" in head[:_HEAD_BYTES].lower()):
        read_hocr(pieces, head, builder)
    elif suffix in _XML:
        _read_xml(pieces, builder)
    elif suffix == ".txt":
        read_plain(pieces, head, builder)
    elif suffix == ".json":
        read_annotations(pieces, canvas, builder)
    else:
        raise TextRefused("format", f"its name ends with none of {', '.join(SUFFIXES)}")
    return builder.finish()


def _read_xml(pieces: Iterator[bytes], builder: PageBuilder) -> None:
    events = read_events(pieces)
    first = next(events, None)
    root = first[1] if first else ""
    if first is None or root not in _READERS:
        raise TextRefused("format", f"its root {root[:40]!r} is of neither ALTO, PAGE nor hOCR")
    _READERS[root](builder).read(chain([first], events))
