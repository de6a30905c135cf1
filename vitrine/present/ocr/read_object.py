"""The pages of an object are read, one after the other, and what became of each is noted.

One process reads an object at a time. Whatever ends it, what it has read stays, and a page that
ended it before is not tried a third time.
"""

import logging
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from vitrine.errors import (
    ObjectMissing,
    PreconditionFailed,
    ServiceFailed,
    TextRefused,
    TransientError,
)
from vitrine.events import TextsRead
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.ports import EventBus, IdentifierTable, ObjectStore
from vitrine.present.objects.live_images import live_images
from vitrine.present.objects.records import Described, ObjectRecord, painted_images
from vitrine.present.ocr.page_image import PageImage, write_page
from vitrine.present.readings.pages import OcrPage, list_pages, list_unread
from vitrine.present.readings.stored import (
    CLAIMED,
    PageReading,
    Readings,
    State,
    load_readings,
    save_readings,
)
from vitrine.present.text.page_text import CanvasSize, PageText
from vitrine.present.text.stored_text import CONTENT_TYPE, encode_text
from vitrine.records import Live
from vitrine.store.clock import rfc3339
from vitrine.store.layout import text_key
from vitrine.store.revisions import Revisions

logger = logging.getLogger(__name__)

MOST_TRIES = 2
"""Of a page that ends the process."""


@dataclass(frozen=True, kw_only=True)
class PageReader:
    """What reads one page."""

    read: Callable[[PageImage, str, CanvasSize], PageText]
    """Given an image, languages and the canvas whose pixels boxes are in; raises TextRefused."""
    most_pixels: int
    described: str
    """What it is, such as `tesseract 5.5.0`."""


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


def read_object(
    services: OcrServices, identifier: str, more_time: Callable[[], bool]
) -> Counter[str]:
    """Read pages of an object that were not read yet, while there is time.

    Then `TextsRead` has it published, also if all were read before, by a process that died then; if
    pages are left, that has them read. Returns how many pages became what; nothing if another
    process is reading, which publishes when it ends. Raises TransientError if a page could not be
    fetched or what became of it not be noted, if there is no time, and for other languages.
    """
    item, images = _shown(services, identifier)
    readings, etag = load_readings(services.records, identifier)
    if item is None or readings.is_claimed(services.clock()):
        return Counter()
    if not list_unread(item, images, readings):
        _announce(services, identifier)
        return Counter()
    pages = {page.name for page in list_pages(item, images)}
    turn = _Turn(services, item, {n: one for n, one in readings.pages.items() if n in pages}, etag)
    try:
        turn.save(claimed=True)
    except PreconditionFailed:
        return Counter()
    try:
        for page in list_unread(item, images, readings):
            if not more_time():
                break
            turn.read(page)
        turn.save(claimed=False)
    except PreconditionFailed:
        raise TransientError(f"Others changed what is known of the pages of {identifier}") from None
    # A turn that died has left its claim, and pages that nobody has published.
    if turn.counts or readings.claimed_until:
        _announce(services, identifier)
    if turn.faults:
        raise TransientError(f"{len(turn.faults):,} pages of {identifier}: {turn.faults[0]}")
    if not turn.counts:
        raise TransientError(f"There was no time for a page of {identifier}")
    return turn.counts


def _announce(services: OcrServices, identifier: str) -> None:
    event = TextsRead(identifier=identifier)
    services.events.publish(event.name(), event.detail())


def _shown(
    services: OcrServices, identifier: str
) -> tuple[PublishedObject | None, dict[str, Live]]:
    """Return the object as it is described now, if it is to be read, and its images.

    Raises TransientError for a language that is not known here: it may be after a deployment.
    """
    record = services.journal.latest(identifier)
    match record:
        case Described(item=PublishedObject(ocr=ocr) as item) if ocr:
            if absent := {*ocr.split("+")} - {*services.languages}:
                raise TransientError(f"{identifier} needs {', '.join(sorted(absent))}")
            return item, live_images(services.identifiers, painted_images(record))
    return None, {}


@dataclass
class _Turn:
    """The time in which one process reads pages of an object."""

    services: OcrServices
    item: PublishedObject
    pages: dict[str, PageReading]
    etag: str
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def save(self, *, claimed: bool) -> None:
        """Note what became of the pages so far. Raises PreconditionFailed."""
        until = rfc3339(self.services.clock() + CLAIMED) if claimed else ""
        readings = Readings(dict(self.pages), until)
        records, name = self.services.records, self.item.identifier
        self.etag = save_readings(records, name, readings, self.etag)

    def read(self, page: OcrPage) -> None:
        """Read a page, and note what became of it. Raises PreconditionFailed."""
        before = self.pages.get(page.name)
        tries = before.tries if before else 0
        if tries >= MOST_TRIES:
            self._note(page, "failed", f"reading it ended the process {tries} times")
            return
        if self._is_stored(page):
            self._note(page, "read")
            return
        # Saved before: if the process dies of this page, the next one knows.
        begun = PageReading("begun", page.image.identifier, tries=tries + 1)
        self.pages[page.name] = begun
        self.save(claimed=True)
        try:
            text = self._read(page)
        except TextRefused as refused:
            self._note(page, "failed", str(refused))
        except (ObjectMissing, ServiceFailed) as error:
            self.pages[page.name] = msgspec.structs.replace(begun, tries=tries)
            self.faults.append(f"{page.image.identifier}: {error}")
        except Exception as error:
            # Whatever it is, the other pages are read.
            logger.exception("A page of %s could not be read.", self.item.identifier)
            self._note(page, "failed", f"{type(error).__name__}: {error}")
        else:
            self._note(page, "read" if text.lines else "empty")

    def _is_stored(self, page: OcrPage) -> bool:
        """Return whether this was read before, of another object or under another name of it."""
        try:
            self.services.records.head(text_key(page.name))
        except ObjectMissing:
            return False
        return True

    def _note(self, page: OcrPage, state: State, reason: str = "") -> None:
        self.pages[page.name] = PageReading(state, page.image.identifier, reason)
        self.counts[f"pages_{state}"] += 1

    def _read(self, page: OcrPage) -> PageText:
        """Return the text of a page, which is then stored if it has a word."""
        services, image = self.services, page.image
        with tempfile.TemporaryDirectory(prefix="vitrine-ocr-") as folder:
            picture = write_page(
                services.access_masters,
                image,
                Path(folder),
                most_pixels=services.reader.most_pixels,
                width_mm=page.width_mm,
            )
            size = CanvasSize(image.width, image.height)
            text = services.reader.read(picture, self.item.ocr, size)
        if text.lines:
            services.records.put(
                text_key(page.name),
                encode_text(text, size),
                content_type=CONTENT_TYPE,
                metadata={
                    "read-by": services.reader.described,
                    "languages": self.item.ocr,
                    "image-version": image.version,
                },
            )
        return text
