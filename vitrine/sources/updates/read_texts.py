"""The texts of a table's pages are read and stored, before the objects that name them.

So are their other annotations (`read_annotations.py`).
"""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from vitrine.catalogue.publisher import Publisher
from vitrine.errors import TextRefused
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.published_before import read_before, read_sizes, shown_on
from vitrine.store.layout import owned_text, text_key
from vitrine.text.transcription.page_text import CanvasSize, PageText
from vitrine.text.transcription.read_text import read_pages, read_text
from vitrine.text.transcription.stored_text import CONTENT_TYPE, encode_text, text_name
from vitrine.text.transcription.xml_events import MAX_BOOK_BYTES

THREADS = 8
WITHOUT_BOXES = "its words are found, but nobody is shown where on the page they are"
_UNKNOWN = CanvasSize(1, 1)
"""Stands for the size of an image that is not published; what is read for it is dropped."""


@dataclass
class TextReport:
    """What became of the texts of pages."""

    read: int = 0
    unchanged: int = 0
    empty: int = 0
    """Without a word."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Path and reason of those that could not be read, page by page."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Path and sentence of what was left out of those that were read."""


@dataclass(frozen=True)
class _TextPlace:
    """A canvas whose text is in a file."""

    number: int
    size: CanvasSize
    name: str


@dataclass(frozen=True)
class TextReader:
    """Reads the files of mapped objects. What is stored already is not read again."""

    publisher: Publisher
    collection: str
    """Collection whose texts they are."""
    report: TextReport = field(default_factory=TextReport)

    def attach(self, mapped: MappedObject) -> MappedObject:
        """Return an object whose canvases name their texts. Raises TransientError."""
        if not mapped.texts:
            return mapped
        canvases = list(mapped.item.canvases)
        before = read_before(self.publisher, mapped.item.identifier, "text")
        sizes = read_sizes(self.publisher, canvases)
        for file in dict.fromkeys(filter(None, mapped.texts)):
            numbers = [number for number, text in enumerate(mapped.texts) if text == file]
            found = self._read_file(Path(file), numbers, sizes, set(before.values()))
            for number in numbers:
                canvas = canvases[number]
                # An image that is not published has no size to read its text for.
                is_read = number in found and number in sizes
                text = found[number] if is_read else before.get(shown_on(canvas), "")
                canvases[number] = msgspec.structs.replace(canvas, text=text)
        item = msgspec.structs.replace(mapped.item, canvases=tuple(canvases))
        return replace(mapped, item=item)

    def _read_file(
        self, file: Path, numbers: list[int], sizes: dict[int, CanvasSize], known: set[str]
    ) -> dict[int, str]:
        """Return the names of the texts in a file, for the canvases of its pages.

        Nothing if the file cannot be read at all, which says nothing about the text.
        """
        try:
            digest = _digest(file)
            places = [
                _TextPlace(
                    number, size := sizes.get(number, _UNKNOWN), self._name(digest, page, size)
                )
                for page, number in enumerate(numbers)
            ]
            if all(place.name in known or place.number not in sizes for place in places):
                self.report.unchanged += sum(place.number in sizes for place in places)
                return {place.number: place.name for place in places}
            return self._store_pages(file, places, known)
        except TextRefused as error:
            self.report.refused.append((str(file), str(error)))
            return dict.fromkeys(numbers, "")
        except OSError as error:
            sentence = f"{error}; the text that is published of it, if any, stays"
            self.report.refused.append((str(file), sentence))
            return {}

    def _name(self, digest: str, page: int, size: CanvasSize) -> str:
        return owned_text(self.collection, text_name(digest, page, size))

    def _store_pages(self, file: Path, places: list[_TextPlace], known: set[str]) -> dict[int, str]:
        """Store the pages of a file; return the names of those that have words."""
        stored = dict.fromkeys((place.number for place in places), "")
        pages, found = 0, iter(list[PageText | TextRefused]())
        with (
            file.open("rb") as opened,
            ThreadPoolExecutor(THREADS, thread_name_prefix="texts") as threads,
        ):
            if len(places) == 1:
                found = iter([read_text(file.name, opened, places[0].size)])
            else:
                found = read_pages(file.name, opened, [place.size for place in places])
            writes = []
            for place, page in zip(places, found, strict=False):
                pages += 1
                if isinstance(page, TextRefused):
                    self.report.refused.append((str(file), f"page {pages:,}: {page}"))
                elif page.lines:
                    stored[place.number] = place.name
                    self.report.read += 1
                    if page.unplaced and place.size != _UNKNOWN:
                        number = f"page {pages:,}: " if len(places) > 1 else ""
                        sentence = f"{number}{page.unplaced}; {WITHOUT_BOXES}"
                        self.report.notes.append((str(file), sentence))
                    if place.name not in known and place.size != _UNKNOWN:
                        writes.append(threads.submit(self._store, place, page))
                else:
                    self.report.empty += 1
            for _ in found:
                pass
            for write in writes:
                write.result()
        if pages < len(places):
            sentence = f"it has {pages:,} pages for {len(places):,} images"
            self.report.refused.append((str(file), sentence))
        return stored

    def _store(self, place: _TextPlace, page: PageText) -> None:
        body = encode_text(page, place.size)
        self.publisher.records.put(text_key(place.name), body, content_type=CONTENT_TYPE)


def _digest(file: Path) -> str:
    if file.stat().st_size > MAX_BOOK_BYTES:
        raise TextRefused("bytes", f"it is larger than {MAX_BOOK_BYTES >> 20} MiB")
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
