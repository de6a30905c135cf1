"""Pages are read again by OCR on request, of one object or of all: those without a text, or all."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from vitrine.catalogue.compose import ocr_pages
from vitrine.catalogue.publisher import Publisher
from vitrine.errors import PreconditionFailed
from vitrine.slices import split_batches
from vitrine.text.ocr_results.pages import ALL_READ, Unread
from vitrine.text.ocr_results.stored import PageReading, Readings, load_readings, save_readings

THREADS = 8
_BATCH = 200


@dataclass(frozen=True)
class ReadingRequest:
    """What a request came to for one object."""

    identifier: str
    unread: Unread
    is_busy: bool = False
    """True if its pages are being read at this moment: then nothing was requested."""


def read_again(
    publisher: Publisher, identifier: str, *, with_texts: bool = False
) -> ReadingRequest:
    """Have the pages of an object read again that have no text. Raises TransientError.

    `with_texts`, also the others, which keep their text until they have another one.
    """
    pages = ocr_pages(publisher.journal.latest(identifier), publisher.shown)
    if not pages:
        return ReadingRequest(identifier, ALL_READ)
    readings, etag = load_readings(publisher.records, identifier)
    names = {page.name for page in pages} if with_texts else set[str]()
    kept = dict(_kept(readings, names))
    if kept != readings.pages:
        try:
            if readings.is_claimed(datetime.now(UTC)):
                return ReadingRequest(identifier, ALL_READ, is_busy=True)
            save_readings(publisher.records, identifier, Readings(kept), etag)
        except PreconditionFailed:
            return ReadingRequest(identifier, ALL_READ, is_busy=True)
    if all(page.name in kept and not kept[page.name].is_unread for page in pages):
        return ReadingRequest(identifier, ALL_READ)
    # That asks for what it does not know.
    publishing = publisher.publish(identifier)
    return ReadingRequest(identifier, publishing.unread if publishing else ALL_READ)


def _kept(readings: Readings, outdated: Collection[str]) -> Iterator[tuple[str, PageReading]]:
    """Yield what is known of pages with a text; these names' are to be read once more."""
    for name, one in readings.pages.items():
        text = one.published_text(name)
        if text and (one.state != "read" or name in outdated):
            yield name, PageReading("again", one.image, text=text)
        elif text:
            yield name, one


def read_all_again(publisher: Publisher, *, with_texts: bool = False) -> Iterator[ReadingRequest]:
    """Do so for all objects, 8 at a time; yield each when it is done. Raises TransientError."""
    names = publisher.journal.identifiers()
    with ThreadPoolExecutor(THREADS, thread_name_prefix="again") as threads:
        for batch in split_batches(names, _BATCH):
            yield from threads.map(partial(read_again, publisher, with_texts=with_texts), batch)
