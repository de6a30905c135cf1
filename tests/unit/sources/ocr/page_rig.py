"""An object of two pages with words on them, and Tesseract to read them."""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pyvips

from tests.unit.catalogue.object_bench import ObjectBench, book
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.iiif.presentation.model import Canvas
from vitrine.ports import ObjectInfo
from vitrine.records import Live
from vitrine.slices import Slice
from vitrine.sources.ocr.ocr_services import OcrServices, PageReader
from vitrine.sources.ocr.page_image import PageImage
from vitrine.sources.ocr.read_object import read_object
from vitrine.sources.ocr.tesseract import PROGRAM
from vitrine.store.layout import READINGS
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText, TextBox, Word

WIDTH, HEIGHT = 400, 160
PAGES = ("p1", "p2")
MORNING = datetime(2026, 11, 26, 8, tzinfo=UTC)
needs_tesseract = pytest.mark.skipif(
    not shutil.which(PROGRAM), reason="NOT TESTED: tesseract is not installed"
)


def read_pages(
    services: OcrServices, identifier: str, milliseconds_left: Callable[[], float] = lambda: 1
) -> Counter[str]:
    """Read pages of an object, and return how many became what."""
    counts: Counter[str] = Counter()
    read_object(services, identifier, Slice(milliseconds_left), counts)
    return counts


class NotesStore(MemoryObjectStore):
    """Records, with what is written of notes on pages; a process that is killed writes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.is_killed = False
        self.written: list[int] = []
        """Bytes of each of these writes."""
        self.faults: list[BaseException | None] = []
        """What becomes of the next of these writes, one after the other; None: it is done."""

    def put(self, key: str, body: Any, **options: Any) -> ObjectInfo:
        if key.startswith(READINGS):
            if self.is_killed:
                raise SystemExit
            if self.faults and (fault := self.faults.pop(0)):
                raise fault
            self.written.append(len(body))
        return super().put(key, body, **options)


def picture(words: str) -> pyvips.Image:
    """A white page with words in large type, at its left."""
    page = pyvips.Image.black(WIDTH, HEIGHT).invert()
    if words:
        text = pyvips.Image.text(words, font="sans 30", dpi=100).invert()
        page = text.embed(60, 60, WIDTH, HEIGHT, extend="white")
    return page.colourspace("srgb")


class PageRig(ObjectBench):
    """Objects, the access masters of their images, and what reads them."""

    records: NotesStore

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.access_masters = MemoryObjectStore()
        self.moment = MORNING
        self.asked: list[str] = []
        self._folder = folder

    def make_records(self) -> NotesStore:
        """Return the bucket of records, which knows of killed processes."""
        return NotesStore()

    def show(self, image: str, words: str, version: str = "v1", **changes: object) -> Live:
        """Publish a version of an image."""
        path, key = self._folder / "pyramid.tif", f"{image}/{version}.tif"
        picture(words).tiffsave(str(path), tile=True, pyramid=True, compression="jpeg", Q=90)
        self.access_masters.upload(path, key, content_type="image/tiff", metadata={})
        before = self.identifiers.get(image)
        record = live(
            image,
            WIDTH,
            HEIGHT,
            version=f"{image}-{version}",
            access_master_key=key,
            revision=before.revision + 1 if before else 0,
            **changes,
        )
        self.identifiers.write(record, before)
        return record

    def put(self, ocr: str = "eng", texts: Sequence[str] = ("", ""), **changes: object) -> None:
        """Publish the book, read in these languages."""
        canvases = tuple(
            Canvas(image=image, text=text) for image, text in zip(PAGES, texts, strict=True)
        )
        self.objects.put(book(canvases=canvases, ocr=ocr, **changes))

    def services(self, reader: PageReader, languages: Sequence[str] = ("eng",)) -> OcrServices:
        """What a new process reads pages with."""
        self.records.is_killed = False
        return OcrServices(
            records=self.records,
            access_masters=self.access_masters,
            journal=self.publisher.journal,
            identifiers=self.identifiers,
            events=self.events,
            reader=reader,
            languages=tuple(languages),
            clock=lambda: self.moment,
        )

    def typist(self, *answers: str | BaseException) -> PageReader:
        """A reader that types one answer after the other, and notes what it was shown."""
        remaining = iter(answers)

        def read(image: PageImage, languages: str, canvas: CanvasSize) -> PageText:
            self.asked.append(languages)
            match next(remaining):
                case BaseException() as error:
                    self.records.is_killed = not isinstance(error, Exception)
                    raise error
                case "":
                    return PageText(())
                case words:
                    boxes = (TextBox(1, 2, 3, 4),)
                    return PageText((Line(tuple(Word(word, boxes) for word in words.split())),))

        return PageReader(read=read, most_pixels=1_000_000, described="a typist")

    def named(self, name: str) -> list[str]:
        """The identifiers of the events of a name."""
        return [detail["identifier"] for kind, detail in self.events.events if kind == name]
