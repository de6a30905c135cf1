"""hOCR 1.2: HTML whose classes name lines and words, and whose titles have their boxes.

http://kba.github.io/hocr-spec/1.2/
"""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from vitrine.errors import TextRefused
from vitrine.text.transcription.languages import read_direction, read_language
from vitrine.text.transcription.page_builder import Rectangle, read_number
from vitrine.text.transcription.page_text import Direction, PageText
from vitrine.text.transcription.text_pages import TextPages

_MAX_DEPTH = 200
_ENCODING = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?([A-Za-z0-9_-]{1,30})""")
_HEAD_BYTES = 2_048
_BOX = re.compile(r"\bbbox" + r"\s+(-?[\d.]{1,20})" * 4)
_ROLES = {
    "ocr_page": "page",
    "ocr_word": "word",
    "ocrx_word": "word",
    **dict.fromkeys(
        ("ocr_line", "ocrx_line", "ocr_header", "ocr_footer", "ocr_caption", "ocr_textfloat"),
        "line",
    ),
}
_UNREAD = ("del", "head", "script", "style")
"""`del` has what a word might have been instead."""


class _Element:
    """An element that is open."""

    def __init__(self, tag: str, role: str, language: str, direction: Direction) -> None:
        self.tag, self.role, self.language, self.direction = tag, role, language, direction
        self.box: Rectangle | None = None
        self.texts: list[str] = []
        self.is_written = False


class _Target:
    """What the parser reports to: it keeps no tree."""

    def __init__(self, pages: TextPages) -> None:
        self._pages = pages
        self._open = [_Element("", "", "", "")]
        self._unread = 0
        self.is_hocr = False

    def start(self, tag: str, attributes: Any) -> None:
        around = self._open[-1]
        classes = (attributes.get("class") or "").split()
        role = next((_ROLES[name] for name in classes if name in _ROLES), "")
        language = read_language(attributes.get("lang") or attributes.get("xml:lang"))
        direction = read_direction(attributes.get("dir"))
        element = _Element(tag, role, language or around.language, direction or around.direction)
        self._open.append(element)
        if len(self._open) > _MAX_DEPTH:
            raise TextRefused("depth", f"its elements are nested more than {_MAX_DEPTH} deep")
        self._unread += tag in _UNREAD
        if role:
            self.is_hocr = True
            element.box = _read_box(attributes.get("title") or "")
        if role == "page":
            self._begin_page(element.box)

    def data(self, text: str) -> None:
        if self._unread:
            return
        for element in reversed(self._open):
            if element.role in ("word", "line"):
                element.texts.append(text)
                return

    def end(self, tag: str) -> None:
        if not any(element.tag == tag for element in self._open[1:]):
            return
        while True:
            element = self._open.pop()
            self._leave(element)
            if element.tag == tag:
                return

    def close(self) -> None:
        while len(self._open) > 1:
            self._leave(self._open.pop())

    def _begin_page(self, box: Rectangle | None) -> None:
        self._pages.begin_page()
        if box is not None:
            left, top, width, height = box
            self._pages.builder.set_page(width, height, left, top)

    def _leave(self, element: _Element) -> None:
        self._unread -= element.tag in _UNREAD
        text = "".join(element.texts)
        if element.role == "word" and text.strip():
            line = next((one for one in reversed(self._open) if one.role == "line"), self._open[-1])
            self._begin_line(line)
            self._pages.builder.add_text(text, element.box)
        elif element.role == "line" and not element.is_written and text.strip():
            self._begin_line(element)
            self._pages.builder.add_text(text)

    def _begin_line(self, line: _Element) -> None:
        if not line.is_written:
            line.is_written = True
            box = line.box if line.role == "line" else None
            self._pages.builder.begin_line(box, line.language, line.direction)


def read_hocr(
    pieces: Iterator[bytes], head: bytes, pages: TextPages
) -> Iterator[PageText | TextRefused]:
    """Yield the pages of a file as they become whole, but for the last. Raises TextRefused.

    `head` are its first bytes, which are among the pieces.
    """
    target = _Target(pages)
    found = _ENCODING.search(head[:_HEAD_BYTES])
    encoding = found[1].decode() if found else "utf-8"
    try:
        parser = etree.HTMLParser(target=target, encoding=encoding, no_network=True)
        for piece in pieces:
            parser.feed(piece)
            yield from pages.take()
        parser.close()
    except LookupError:
        raise TextRefused("encoding", f"its encoding {encoding} is unknown") from None
    except etree.LxmlError as error:
        raise TextRefused("html", f"it is not HTML: {error}") from None
    if not target.is_hocr:
        raise TextRefused("format", "it is HTML without a page, line or word of hOCR")


def _read_box(title: str) -> Rectangle | None:
    found = _BOX.search(title)
    if not found:
        return None
    left, top, right, bottom = (read_number(number) for number in found.groups())
    if left is None or top is None or right is None or bottom is None:
        return None
    return left, top, right - left, bottom - top
