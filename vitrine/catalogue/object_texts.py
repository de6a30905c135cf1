"""The texts of an object's pages, published: an index to search in, and annotations of each page.

Annotations that are not text of a page, such as comments, are documents next to those that are, and
in the same index. All are stored under names that say what is in them, so nothing is ever written
twice, and what is published is what the one write of the publication names. What that names no more
is out of reach: nobody is answered from it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

import msgspec

from vitrine.catalogue.compose import NO_TEXTS, PublishedTexts, compress
from vitrine.errors import ObjectMissing, TextRefused
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.iiif.presentation.remark_documents import build_remark_list, build_remark_page
from vitrine.iiif.presentation.remarks import Remark
from vitrine.iiif.presentation.text_annotations import (
    TextLine,
    build_annotation_list,
    build_annotation_page,
)
from vitrine.iiif.presentation.version3 import Json
from vitrine.ports import ObjectStore
from vitrine.records import Live
from vitrine.search.content.build import build_index
from vitrine.search.content.form import RemarkEntry, index_name
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.content.text_index import TextIndex
from vitrine.slices import split_batches
from vitrine.store.layout import remarks_key, text_index_key, text_key, text_page_key
from vitrine.store.publications import CONTENT_TYPE, Publication, Published, encode_page
from vitrine.text.annotations.stored_annotations import decode_remarks
from vitrine.text.annotations.words import write_words
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText
from vitrine.text.transcription.stored_text import decode_text

THREADS = 16
BATCH = 64
"""Pages that are in memory at a time."""
_FORM = 1
"""Version of the format of annotation pages: if it changes, all are written again."""
_REMARKS_FORM = 2
"""Version of that of annotations that are not texts, and of their entries in an index; likewise."""
_NAME_DIGITS = 16
T = TypeVar("T")
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class _Page:
    """A canvas."""

    number: int
    text: str
    annotations: str
    """Name of what is stored of those that are not its text."""
    canvas: CanvasSize
    name: str
    """Name of its text as a document; empty for none."""
    remarks_name: str
    """Name of its other annotations as a document; empty for none."""

    @property
    def content(self) -> str:
        """What says, for the name of an index, all that the canvas has."""
        annotations = f"{self.annotations} {_REMARKS_FORM}" if self.annotations else ""
        names = f"{self.text} {annotations}".rstrip()
        return f"{names} {self.canvas.width}x{self.canvas.height}" if names else ""


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
        if not any(page.content for page in pages):
            return NO_TEXTS
        was = before if isinstance(before, Published) else None
        written = {*was.texts, *was.annotations} if was else set()
        texts = PublishedTexts(
            _names(page.name for page in pages), _names(page.remarks_name for page in pages)
        )
        index = index_name(page.content for page in pages)
        if is_thorough and was and was.text_index and not self._is_whole(item.identifier, was):
            was, written = None, set()
        if was and was.text_index == index:
            missing = [page for page in pages if {page.name, page.remarks_name} - written - {""}]
            for _ in self._read_pages(item.identifier, missing, written):
                pass
            for _ in self._read_remarks(item.identifier, missing, written):
                pass
            return replace(texts, index=index)
        try:
            name = self._build_index(item.identifier, pages, written, index)
            return replace(texts, index=name)
        except TextRefused as refused:
            return replace(texts, fault=f"{refused}: divide the object")

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
        remarks = self._read_remarks(identifier, pages, written)
        try:
            index = build_index(texts, remarks)
        finally:
            # The annotations of all pages are written, whether all can be searched or not.
            for _ in chain(texts, remarks):
                pass
        if not index:
            return ""
        key = text_index_key(identifier, name)
        self.site.put(key, index, content_type="application/octet-stream")
        return name

    def _list_pages(self, item: PublishedObject, images: Mapping[str, Live]) -> list[_Page]:
        """Return all canvases; those without a text or annotations have no names of them."""
        sizes = {image.identifier: image for image in images.values()}
        pages = []
        for number, canvas in enumerate(item.canvases, start=1):
            image = canvas.elsewhere or sizes[canvas.image]
            size = CanvasSize(image.width, image.height)
            text = self._name(item.identifier, number, canvas.text, size)
            kind = f"annotations {_REMARKS_FORM}"
            remarks = self._name(item.identifier, number, canvas.annotations, size, kind)
            pages.append(_Page(number, canvas.text, canvas.annotations, size, text, remarks))
        return pages

    def _name(self, identifier: str, number: int, stored: str, size: CanvasSize, *kind: str) -> str:
        """Return the name of the document with what is stored; "" for nothing."""
        if not stored:
            return ""
        parts = (_FORM, self.base, identifier, number, stored, size, *kind)
        joined = "\0".join(map(str, parts)).encode()
        return hashlib.sha256(joined).hexdigest()[:_NAME_DIGITS]

    def _read_pages(
        self, identifier: str, pages: list[_Page], written: set[str]
    ) -> Iterator[PageText]:
        """Yield the texts of pages, and write the annotations of those that were not written."""

        def read(page: _Page) -> PageText:
            text = load_text(self.records, page.text, page.canvas)
            if page.name and page.name not in written:
                documents = build_text_documents(identifier, page.number, text, self.base)
                self._write(identifier, page.name, documents)
            return text

        yield from _read_many(read, pages)

    def _read_remarks(
        self, identifier: str, pages: list[_Page], written: set[str]
    ) -> Iterator[tuple[RemarkEntry, PageText]]:
        """Yield the annotations of pages that are not their texts, and write them, as above."""

        def read(page: _Page) -> list[tuple[RemarkEntry, PageText]]:
            remarks = load_remarks(self.records, page.annotations, page.canvas)
            if page.remarks_name not in written:
                documents = build_remark_documents(identifier, page.number, remarks, self.base)
                self._write(identifier, page.remarks_name, documents)
            return [
                (RemarkEntry(page.number - 1, name, one.motivations), write_words(one))
                for name, one in remarks.items()
            ]

        for several in _read_many(read, [page for page in pages if page.annotations]):
            yield from several

    def _write(self, identifier: str, name: str, documents: Mapping[int, Json]) -> None:
        made = {version: _encode(document) for version, document in documents.items()}
        body = encode_page(compress(made))
        self.site.put(text_page_key(identifier, name), body, content_type=CONTENT_TYPE)


def _read_many(read: Callable[[_Page], T], pages: list[_Page]) -> Iterator[T]:
    """Yield what is read of each page, in order."""
    with ThreadPoolExecutor(THREADS, thread_name_prefix="texts") as threads:
        for batch in split_batches(pages, BATCH):
            yield from threads.map(read, batch)


def _names(several: Iterable[str]) -> tuple[str, ...]:
    """Return names, of which some may be empty; nothing if all are."""
    names = tuple(several)
    return names if any(names) else ()


Versions = dict[int, Json]
"""A document by the version of the Presentation API."""


def load_text(records: ObjectStore, name: str, canvas: CanvasSize) -> PageText:
    """Return a stored text for a canvas; one without words if it is not there."""
    body = _get(records, text_key, name)
    return decode_text(body, canvas) if body else PageText(())


def load_remarks(records: ObjectStore, name: str, canvas: CanvasSize) -> dict[str, Remark]:
    """Return stored annotations for a canvas, by their names; nothing if they are not there."""
    body = _get(records, remarks_key, name)
    return decode_remarks(body, canvas) if body else {}


def build_text_documents(identifier: str, number: int, text: PageText, base: str) -> Versions:
    """Return the text of a canvas, counted from 1, as annotations."""
    lines = [_describe(line) for line in text.lines]
    return {
        2: build_annotation_list(identifier, number, lines, base),
        3: build_annotation_page(identifier, number, lines, base),
    }


def build_remark_documents(
    identifier: str, number: int, remarks: Mapping[str, Remark], base: str
) -> Versions:
    """Return the other annotations of a canvas, counted from 1, by their names."""
    return {
        2: build_remark_list(identifier, number, remarks, base),
        3: build_remark_page(identifier, number, remarks, base),
    }


def _get(records: ObjectStore, key: Callable[[str], str], name: str) -> bytes:
    if not name:
        return b""
    try:
        return records.get(key(name))[0]
    except ObjectMissing:
        # A record from elsewhere names what is not here.
        return b""


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
