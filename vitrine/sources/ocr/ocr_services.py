"""What reading the pages of an object works with."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from vitrine.catalogue.records import ObjectRecord
from vitrine.ports import EventBus, IdentifierTable, ObjectStore
from vitrine.sources.ocr.page_image import PageImage
from vitrine.store.revisions import Revisions
from vitrine.text.transcription.page_text import CanvasSize, PageText


@dataclass(frozen=True, kw_only=True)
class PageReader:
    """What reads one page."""

    read: Callable[[PageImage, str, CanvasSize], PageText]
    """Given an image, languages and the canvas whose pixels boxes are in; raises TextRefused."""
    most_pixels: int
    described: str
    """Name and version of the program, such as `tesseract 5.5.0`."""


@dataclass(frozen=True, kw_only=True)
class OcrServices:
    """What reading pages works with."""

    records: ObjectStore
    access_masters: ObjectStore
    journal: Revisions[ObjectRecord]
    identifiers: IdentifierTable
    events: EventBus
    reader: PageReader
    languages: tuple[str, ...]
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
