"""The turn of one process at an object: it reads pages in order, and notes what became of each."""

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from vitrine.errors import (
    ObjectMissing,
    PreconditionFailed,
    ServiceFailed,
    TextRefused,
    TransientError,
)
from vitrine.events import TextsRead
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.ports import EventBus
from vitrine.slices import Slice
from vitrine.sources.ocr.ocr_services import OcrServices
from vitrine.sources.ocr.page_folder import page_folder
from vitrine.sources.ocr.page_image import write_page
from vitrine.store.layout import text_key
from vitrine.text.ocr_results.pages import OcrPage
from vitrine.text.ocr_results.stored import (
    PageReading,
    Readings,
    State,
    later_name,
    save_readings,
)
from vitrine.text.transcription.page_text import CanvasSize
from vitrine.text.transcription.stored_text import CONTENT_TYPE, encode_text

logger = logging.getLogger(__name__)

MAX_TRIES = 2
"""Tries of a page that ends the process, or fails by what is not its own fault nor that of a
service."""

UNNOTED_PAGES = 20
UNNOTED_TIME = timedelta(minutes=2)
"""Time of reading after which pages are noted. Notes are a file of all pages: written for each page
of a book of 500, that is ten megabytes."""


def announce_texts(events: EventBus, identifier: str) -> None:
    """Have an object published with the texts that it has now."""
    event = TextsRead(identifier=identifier)
    events.publish(event.name(), event.detail())


@dataclass
class Turn:
    """The time in which one process reads pages of an object."""

    services: OcrServices
    item: PublishedObject
    pages: dict[str, PageReading]
    etag: str
    until: str
    """End of its claim, however many pages it has read: its process has ended by then."""
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    unnoted: int = 0
    """Pages since the notes were saved."""
    doubtful: int = 0
    """Pages, from now on, of which one may have ended the process before."""
    saved_at: datetime = field(init=False)

    def save(self, *, claimed: bool) -> None:
        """Note what became of the pages so far. Raises PreconditionFailed."""
        self._save(self.pages, self.until if claimed else "")

    def _save(self, pages: dict[str, PageReading], claimed_until: str) -> None:
        readings = Readings(dict(pages), claimed_until)
        records, name = self.services.records, self.item.identifier
        self.etag = save_readings(records, name, readings, self.etag)
        self.unnoted, self.saved_at = 0, self.services.clock()

    def recover(self, unread: list[OcrPage]) -> list[OcrPage]:
        """Note the texts that a process had stored and not yet noted when it died.

        Returns what is left to read. It read in the same order, so they are among the first.
        """
        left = []
        for page in unread[:UNNOTED_PAGES]:
            if self._is_stored(page):
                self.pages[page.name] = PageReading("read", page.image.identifier)
            else:
                left.append(page)
        self.doubtful = len(left)
        return left + unread[UNNOTED_PAGES:]

    def read_all(self, pages: Iterable[OcrPage], time: Slice, *, is_heir: bool) -> None:
        """Read pages while there is time, and give up the claim, whatever happens.

        `is_heir` if the process died that had the claim before. Raises TransientError if others
        changed the notes, or if they cannot be saved at the end.
        """
        name = self.item.identifier
        try:
            try:
                if is_heir:
                    # What that one had read is published, even if this one dies as well.
                    announce_texts(self.services.events, name)
                for page in pages:
                    if not time.has_time():
                        break
                    self.read(page)
                    self.doubtful -= 1
            except ServiceFailed as error:
                # Of the notes, or of the event: the pages before it are published.
                self.faults.append(str(error))
            finally:
                self.save(claimed=False)
        except PreconditionFailed:
            raise TransientError(f"Others changed what is known of the pages of {name}") from None

    def read(self, page: OcrPage) -> None:
        """Read a page, and note what became of it. Raises PreconditionFailed."""
        self.unnoted += 1
        before = self.pages.get(page.name)
        tries = before.tries if before else 0
        if tries >= MAX_TRIES:
            self._fail(page, f"it was begun {tries} times, and never ended")
            return
        if self._is_stored(page):
            self._note(page, "read")
            return
        old = self._old_text(page)
        begun = PageReading("begun", page.image.identifier, tries=tries + 1, text=old)
        if before or self.doubtful > 0 or self._is_due():
            # Saved before: if the process dies of this page, the next one knows.
            self._save(self.pages | {page.name: begun}, self.until)
        self.pages[page.name] = begun
        try:
            name = self._read(page, old)
        except TextRefused as refused:
            self._fail(page, str(refused))
        except ServiceFailed as error:
            self._try_again(page, tries, str(error))
        except Exception as error:
            # Whatever it is, such as a full disk, the other pages are read.
            logger.exception("A page of %s could not be read.", self.item.identifier)
            # Without the path of the file that an error of the disk names.
            said = error.strerror if isinstance(error, OSError) and error.strerror else error
            self._try_again(page, tries + 1, f"{type(error).__name__}: {said}")
        else:
            self._note(page, "read" if name else "empty", text=name if old else "")

    def _is_due(self) -> bool:
        is_late = self.services.clock() - self.saved_at >= UNNOTED_TIME
        return is_late or self.unnoted > UNNOTED_PAGES

    def _try_again(self, page: OcrPage, tries: int, reason: str) -> None:
        """Have the message come again for a page, unless it has had its tries."""
        if tries >= MAX_TRIES:
            self._fail(page, reason)
            return
        image, old = page.image.identifier, self._old_text(page)
        self.pages[page.name] = PageReading("begun", image, reason, tries, old)
        self.faults.append(f"{page.image.identifier}: {reason}")

    def _is_stored(self, page: OcrPage) -> bool:
        """Return whether this was read before, of another object or under another name of it."""
        if self._old_text(page):
            return False
        try:
            self.services.records.head(text_key(page.name))
        except ObjectMissing:
            return False
        return True

    def _old_text(self, page: OcrPage) -> str:
        """Return the name of the text that a page has while it is to be read once more."""
        return self.pages[page.name].text if page.name in self.pages else ""

    def _fail(self, page: OcrPage, reason: str) -> None:
        self._note(page, "failed", reason, text=self._old_text(page))

    def _note(self, page: OcrPage, state: State, reason: str = "", text: str = "") -> None:
        self.pages[page.name] = PageReading(state, page.image.identifier, reason, text=text)
        self.counts[f"pages_{state}"] += 1

    def _read(self, page: OcrPage, old: str) -> str:
        """Store the text of a page, which may have an old one; return its name, "" for no word."""
        services, image = self.services, page.image
        name = later_name(page.name, services.clock()) if old else page.name
        with page_folder() as folder:
            picture = write_page(
                services.access_masters,
                image,
                Path(folder),
                most_pixels=services.reader.most_pixels,
                width_mm=page.width_mm,
            )
            size = CanvasSize(image.width, image.height)
            text = services.reader.read(picture, self.item.ocr, size)
        if not text.lines:
            return ""
        services.records.put(
            text_key(name),
            encode_text(text, size),
            content_type=CONTENT_TYPE,
            metadata={
                "read-by": services.reader.described,
                "languages": self.item.ocr,
                "image-version": image.version,
            },
        )
        return name
