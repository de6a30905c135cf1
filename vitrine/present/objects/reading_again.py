"""Pages are read again by OCR on request: those without a text, of one object or of all."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from vitrine.errors import PreconditionFailed
from vitrine.present.objects.publisher import Publisher
from vitrine.present.objects.taken_readings import ocr_pages
from vitrine.present.readings.pages import ALL_READ, Unread
from vitrine.present.readings.stored import Readings, load_readings, save_readings

THREADS = 8
_BATCH = 200


@dataclass(frozen=True)
class Requested:
    """What a request came to for one object."""

    identifier: str
    unread: Unread
    is_busy: bool = False
    """True if its pages are being read at this moment: then nothing was requested."""


def read_again(publisher: Publisher, identifier: str) -> Requested:
    """Have the pages of an object read again that have no text. Raises TransientError."""
    pages = ocr_pages(publisher.journal.latest(identifier), publisher.identifiers)
    if not pages:
        return Requested(identifier, ALL_READ)
    readings, etag = load_readings(publisher.records, identifier)
    kept = {name: one for name, one in readings.pages.items() if one.state == "read"}
    if kept != readings.pages:
        try:
            if readings.is_claimed(datetime.now(UTC)):
                return Requested(identifier, ALL_READ, is_busy=True)
            save_readings(publisher.records, identifier, Readings(kept), etag)
        except PreconditionFailed:
            return Requested(identifier, ALL_READ, is_busy=True)
    if all(page.name in kept for page in pages):
        return Requested(identifier, ALL_READ)
    # That asks for what it does not know.
    publishing = publisher.publish(identifier)
    return Requested(identifier, publishing.unread if publishing else ALL_READ)


def read_all_again(publisher: Publisher) -> Iterator[Requested]:
    """Do so for all objects, 8 at a time; yield each when it is done. Raises TransientError."""
    names = publisher.journal.identifiers()
    with ThreadPoolExecutor(THREADS, thread_name_prefix="again") as threads:
        while batch := list(islice(names, _BATCH)):
            yield from threads.map(lambda name: read_again(publisher, name), batch)
