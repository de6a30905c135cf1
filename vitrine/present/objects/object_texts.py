"""The texts of an object's pages, published: an index to search in, and annotations of each page.

Both are stored under names that say what is in them, so nothing is ever written twice, and what is
published is what the one write of the publication names. What that names no more is out of reach:
nobody is answered from it.
"""

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import msgspec

from vitrine.errors import ObjectMissing, TextRefused
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.iiif.presentation.text_annotations import (
    TextLine,
    build_annotation_list,
    build_annotation_page,
)
from vitrine.ports import ObjectStore
from vitrine.present.inside.build import build_index
from vitrine.present.inside.form import index_name
from vitrine.present.inside.ranged_blocks import UnusableIndex
from vitrine.present.inside.text_index import TextIndex
from vitrine.present.objects.compose import NO_TEXTS, PublishedTexts, compress
from vitrine.present.text.page_text import CanvasSize, Line, PageText
from vitrine.present.text.stored_text import decode_text
from vitrine.records import Live
from vitrine.store.layout import text_index_key, text_key, text_page_key
from vitrine.store.publications import CONTENT_TYPE, Publication, Published, encode_page

THREADS = 16
BATCH = 64
"""Pages that are in memory at a time."""
_FORM = 1
"""Of annotation pages: another one lets all be written again."""
_NAME_DIGITS = 16
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class _Page:
    """A canvas with a text."""

    number: int
    text: str
    canvas: CanvasSize
    name: str
    """Of its annotations."""


@dataclass(frozen=True, kw_only=True)
class ObjectTexts:
    """Reads the texts of pages, and writes what is published of them."""

    site: ObjectStore
    records: ObjectStore
    base: str
    """Scheme and host of addresses."""

    def publish(
        self,
        item: PublishedObject,
        images: Mapping[str, Live],
        before: Publication | None,
        *,
        is_thorough: bool = False,
    ) -> PublishedTexts:
        """Write what is not published yet of the texts of an object, as it is visible.

        If this is to be thorough, an index that is damaged or lost is written again, and the
        annotations with it. Returns what its publication has to name. Raises TransientError.
        """
        pages = self._list_pages(item, images)
        if not any(page.text for page in pages):
            return NO_TEXTS
        was = before if isinstance(before, Published) else None
        written = set(was.texts) if was else set()
        names = tuple(page.name for page in pages)
        index = index_name(
            f"{page.text} {page.canvas.width}x{page.canvas.height}" if page.text else ""
            for page in pages
        )
        if is_thorough and was and was.text_index and not self._is_whole(item.identifier, was):
            was, written = None, set()
        if was and was.text_index == index:
            missing = [page for page in pages if page.name not in written]
            for _ in self._read_pages(item.identifier, missing, written):
                pass
            return PublishedTexts(names, index)
        try:
            return PublishedTexts(names, self._build_index(item.identifier, pages, written, index))
        except TextRefused as refused:
            return PublishedTexts(names, fault=f"{refused}: divide the object")

    def _is_whole(self, identifier: str, was: Published) -> bool:
        """Return whether the index that is published is there, with the bytes that were written."""
        try:
            body, _ = self.site.get(text_index_key(identifier, was.text_index))
            TextIndex(lambda start, length: body[start : start + length]).check()
        except (ObjectMissing, UnusableIndex):
            return False
        return True

    def _build_index(
        self, identifier: str, pages: list[_Page], written: set[str], name: str
    ) -> str:
        """Write the text index; return its name, "" if it has no word. Raises TextRefused."""
        texts = self._read_pages(identifier, pages, written)
        try:
            index = build_index(texts)
        finally:
            # The annotations of all pages are written, whether all can be searched or not.
            for _ in texts:
                pass
        if not index:
            return ""
        key = text_index_key(identifier, name)
        self.site.put(key, index, content_type="application/octet-stream")
        return name

    def _list_pages(self, item: PublishedObject, images: Mapping[str, Live]) -> list[_Page]:
        """Return all canvases; those without a text have no name."""
        sizes = {image.identifier: image for image in images.values()}
        pages = []
        for number, canvas in enumerate(item.canvases, start=1):
            image = canvas.elsewhere or sizes[canvas.image]
            size, name = CanvasSize(image.width, image.height), ""
            if canvas.text:
                parts = (_FORM, self.base, item.identifier, number, canvas.text, size)
                joined = "\0".join(map(str, parts)).encode()
                name = hashlib.sha256(joined).hexdigest()[:_NAME_DIGITS]
            pages.append(_Page(number, canvas.text, size, name))
        return pages

    def _read_pages(
        self, identifier: str, pages: list[_Page], written: set[str]
    ) -> Iterator[PageText]:
        """Yield the texts of pages, and write the annotations of those that were not written."""

        def read(page: _Page) -> PageText:
            text = self._read(page)
            if page.name and page.name not in written:
                self._write(identifier, page, text)
            return text

        remaining = iter(pages)
        with ThreadPoolExecutor(THREADS, thread_name_prefix="texts") as threads:
            while batch := list(islice(remaining, BATCH)):
                yield from threads.map(read, batch)

    def _read(self, page: _Page) -> PageText:
        if not page.text:
            return PageText(())
        try:
            body, _ = self.records.get(text_key(page.text))
        except ObjectMissing:
            # A record from elsewhere names a text that is not here.
            return PageText(())
        return decode_text(body, page.canvas)

    def _write(self, identifier: str, page: _Page, text: PageText) -> None:
        lines = [_describe(line) for line in text.lines]
        documents = {
            2: _encode(build_annotation_list(identifier, page.number, lines, self.base)),
            3: _encode(build_annotation_page(identifier, page.number, lines, self.base)),
        }
        key = text_page_key(identifier, page.name)
        self.site.put(key, encode_page(compress(documents)), content_type=CONTENT_TYPE)


def _describe(line: Line) -> TextLine:
    """Return a line with the rectangle around its words; of a hyphenated one, around its start."""
    text = " ".join(word.text for word in line.words)
    boxes = [word.boxes[0] for word in line.words if word.boxes]
    if not boxes:
        return TextLine(text, None, line.language)
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return TextLine(text, (left, top, right - left, bottom - top), line.language)
